import { ByteReader, discriminator } from "../byte-reader.ts";
import { eventsOf } from "../program-run.ts";
import type { SwapReader, SwapSeen } from "../swap-reader.ts";
import { meteoraDammV2 } from "./adapter.ts";
import type { DammV2State } from "./decode.ts";

/** The same eight bytes as DBC's: the program id distinguishes them. */
const SWAP2_EVENT = discriminator("bd4233a826507599");
/** Until 0.1.6; it does not say whether the input was named. */
const SWAP_EVENT = discriminator("1b3c15d58aaabb93");
/** Offsets, discriminator included. */
const SWAP2 = {
  pool: 8,
  direction: 40,
  mode: 59,
  amountIn: 140,
  amountOut: 156,
  timestamp: 164,
} as const;
const MODE_EXACT_IN = 0;
const A_TO_B = 0;

/** DAMM v2's swaps. The event has only the price after the swap, so they are replayed on the held state. */
export const dammV2Swaps: SwapReader<DammV2State, null> = {
  venue: meteoraDammV2,
  needsInstructions: true,
  read: (run) =>
    eventsOf(run).flatMap((bytes) => {
      const event = new ByteReader(bytes);
      if (event.has(0, SWAP2_EVENT)) return [readSwap(event)];
      if (!event.has(0, SWAP_EVENT)) return [];
      return [{ kind: "skipped", pool: event.address(SWAP2.pool), reason: "old-event" }];
    }),
};

function readSwap(event: ByteReader): SwapSeen<null> {
  const pool = event.address(SWAP2.pool);
  if (event.u8(SWAP2.mode) !== MODE_EXACT_IN) {
    const reason = event.u8(SWAP2.mode) === 1 ? "other-terms" : "exact-out";
    return { kind: "skipped", pool, reason };
  }
  return {
    kind: "reported",
    pool,
    input: { side: event.u8(SWAP2.direction) === A_TO_B ? "a" : "b" },
    amountIn: event.u64(SWAP2.amountIn),
    amountOut: event.u64(SWAP2.amountOut),
    unixTimestamp: event.i64(SWAP2.timestamp),
    before: null,
  };
}
