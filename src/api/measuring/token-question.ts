import Type from "typebox";
import { type Assessment, type Profile, STANDARD_SIZES } from "#src/measure/assessment.ts";
import {
  LONGEST_FRACTION,
  parseSize,
  SIZE_RANGE_SOL,
  SIZE_RANGE_TEXT,
} from "#src/measure/questions/requested-size.ts";
import { AppError } from "#src/platform/app-error.ts";
import { assertNever } from "#src/platform/assert-never.ts";
import type { MarketSnapshot } from "#src/track/market-snapshot.ts";
import type { Markets } from "#src/track/markets.ts";
import type { AssessedSnapshot } from "#src/track/snapshot-text.ts";
import { type Address, parseAddress } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { RateLimitBody, TokenNotFoundBody } from "../error-bodies.ts";
import { EXAMPLE_MINT } from "../examples.ts";
import type { Answer, HeaderParameter } from "../operation.ts";
import { TOKEN_NOT_FOUND } from "../token-not-found.ts";
import { fromText, readAs } from "../values.ts";

/** What all endpoints about one token share: its id, common query fields, and its 404 and 503. */

/** `mint` is null if the text is not a Solana address. */
export type TokenId = { readonly text: string; readonly mint: Address | null };

export const TOKEN_PARAMS = Type.Object({
  id: readAs<TokenId>(
    Type.String({
      minLength: 1,
      description: "The token's mint address. Any other text is answered 404.",
      example: EXAMPLE_MINT,
    }),
    fromText((text) => ({ text, mint: parseAddress(text) })),
    "id must be a mint address.",
  ),
});

export const PROFILE_FIELD = Type.Enum(["retail", "pro"], {
  default: "retail",
  description: "retail: the best single route. pro: the order split over all of them.",
  refusal: "profile must be retail or pro.",
});

const SIZE_DESCRIPTION = `${SIZE_RANGE_TEXT}, in plain digits. Snaps to the nearest of ${STANDARD_SIZES.join(", ")}; a tie goes to the larger.`;
const SIZE_MESSAGE = `size must be ${SIZE_RANGE_TEXT}, in plain digits, with at most ${LONGEST_FRACTION} decimals.`;
const SIZE_SCHEMA = Type.Number({ ...SIZE_RANGE_SOL, default: 1, description: SIZE_DESCRIPTION });

export const SIZE_FIELD = readAs(SIZE_SCHEMA, fromText(parseSize), SIZE_MESSAGE);

/** The same in a JSON body. */
export const SIZE_BODY_FIELD = readAs(
  SIZE_SCHEMA,
  (value) => (typeof value === "number" ? parseSize(String(value)) : null),
  SIZE_MESSAGE,
);

/** For answers that exist for the present only: past answers are stored, past pools are not. */
export const NO_SLOT_FIELD = Type.Optional(
  readAs<never>(
    Type.Never({ isHidden: true }),
    () => null,
    "at_slot is for /exitability only: past answers at the standard sizes are stored, nothing else. Leave it out here.",
  ),
);

export const LANGUAGE_HEADER: HeaderParameter = {
  name: "Accept-Language",
  description: "Texts are English if English is preferred to Spanish here.",
  schema: Type.String(),
  example: "en",
};

/** What the endpoints about one token may answer beside 200. */
export const TOKEN_ERRORS = {
  errors: ["unauthorized", "not_found", "rate_limit_exceeded", "chain_unavailable"],
  errorSchemas: { 404: TokenNotFoundBody, 429: RateLimitBody },
} as const;

/** A token endpoint: one query, open to pages, with an ETag. */
export const TOKEN_OPERATION = {
  method: "get",
  access: "caller",
  meter: "query",
  isOpenToPages: true,
  isConditional: true,
  params: TOKEN_PARAMS,
} as const;

/** A token endpoint whose answer exists for the present only. */
export const PRESENT_OPERATION = {
  ...TOKEN_OPERATION,
  ...TOKEN_ERRORS,
  query: Type.Object({ at_slot: NO_SLOT_FIELD }),
  errors: [...TOKEN_ERRORS.errors, "invalid_body"],
} as const;

/** The same for either profile. */
export const PRESENT_PROFILE_OPERATION = {
  ...PRESENT_OPERATION,
  query: Type.Object({ profile: PROFILE_FIELD, at_slot: NO_SLOT_FIELD }),
  errors: [...TOKEN_ERRORS.errors, "invalid_profile", "invalid_body"],
} as const;

export type AskedToken = { readonly id: TokenId; readonly profile: Profile };
type AnswerFrom = (snapshot: AssessedSnapshot, mint: Address) => Answer | Promise<Answer>;
export type Answered = { readonly kind: "answered"; readonly answer: Answer };

/**
 * The answer from the newest snapshot of the token, which is loaded if it is not tracked yet.
 *
 * @throws AppError chain_unavailable
 */
export function answerNow(
  markets: Pick<Markets, "latest" | "snapshot">,
  asked: AskedToken,
  answer: AnswerFrom,
): Promise<Answer> {
  const newest = async (mint: Address) => markets.latest(mint) ?? (await markets.snapshot(mint));
  return answerAboutToken(asked, newest, answer);
}

/**
 * The assessment of the market that a sale was just measured on. A tracker in another thread or process
 * publishes its newer answer before its reply about the sale. While sales are executed, which takes a while,
 * answers can be newer than the sale: then it is the assessment from before.
 */
export function assessmentOfSale(markets: Pick<Markets, "latest">, before: Assessment): Assessment {
  if (before.findings.some(({ kind }) => kind === "executed")) return before;
  const latest = markets.latest(before.mint);
  return latest?.kind === "assessed" ? latest.assessment : before;
}

/**
 * @param snapshotOf the token's snapshot, or an answer that replaces all others
 * @throws AppError chain_unavailable
 */
export async function answerAboutToken(
  { id, profile }: AskedToken,
  snapshotOf: (mint: Address) => Promise<MarketSnapshot | Answered>,
  answer: AnswerFrom,
): Promise<Answer> {
  if (id.mint === null) return notAnAddress(id, profile);
  if (id.mint === WSOL) return tokenNotFound(id, profile, TOKEN_NOT_FOUND.isSol(id.text));
  const snapshot = await snapshotOf(id.mint);
  switch (snapshot.kind) {
    case "assessed":
      return answer(snapshot, id.mint);
    case "answered":
      return snapshot.answer;
    case "not-found":
      return tokenWithoutPool(id, profile, snapshot.poolOf);
    case "unavailable":
      throw new AppError("chain_unavailable", {
        publicMessage: "The chain can't be reached, and nothing is stored for this token yet.",
      });
    default:
      return assertNever(snapshot);
  }
}

/** The 404 of an id that is not an address. It does not count. */
export function notAnAddress(id: TokenId, profile: Profile): Answer {
  return tokenNotFound(id, profile, TOKEN_NOT_FOUND.notAnAddress(id.text));
}

function tokenWithoutPool(id: TokenId, profile: Profile, poolOf: Address | undefined): Answer {
  const { status, body } = tokenNotFound(id, profile, TOKEN_NOT_FOUND.noPool(id.text, poolOf));
  return { status, body: poolOf === undefined ? body : { ...body, pool_of: poolOf } };
}

function tokenNotFound({ text }: TokenId, profile: Profile, message: string) {
  const body = { error: "not_found", message, state: "not_found", token_id: text, profile };
  return { status: 404, body };
}
