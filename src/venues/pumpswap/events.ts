import { ByteReader, discriminator } from "../byte-reader.ts";
import { eventsOf, type ProgramRun, startsWith } from "../program-run.ts";
import type { SwapReader, SwapSeen } from "../swap-reader.ts";
import { pumpSwap } from "./adapter.ts";
import { decodePool, type PumpSwapState } from "./decode.ts";
import { POOL } from "./layout.ts";

const SELL_EVENT = discriminator("3e2f370aa503dc2a");
const BUY_EVENT = discriminator("67f4521f2cf57777");
/** Offsets that both events share, discriminator included. */
const EVENT = {
  timestamp: 8,
  baseAmount: 16,
  poolBase: 48,
  poolQuote: 56,
  quoteAmount: 64,
  userQuote: 112,
  pool: 120,
  user: 152,
} as const;
const SELL_FEES = { lp: 80, protocol: 96, creator: 352, cashback: 368, transfer: 441 } as const;
const MULTI_HOP_SWAP = { name: "MultiHopSwap", data: discriminator("2b644913e9f66f94") };
const SELL_VIRTUAL_QUOTE = 392;
const BUY_NAME = 401;
const BUY_NAME_TO_VIRTUAL_QUOTE = 32;

export type PumpSwapBefore = Pick<PumpSwapState, "baseReserve" | "quoteReserve"> & {
  /** Null where the event is older than virtual reserves. */
  readonly virtualQuote: bigint | null;
};

/** PumpSwap's trades: both events contain the vaults before the trade. */
export const pumpSwapSwaps: SwapReader<PumpSwapState, PumpSwapBefore> = {
  venue: pumpSwap,
  needsInstructions: false,
  read: (run) => {
    const hasChain = hasMultiHopSwap(run);
    return eventsOf(run).flatMap((bytes) => {
      const event = new ByteReader(bytes);
      if (event.has(0, SELL_EVENT)) return [readSell(event, hasChain)];
      return event.has(0, BUY_EVENT) ? [readBuy(event)] : [];
    });
  },
  setBefore: (accounts, address, { baseReserve, quoteReserve, virtualQuote }) => {
    const pool = decodePool(accounts.get(address));
    if (pool === null) return;
    accounts.patchTokenAmount(pool.baseVault, baseReserve);
    accounts.patchTokenAmount(pool.quoteVault, quoteReserve);
    if (virtualQuote === null) return;
    accounts.patch(address, [
      { offset: POOL.virtual_quote_reserves, value: virtualQuote, width: 16 },
    ]);
  },
};

/** In the calls where they are known, else in the log. */
function hasMultiHopSwap({ calls, instructionNames }: ProgramRun): boolean {
  return (
    calls?.some(({ data }) => startsWith(data, MULTI_HOP_SWAP.data)) === true ||
    instructionNames?.includes(MULTI_HOP_SWAP.name) === true
  );
}

/** A single sale pays all fees, so its place among one hop follows from the fees too. */
function readSell(event: ByteReader, hasChain: boolean): SwapSeen<PumpSwapBefore> {
  const fee = (offset: number): bigint => (event.length >= offset + 8 ? event.u64(offset) : 0n);
  const { lp, protocol, creator, cashback, transfer } = SELL_FEES;
  // Whether the amount in the event is before or after it was never recorded.
  if (fee(transfer) > 0n) {
    return { kind: "skipped", pool: event.address(EVENT.pool), reason: "other-terms" };
  }
  const place = {
    isFirst: fee(lp) + fee(creator) + fee(cashback) > 0n,
    isLast: fee(protocol) > 0n,
  };
  const isPart = hasChain && !(place.isFirst && place.isLast);
  return {
    kind: "reported",
    pool: event.address(EVENT.pool),
    input: { side: "a" },
    amountIn: event.u64(EVENT.baseAmount),
    amountOut: event.u64(EVENT.userQuote),
    ...(isPart ? { place } : {}),
    trader: event.address(EVENT.user),
    unixTimestamp: event.i64(EVENT.timestamp),
    before: beforeOf(event, SELL_VIRTUAL_QUOTE),
  };
}

/** In `buy_exact_quote_in`, and its v2, alone is `quote_amount_in` all that the buyer spends. */
function readBuy(event: ByteReader): SwapSeen<PumpSwapBefore> {
  const pool = event.address(EVENT.pool);
  const start = BUY_NAME + 4;
  if (event.length < start) return { kind: "skipped", pool, reason: "old-event" };
  const length = event.u32(BUY_NAME);
  const name = textAt(event, start, length);
  if (name === CHAIN_NAME) return { kind: "skipped", pool, reason: "other-terms" };
  if (!name.startsWith(EXACT_IN_NAME)) return { kind: "skipped", pool, reason: "exact-out" };
  return {
    kind: "reported",
    pool,
    input: { side: "b" },
    amountIn: event.u64(EVENT.quoteAmount),
    amountOut: event.u64(EVENT.baseAmount),
    trader: event.address(EVENT.user),
    unixTimestamp: event.i64(EVENT.timestamp),
    before: beforeOf(event, start + length + BUY_NAME_TO_VIRTUAL_QUOTE),
  };
}

const EXACT_IN_NAME = "buy_exact_quote_in";
const CHAIN_NAME = "multi_hop_swap";

function textAt(event: ByteReader, start: number, length: number): string {
  let text = "";
  for (let at = start; at < start + length; at++) text += String.fromCharCode(event.u8(at));
  return text;
}

function beforeOf(event: ByteReader, virtualAt: number): PumpSwapBefore {
  return {
    baseReserve: event.u64(EVENT.poolBase),
    quoteReserve: event.u64(EVENT.poolQuote),
    virtualQuote: event.length >= virtualAt + 16 ? event.i128(virtualAt) : null,
  };
}
