import { type ByteReader, discriminator } from "../byte-reader.ts";
import { eventsNamed, eventsOf } from "../program-run.ts";
import type { SwapReader, SwapSeen } from "../swap-reader.ts";
import { meteoraDbc } from "./adapter.ts";
import type { DbcState } from "./state.ts";

/** The same eight bytes as DAMM v2's; the older EvtSwap beside it reports the same swap. */
const SWAP2_EVENT = discriminator("bd4233a826507599");
/** Offsets, discriminator included. */
const SWAP2 = {
  pool: 8,
  direction: 72,
  amountIn: 74,
  mode: 90,
  /** Of the input: what a partial fill did not take. */
  amountLeft: 107,
  amountOut: 115,
  timestamp: 179,
} as const;
const MODE_PARTIAL_FILL = 1;
const MODE_EXACT_OUT = 2;
const BASE_TO_QUOTE = 0;

/** DBC's swaps. The event has only the price after the swap, so they are replayed on the held state. */
export const dbcSwaps: SwapReader<DbcState, null> = {
  venue: meteoraDbc,
  needsInstructions: true,
  read: (run) => eventsNamed(SWAP2_EVENT, eventsOf(run)).map(readSwap),
};

function readSwap(event: ByteReader): SwapSeen<null> {
  const pool = event.address(SWAP2.pool);
  if (event.u8(SWAP2.mode) === MODE_EXACT_OUT)
    return { kind: "skipped", pool, reason: "exact-out" };
  // The purchase that fills a curve pays for less than was offered.
  if (event.u8(SWAP2.mode) === MODE_PARTIAL_FILL && event.u64(SWAP2.amountLeft) > 0n)
    return { kind: "skipped", pool, reason: "other-terms" };
  return {
    kind: "reported",
    pool,
    input: { side: event.u8(SWAP2.direction) === BASE_TO_QUOTE ? "a" : "b" },
    amountIn: event.u64(SWAP2.amountIn),
    amountOut: event.u64(SWAP2.amountOut),
    unixTimestamp: event.i64(SWAP2.timestamp),
    before: null,
  };
}
