import { createRemoteJWKSet, errors, jwtVerify } from "jose";

export type ForeignIdentity = { readonly issuer: string; readonly subject: string };

export type ForeignTokens = {
  /**
   * The identity of an access token of the external provider; null if the token is invalid.
   *
   * @throws if the provider's keys cannot be fetched and none are cached
   */
  readonly verify: (
    token: string,
    nowMs: number,
  ) => Promise<(ForeignIdentity & { readonly expiresAtMs: number }) | null>;
};

/** No symmetric algorithm: the provider's public key must not be accepted as a secret. */
const ALGORITHMS = ["RS256", "ES256", "EdDSA"];
const KEYS_VALID_MS = 600_000;
const KEYS_COOLDOWN_MS = 30_000;
const FETCH_TIMEOUT_MS = 3_000;
const CLOCK_TOLERANCE_SECONDS = 5;
const LONGEST_TOKEN = 8_192;
const LONGEST_SUBJECT = 255;

/** Access tokens of one external identity provider, checked against its published keys. */
export function createForeignTokens(settings: {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
}): ForeignTokens {
  const { issuer, audience, jwksUrl } = settings;
  const keys = createRemoteJWKSet(new URL(jwksUrl), {
    cacheMaxAge: KEYS_VALID_MS,
    cooldownDuration: KEYS_COOLDOWN_MS,
    timeoutDuration: FETCH_TIMEOUT_MS,
  });
  return {
    async verify(token, nowMs) {
      if (token.length > LONGEST_TOKEN) return null;
      try {
        const { payload } = await jwtVerify(token, keys, {
          issuer,
          audience,
          algorithms: ALGORITHMS,
          clockTolerance: CLOCK_TOLERANCE_SECONDS,
          requiredClaims: ["sub", "exp"],
          currentDate: new Date(nowMs),
        });
        const { sub: subject, exp } = payload;
        if (typeof subject !== "string" || subject === "" || exp === undefined) return null;
        if (subject.length > LONGEST_SUBJECT || subject.includes("\0")) return null;
        return { issuer, subject, expiresAtMs: exp * 1000 };
      } catch (cause) {
        if (isTokensFault(cause)) return null;
        throw cause;
      }
    },
  };
}

/** Whether the token is invalid; otherwise the provider was unreachable. */
function isTokensFault(cause: unknown): boolean {
  if (cause instanceof errors.JWKSTimeout || cause instanceof errors.JWKSInvalid) return false;
  return cause instanceof errors.JOSEError && cause.code !== "ERR_JOSE_GENERIC";
}
