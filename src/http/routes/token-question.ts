import type { Profile } from "#src/measure/assessment.ts";
import { AppError } from "#src/platform/app-error.ts";
import type { MarketSnapshot } from "#src/track/market-snapshot.ts";
import { type Address, parseAddress } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { RequestedSize } from "#src/wire/exitability.ts";
import { parseSize } from "#src/wire/size.ts";
import type { Answer } from "../plugins/metering.ts";

type AssessedSnapshot = MarketSnapshot & { readonly kind: "assessed" };

/** @throws AppError invalid_profile */
export function readProfile(profile: unknown = "retail"): Profile {
  if (profile === "retail" || profile === "pro") return profile;
  throw new AppError("invalid_profile", { publicMessage: "profile must be retail or pro." });
}

/** @throws AppError invalid_size */
export function readSize(size: unknown = "1"): RequestedSize {
  const parsed = typeof size === "string" ? parseSize(size) : null;
  if (parsed !== null) return parsed;
  throw new AppError("invalid_size", {
    publicMessage: "size must be a number of SOL from 0.01 to 1000, in plain digits.",
  });
}

/** The 404 of the measuring endpoints, with the reason in its sentence. */
export function tokenNotFound(id: string, profile: Profile, clause: string): Answer {
  const message = `${id === "" ? "An empty id" : id} ${clause}`;
  return {
    status: 404,
    body: { error: "not_found", message, state: "not_found", token_id: id, profile },
  };
}

export type Answered = { readonly kind: "answered"; readonly answer: Answer };

export type AboutToken = {
  readonly id: string;
  readonly profile: Profile;
  /** What is known of the token; or the answer itself, where it is another than that. */
  readonly snapshotOf: (mint: Address) => Promise<MarketSnapshot | Answered>;
  readonly answer: (snapshot: AssessedSnapshot, mint: Address) => object | Promise<object>;
  readonly headers?: (snapshot: AssessedSnapshot) => Readonly<Record<string, string>>;
};

/** What every endpoint about a token shares: what an id may be, and what is not known of it. */
export function prepareAboutToken(about: AboutToken) {
  const { id, profile, snapshotOf, answer, headers = () => ({}) } = about;
  const mint = parseAddress(id);
  if (mint === null) {
    const clause = "is not a Solana address: 32 bytes in base58.";
    return { kind: "known", answer: tokenNotFound(id, profile, clause) } as const;
  }
  return {
    kind: "work",
    mint,
    work: async (): Promise<Answer> => {
      if (mint === WSOL) {
        return tokenNotFound(id, profile, "is SOL itself, which is what exits are paid in.");
      }
      const snapshot = await snapshotOf(mint);
      switch (snapshot.kind) {
        case "assessed":
          return { status: 200, body: await answer(snapshot, mint), headers: headers(snapshot) };
        case "answered":
          return snapshot.answer;
        case "not-found":
          return tokenNotFound(id, profile, "has no pool or curve on any program we model.");
        case "unavailable":
          throw new AppError("chain_unavailable", {
            publicMessage: "The chain can't be reached, and nothing is stored for this token yet.",
          });
        default: {
          const unreachable: never = snapshot;
          return unreachable;
        }
      }
    },
  } as const;
}
