import { ByteReader, discriminator } from "../byte-reader.ts";
import { eventsNamed, type ProgramCall, startsWith } from "../program-run.ts";
import type { SwapReader, SwapSeen } from "../swap-reader.ts";
import { raydiumClmm } from "./adapter.ts";
import type { ClmmState } from "./pool-state.ts";

const SWAP_EVENT = discriminator("40c6cde8260871e2");
/** Both take amount, threshold, price limit and then whether the amount is the input. */
const SWAPS = [discriminator("f8c69e91e17587c8"), discriminator("2b04ed0b1ac91e62")];
const ROUTED_SWAP = discriminator("457d73daf5baf2c4");
const CALL = { amount: 8, limitLow: 24, limitHigh: 32, isBaseInput: 40 } as const;
/** Offsets of SwapEvent, discriminator included. */
const SWAP = {
  pool: 8,
  amount0: 136,
  transferFee0: 144,
  amount1: 152,
  transferFee1: 160,
  zeroForOne: 168,
} as const;

/** CLMM's swaps: the event contains only the price after the swap, so they are judged from the stored state. */
export const clmmSwaps: SwapReader<ClmmState, null> = {
  venue: raydiumClmm,
  needsInstructions: true,
  read: ({ logged, calls }) => {
    const events = eventsNamed(SWAP_EVENT, logged);
    const swaps = calls?.filter(({ data }) => SWAPS.some((start) => startsWith(data, start))) ?? [];
    const isRouted = calls?.some(({ data }) => startsWith(data, ROUTED_SWAP)) === true;
    const isPaired = !isRouted && swaps.length === events.length;
    return events.map((event, index) => readSwap(event, isPaired ? swaps[index] : undefined));
  },
};

function readSwap(event: ByteReader, call: ProgramCall | undefined): SwapSeen<null> {
  const pool = event.address(SWAP.pool);
  if (call === undefined) return { kind: "skipped", pool, reason: "transaction-unread" };
  const order = new ByteReader(call.data);
  if (!order.bool(CALL.isBaseInput)) return { kind: "skipped", pool, reason: "exact-out" };
  const isZeroForOne = event.bool(SWAP.zeroForOne);
  const [input, inputFee, output] = isZeroForOne
    ? [SWAP.amount0, SWAP.transferFee0, SWAP.amount1]
    : [SWAP.amount1, SWAP.transferFee1, SWAP.amount0];
  const amountIn = event.u64(input) + event.u64(inputFee);
  // Stopped at the trader's own price limit.
  if (amountIn !== order.u64(CALL.amount)) return { kind: "skipped", pool, reason: "other-terms" };
  return {
    kind: "reported",
    pool,
    input: { side: isZeroForOne ? "a" : "b" },
    amountIn,
    amountOut: event.u64(output),
    unixTimestamp: null,
    before: null,
  };
}
