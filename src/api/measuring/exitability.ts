import Type from "typebox";
import type { AnswerAt, StoredSlots } from "#src/track/history/stored-answers.ts";
import type { Markets } from "#src/track/markets.ts";
import type { AssessedSnapshot } from "#src/track/snapshot-text.ts";
import type { Address } from "#src/units/address.ts";
import { toNumber } from "#src/units/to-number.ts";
import { StateNotStoredBody, TokenNotFoundBody } from "../error-bodies.ts";
import { type Answer, defineOperation } from "../operation.ts";
import { fromText, readAs } from "../values.ts";
import { EXITABILITY_EXAMPLE, ExitabilityBody, exitabilityBody } from "./exitability-body.ts";
import {
  answerAboutToken,
  answerNow,
  LANGUAGE_HEADER,
  PROFILE_FIELD,
  SIZE_FIELD,
  TOKEN_ERRORS,
  TOKEN_OPERATION,
} from "./token-question.ts";

/** A past answer never changes; private because it was asked for with or without a key. */
const PAST_CACHING = "private, max-age=86400, immutable";

const AT_SLOT_FIELD = Type.Optional(
  readAs(
    Type.Integer({
      minimum: 0,
      maximum: 999_999_999_999_999,
      description:
        "The X-State-Slot of a past answer. Returns exactly the bytes that were answered at that slot, or 404 state_not_stored; never another slot's answer. All callers get the same bytes, for three days (or as the operator sets it). Answers are stored while a token is requested or watched: one within some seconds, then one after each change, at least a minute apart, or every five minutes without changes; each is stored when a later slot was answered. slot_before and slot_after name stored slots. Counts like any other query.",
    }),
    fromText((text) => (/^\d{1,15}$/.test(text) ? BigInt(text) : null)),
    "at_slot must be the number of a slot, in plain digits.",
  ),
);

export const getExitability = defineOperation({
  ...TOKEN_OPERATION,
  path: "/api/token/{id}/exitability",
  id: "getExitability",
  tag: "exitability",
  summary: "Can a position be sold now, and at what slippage?",
  description:
    "Six standard sizes at once, one of two profiles. It measures only: it never trades, builds a transaction, recommends or predicts. Null is unknown or impossible, never zero; state says which.",
  query: Type.Object({ profile: PROFILE_FIELD, size: SIZE_FIELD, at_slot: AT_SLOT_FIELD }),
  headers: [LANGUAGE_HEADER],
  responses: {
    200: {
      description: "The measurement, or why there is none",
      schema: ExitabilityBody,
      example: EXITABILITY_EXAMPLE,
      headers: ["X-State-Slot"],
    },
  },
  errors: [
    ...TOKEN_ERRORS.errors,
    "state_not_stored",
    "invalid_profile",
    "invalid_size",
    "invalid_body",
  ],
  errorSchemas: {
    ...TOKEN_ERRORS.errorSchemas,
    404: Type.Union([TokenNotFoundBody, StateNotStoredBody]),
  },
  handler({ params: { id }, query, language, request }, { markets, learn }) {
    const { profile, size, at_slot: slot } = query;
    const answer = (snapshot: AssessedSnapshot, mint: Address) => {
      if (slot === undefined) learn(request.originalUrl, { mint, profile, size });
      const headers = {
        "x-state-slot": String(snapshot.assessment.slot),
        ...(slot === undefined ? {} : { "cache-control": PAST_CACHING }),
      };
      return { body: exitabilityBody({ ...snapshot, profile, size, language }), headers };
    };
    return slot === undefined
      ? answerNow(markets, { id, profile }, answer)
      : answerAboutToken({ id, profile }, pastSnapshot(markets, slot), answer);
  },
});

function pastSnapshot(markets: Pick<Markets, "answerAt">, slot: bigint) {
  return async (mint: Address) => {
    const stored = await markets.answerAt(mint, slot);
    return stored.kind === "stored"
      ? stored.snapshot
      : ({ kind: "answered", answer: stateNotStored(mint, slot, stored) } as const);
  };
}

/** The 404 of a slot without a stored answer, with the nearest stored slots. */
function stateNotStored(
  mint: string,
  slot: bigint,
  { slots }: AnswerAt & { readonly kind: "not-stored" },
): Answer {
  return {
    status: 404,
    body: {
      error: "state_not_stored",
      message: `No answer is stored for slot ${slot}: ${nearestSlots(slots)}`,
      token_id: mint,
      at_slot: toNumber(slot),
      slot_before: slots.before === null ? null : toNumber(slots.before),
      slot_after: slots.after === null ? null : toNumber(slots.after),
    },
  };
}

function nearestSlots({ before, after }: StoredSlots): string {
  if (before !== null && after !== null)
    return `none was stored shortly before it. Ask for ${before} or ${after}.`;
  if (before !== null)
    return `${before} is the newest stored slot. Ask for it, or again after the next one is stored.`;
  if (after !== null) return `${after} is the oldest stored slot. Ask for it or a later slot.`;
  return "none is stored for this token. Ask for it without at_slot: from then on answers are stored, if this service keeps any.";
}
