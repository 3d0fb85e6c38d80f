import { ByteReader, discriminator } from "../byte-reader.ts";
import { type ProgramCall, startsWith } from "../program-run.ts";
import type { SwapReader, SwapSeen } from "../swap-reader.ts";
import { meteoraDlmm } from "./adapter.ts";
import { swapExactIn } from "./quote.ts";
import type { DlmmState } from "./state.ts";

const SWAP_EVENT = discriminator("516ce3becdd00ac4");
/** Emitted beside the older one since 0.12, for the same swap. */
const SWAP2_EVENT = discriminator("2e7452d7941b544d");
/** Offsets, discriminator included. */
const SWAP = { pair: 8, startBin: 72, amountOut: 88, swapForY: 96 } as const;
const SWAP2 = { pair: 8, startBin: 72, swapForY: 80, amountLeft: 105, amountOut: 113 } as const;
/** swap, swap2 and their two kinds with a bound on the price impact: the amount named is the input. */
const EXACT_IN = [
  discriminator("f8c69e91e17587c8"),
  discriminator("414b3f4ceb5b5b88"),
  discriminator("38ade6d0ade49ccd"),
  discriminator("4a62c0d6b1334b33"),
];
const CALL_AMOUNT = 8;

export type DlmmBefore = { readonly activeId: number };

/** DLMM's swaps. The event has the bin where the swap began, which the held state's active bin must equal. */
export const dlmmSwaps: SwapReader<DlmmState, DlmmBefore> = {
  venue: meteoraDlmm,
  needsInstructions: true,
  read: ({ calls }) => calls?.flatMap(readCall) ?? [],
  agrees: (state, { activeId }) => state.activeId === activeId,
  // The event counts what leaves the pool, before the token's own transfer fee.
  reportedOutput: (state, order) => {
    const result = swapExactIn(state, order);
    return result.kind === "filled" ? result.swap.grossOut : null;
  },
};

function readCall({ data, events }: ProgramCall): readonly SwapSeen<DlmmBefore>[] {
  const readers = events.map((bytes) => new ByteReader(bytes));
  const newer = readers.filter((event) => event.has(0, SWAP2_EVENT));
  const told = newer.length > 0 ? newer : readers.filter((event) => event.has(0, SWAP_EVENT));
  return told.map((event) => readSwap(event, { data, isNewer: newer.length > 0 }));
}

function readSwap(
  event: ByteReader,
  { data, isNewer }: { readonly data: Uint8Array; readonly isNewer: boolean },
): SwapSeen<DlmmBefore> {
  const fields = isNewer ? SWAP2 : SWAP;
  const pool = event.address(fields.pair);
  const isExactIn = EXACT_IN.some((start) => startsWith(data, start));
  if (!isExactIn) return { kind: "skipped", pool, reason: "exact-out" };
  if (isNewer && event.u64(SWAP2.amountLeft) > 0n) {
    return { kind: "skipped", pool, reason: "other-terms" };
  }
  return {
    kind: "reported",
    pool,
    input: { side: event.bool(fields.swapForY) ? "a" : "b" },
    amountIn: new ByteReader(data).u64(CALL_AMOUNT),
    amountOut: event.u64(fields.amountOut),
    unixTimestamp: null,
    before: { activeId: event.i32(fields.startBin) },
  };
}
