import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from "jose";
import { AppError } from "#src/platform/app-error.ts";

export type ForeignIdentity = { readonly issuer: string; readonly subject: string };

export type ForeignTimes = {
  readonly expiresAtMs: number;
  /** When the user signed in at the provider, as far as the token says; null: unknown. */
  readonly sinceMs: number | null;
};

export type ForeignTokens = {
  /**
   * The identity of an access token of the external provider; null if the token is invalid.
   *
   * @throws AppError overloaded if the provider's keys cannot be fetched and none are cached
   */
  readonly verify: (
    token: string,
    nowMs: number,
  ) => Promise<(ForeignIdentity & ForeignTimes) | null>;
};

/** No symmetric algorithm: the provider's public key must not be accepted as a secret. */
const ALGORITHMS = ["RS256", "ES256", "EdDSA"];
const KEYS_VALID_MS = 600_000;
const KEYS_COOLDOWN_MS = 30_000;
const FETCH_TIMEOUT_MS = 3_000;
const CLOCK_TOLERANCE_SECONDS = 5;
const LONGEST_TOKEN = 8_192;
const LONGEST_SUBJECT = 255;
const MOST_KEY_BYTES = 256 * 1_024;
/** RFC 9068, and what most providers write; a token of another type is for something else. */
const ACCESS_TOKEN_TYPES = [undefined, "JWT", "at+jwt", "application/at+jwt"];
/** Only ID tokens have them: they say who signed in, and are not for calling anything. */
const ID_TOKEN_CLAIMS = ["nonce", "at_hash", "c_hash"];

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
    [customFetch]: fetchBounded,
  });
  return {
    async verify(token, nowMs) {
      if (token.length > LONGEST_TOKEN) return null;
      try {
        const { payload, protectedHeader } = await jwtVerify(token, keys, {
          issuer,
          audience,
          algorithms: ALGORITHMS,
          clockTolerance: CLOCK_TOLERANCE_SECONDS,
          requiredClaims: ["sub", "exp"],
          currentDate: new Date(nowMs),
        });
        if (!isAccessToken(protectedHeader.typ, payload)) return null;
        const { sub: subject, exp } = payload;
        if (typeof subject !== "string" || subject === "" || exp === undefined) return null;
        if (subject.length > LONGEST_SUBJECT || subject.includes("\0")) return null;
        return { issuer, subject, expiresAtMs: exp * 1000, sinceMs: signedInMs(payload) };
      } catch (cause) {
        if (isTokensFault(cause)) return null;
        throw new AppError("overloaded", {
          publicMessage: "The identity provider's keys can't be read now; try again in a moment.",
          cause,
        });
      }
    },
  };
}

function isAccessToken(type: string | undefined, payload: JWTPayload): boolean {
  if (!ACCESS_TOKEN_TYPES.includes(type)) return false;
  return payload.typ !== "ID" && !ID_TOKEN_CLAIMS.some((claim) => claim in payload);
}

function signedInMs({ auth_time: authTime, iat }: JWTPayload): number | null {
  const seconds = typeof authTime === "number" ? authTime : iat;
  return seconds === undefined ? null : seconds * 1_000;
}

/** Reads at most `MOST_KEY_BYTES`: a provider that sends more does not fill the memory. */
async function fetchBounded(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MOST_KEY_BYTES) throw new Error(`the keys have more than ${MOST_KEY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks), { status: response.status });
}

/** Whether the token is invalid; otherwise the provider was unreachable. */
function isTokensFault(cause: unknown): boolean {
  if (cause instanceof errors.JWKSTimeout || cause instanceof errors.JWKSInvalid) return false;
  return cause instanceof errors.JOSEError && cause.code !== "ERR_JOSE_GENERIC";
}
