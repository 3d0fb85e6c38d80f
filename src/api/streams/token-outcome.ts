import Type, { type Static } from "typebox";
import type { Profile } from "#src/measure/assessment.ts";
import type { RequestedSize } from "#src/measure/questions/requested-size.ts";
import { AppError } from "#src/platform/app-error.ts";
import { assertNever } from "#src/platform/assert-never.ts";
import type { Markets } from "#src/track/markets.ts";
import { parseAddress } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { ExitabilityBody, exitabilityBody } from "../measuring/exitability-body.ts";
import type { Language } from "../notice.ts";
import { STATUS_OF_CODE } from "../plugins/errors.ts";
import { TOKEN_NOT_FOUND } from "../token-not-found.ts";
import { nullable } from "../values.ts";

/** Tokens of one request. */
export const MOST_MINTS = 100;
/** Longer texts are refused; a shorter text that is not an address has its own outcome. */
export const LONGEST_MINT_TEXT = 100;

/** One token's outcome, as its own request would have been answered. */
export const TokenOutcome = Type.Object(
  {
    token_id: Type.String({ description: "As it was asked for" }),
    status: Type.Enum([200, 404, 429, 500, 503]),
    exitability: nullable(ExitabilityBody, "With status 200; null with any other"),
    error: nullable(Type.String(), "A code of the same status; null with 200"),
    message: nullable(Type.String()),
  },
  { $id: "TokenOutcome" },
);
export type TokenOutcome = Static<typeof TokenOutcome>;

export type ManyQuestion = {
  readonly profile: Profile;
  readonly size: RequestedSize;
  readonly language: Language;
};

/** The outcome of one of many tokens: what a request for it alone would return. */
export async function outcomeOf(
  markets: Pick<Markets, "snapshot" | "latest">,
  id: string,
  question: ManyQuestion,
): Promise<TokenOutcome> {
  const mint = parseAddress(id);
  if (mint === null) return notFound(id, TOKEN_NOT_FOUND.notAnAddress(id));
  if (mint === WSOL) return notFound(id, TOKEN_NOT_FOUND.isSol(id));
  try {
    const snapshot = markets.latest(mint) ?? (await markets.snapshot(mint));
    switch (snapshot.kind) {
      case "assessed": {
        const exitability = exitabilityBody({ ...snapshot, ...question });
        return { token_id: id, status: 200, exitability, error: null, message: null };
      }
      case "not-found":
        return notFound(id, TOKEN_NOT_FOUND.noPool(id, snapshot.poolOf));
      case "unavailable":
        return failed(id, 503, "chain_unavailable", "The chain can't be reached.");
      default:
        return assertNever(snapshot);
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return failed(id, STATUS_OF_CODE[error.code], error.code, error.publicMessage);
  }
}

/** The outcome of a token beyond the caller's limit: not measured, not counted. */
export function beyondLimit(id: string): TokenOutcome {
  return failed(id, 429, "rate_limit_exceeded", "The day's queries were used up before this one.");
}

/** The outcome of a token whose measurement failed by a bug of ours, or of the database. */
export function serverFailed(id: string): TokenOutcome {
  return failed(id, 500, "server_error", "Something failed on our side for this token.");
}

function notFound(id: string, message: string): TokenOutcome {
  return failed(id, 404, "not_found", message);
}

function failed(id: string, status: number, error: string, message: string): TokenOutcome {
  const known = ([404, 429, 503] as const).find((each) => each === status) ?? 500;
  return { token_id: id, status: known, exitability: null, error, message };
}
