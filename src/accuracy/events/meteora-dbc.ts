import { ByteReader, discriminator } from "#src/venues/byte-reader.ts";
import { meteoraDbc } from "#src/venues/meteora-dbc/adapter.ts";
import type { DbcState } from "#src/venues/meteora-dbc/state.ts";
import { eventsOf } from "../program-run.ts";
import type { SwapReader, SwapSeen } from "../swap-reader.ts";

/** The same eight bytes as DAMM v2's; the older EvtSwap beside it tells of the same swap. */
const SWAP2_EVENT = discriminator("bd4233a826507599");
/** Offsets, discriminator included. */
const SWAP2 = {
  pool: 8,
  direction: 72,
  amountIn: 74,
  mode: 90,
  amountOut: 115,
  timestamp: 179,
} as const;
const MODE_EXACT_OUT = 2;
const BASE_TO_QUOTE = 0;

/** DBC's swaps: the event tells the price after the swap alone, so they rest on the state held. */
export const dbcSwaps: SwapReader<DbcState, null> = {
  venue: meteoraDbc,
  needsInstructions: true,
  read: (run) =>
    eventsOf(run)
      .map((bytes) => new ByteReader(bytes))
      .filter((event) => event.has(0, SWAP2_EVENT))
      .map(readSwap),
};

function readSwap(event: ByteReader): SwapSeen<null> {
  const pool = event.address(SWAP2.pool);
  if (event.u8(SWAP2.mode) === MODE_EXACT_OUT)
    return { kind: "skipped", pool, reason: "exact-out" };
  return {
    kind: "told",
    pool,
    input: { side: event.u8(SWAP2.direction) === BASE_TO_QUOTE ? "a" : "b" },
    amountIn: event.u64(SWAP2.amountIn),
    amountOut: event.u64(SWAP2.amountOut),
    unixTimestamp: event.i64(SWAP2.timestamp),
    before: null,
  };
}
