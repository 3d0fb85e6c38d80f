import { ByteReader, discriminator } from "../byte-reader.ts";
import { eventsNamed, type ProgramCall, startsWith } from "../program-run.ts";
import type { SwapReader, SwapSeen } from "../swap-reader.ts";
import type { Venue } from "../venue.ts";
import { orcaWhirlpool, orcaWhirlpoolImmutable } from "./adapter.ts";
import type { WhirlpoolState } from "./pool-state.ts";

const TRADED_EVENT = discriminator("e1ca49af932ba096");
/** Offsets, discriminator included. */
const TRADED = {
  pool: 8,
  aToB: 40,
  sqrtPriceBefore: 41,
  inputAmount: 73,
  outputAmount: 81,
  outputTransferFee: 97,
} as const;
/** Amount, threshold and price limits differ; `isInput` is where they say that the amount is the input. */
const CALLS = [
  { start: discriminator("f8c69e91e17587c8"), isInput: 40, events: 1 },
  { start: discriminator("2b04ed0b1ac91e62"), isInput: 40, events: 1 },
  { start: discriminator("c360ed6c44a2dbe6"), isInput: 24, events: 2 },
  { start: discriminator("ba8fd11dfe02c275"), isInput: 24, events: 2 },
] as const;
const CALL_AMOUNT = 8;

export type WhirlpoolBefore = { readonly sqrtPriceX64: bigint };

export const whirlpoolSwaps = swapsOf(orcaWhirlpool);
export const whirlpoolImmutableSwaps = swapsOf(orcaWhirlpoolImmutable);

/** Reads the swaps of a deployment. The event has the price before the swap, which the held state must have too. */
function swapsOf(venue: Venue<WhirlpoolState>): SwapReader<WhirlpoolState, WhirlpoolBefore> {
  return {
    venue,
    needsInstructions: true,
    read: ({ logged, calls }) => {
      const events = eventsNamed(TRADED_EVENT, logged);
      const orders = calls?.flatMap(ordersOf) ?? [];
      const isPaired = orders.length === events.length;
      return events.map((event, index) => readSwap(event, isPaired ? orders[index] : undefined));
    },
    agrees: (state, { sqrtPriceX64 }) => state.sqrtPriceX64 === sqrtPriceX64,
  };
}

type HopOrder = { readonly isInput: boolean; readonly amount: bigint | null };

/** One order for each event that the call leaves. Of two hops, the first alone takes the amount named. */
function ordersOf({ data }: ProgramCall): readonly HopOrder[] {
  const call = CALLS.find(({ start }) => startsWith(data, start));
  if (call === undefined) return [];
  const order = new ByteReader(data);
  const isInput = order.bool(call.isInput);
  return Array.from({ length: call.events }, (_, hop) => ({
    isInput,
    amount: hop === 0 ? order.u64(CALL_AMOUNT) : null,
  }));
}

function readSwap(event: ByteReader, order: HopOrder | undefined): SwapSeen<WhirlpoolBefore> {
  const pool = event.address(TRADED.pool);
  if (order === undefined) return { kind: "skipped", pool, reason: "transaction-unread" };
  if (!order.isInput) return { kind: "skipped", pool, reason: "exact-out" };
  const amountIn = event.u64(TRADED.inputAmount);
  // Stopped at the trader's own price limit.
  if (order.amount !== null && order.amount !== amountIn) {
    return { kind: "skipped", pool, reason: "other-terms" };
  }
  return {
    kind: "reported",
    pool,
    input: { side: event.bool(TRADED.aToB) ? "a" : "b" },
    amountIn,
    amountOut: event.u64(TRADED.outputAmount) - event.u64(TRADED.outputTransferFee),
    unixTimestamp: null,
    before: { sqrtPriceX64: event.u128(TRADED.sqrtPriceBefore) },
  };
}
