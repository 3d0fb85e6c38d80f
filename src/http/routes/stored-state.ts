import { AppError } from "#src/platform/app-error.ts";
import type { StateAt, StoredSlots } from "#src/track/token-states.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { Answer } from "../plugins/metering.ts";

/** What was answered of a past slot is never another answer later; private, as it was asked with a key or not. */
export const PAST_CACHING = "private, max-age=86400, immutable";
/** Every slot that JSON's numbers tell apart, and some. */
const SLOT = /^\d{1,15}$/;

/** The slot of `at_slot`, or null where none is asked for. @throws AppError invalid_body */
export function readSlot(text: unknown): bigint | null {
  if (text === undefined) return null;
  if (typeof text === "string" && SLOT.test(text)) return BigInt(text);
  throw new AppError("invalid_body", {
    publicMessage: "at_slot must be the number of a slot, in plain digits.",
  });
}

/** The 404 of a slot of which nothing is stored, with the nearest slots that there are. */
export function stateNotStored(
  mint: string,
  slot: bigint,
  { slots }: StateAt & { readonly kind: "not-stored" },
): Answer {
  return {
    status: 404,
    body: {
      error: "state_not_stored",
      message: `There is no stored answer for slot ${slot}: ${whatThereIs(slots)}`,
      token_id: mint,
      at_slot: toNumber(slot),
      slot_before: slots.before === null ? null : toNumber(slots.before),
      slot_after: slots.after === null ? null : toNumber(slots.after),
    },
  };
}

function whatThereIs({ before, after }: StoredSlots): string {
  if (before !== null && after !== null)
    return `none was kept near enough before it. Ask for ${before} or ${after}.`;
  if (before !== null)
    return `${before} is the newest that is stored. Ask for it, or again when a later one is.`;
  if (after !== null) return `${after} is the oldest that is stored. Ask for it or a later slot.`;
  return "none is stored for this token. Ask for it without at_slot: from then on they are stored.";
}
