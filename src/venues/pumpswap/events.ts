import { ByteReader, discriminator } from "../byte-reader.ts";
import { eventsOf, type ProgramRun, startsWith } from "../program-run.ts";
import type { SwapReader, SwapSeen } from "../swap-reader.ts";
import type { ChainPlace } from "../venue.ts";
import { pumpSwap } from "./adapter.ts";
import { decodePool, type PumpSwapState } from "./decode.ts";
import { POOL } from "./layout.ts";
import { costExactOut, purchaseInChain, quoteInChain } from "./quote.ts";

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
/** Where each event has its fees; those of a purchase that follow its name count from the name's end. */
const FEES = { lp: 80, protocol: 96, creator: 352 } as const;
const SELL_FEES = { cashback: 368, transfer: 441 } as const;
const BUY_FEES = { cashback: 8, transfer: 81 } as const;
const MULTI_HOP_SWAP = { name: "MultiHopSwap", data: discriminator("2b644913e9f66f94") };
/** The operator's purchase of coins that are burned: its event looks as one of buy_exact_quote_in. */
const BOOST_BUY_AND_BURN = { name: "BoostBuyAndBurn", data: discriminator("694406af000723a2") };
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
    const hasChain = hasInstruction(run, MULTI_HOP_SWAP);
    const hasBoost = hasInstruction(run, BOOST_BUY_AND_BURN);
    return eventsOf(run).flatMap((bytes) => {
      const event = new ByteReader(bytes);
      if (event.has(0, SELL_EVENT)) return [readSell(event, hasChain)];
      return event.has(0, BUY_EVENT) ? [readBuy(event, hasBoost)] : [];
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
  costExactOut,
  quoteHop: (state, order, place) =>
    order.inputMint === state.quoteMint
      ? purchaseInChain(state, order, place)
      : quoteInChain(state, order, place),
};

/** In the calls where they are known, else in the log. */
function hasInstruction(
  { calls, instructionNames }: ProgramRun,
  { name, data: start }: typeof MULTI_HOP_SWAP,
): boolean {
  return (
    calls?.some(({ data }) => startsWith(data, start)) === true ||
    instructionNames?.includes(name) === true
  );
}

/** A single sale pays all fees, so its place among one hop follows from the fees too. */
function readSell(event: ByteReader, hasChain: boolean): SwapSeen<PumpSwapBefore> {
  const pool = event.address(EVENT.pool);
  // Whether the amount in the event is before or after it was never recorded.
  if (feeAt(event, SELL_FEES.transfer) > 0n)
    return { kind: "skipped", pool, reason: "other-terms" };
  const place = placeOf(event, SELL_FEES.cashback);
  const isPart = hasChain && !(place.isFirst && place.isLast);
  return {
    kind: "reported",
    pool,
    input: { side: "a" },
    amountIn: event.u64(EVENT.baseAmount),
    amountOut: event.u64(EVENT.userQuote),
    ...(isPart ? { place } : {}),
    trader: event.address(EVENT.user),
    unixTimestamp: event.i64(EVENT.timestamp),
    before: beforeOf(event, SELL_VIRTUAL_QUOTE),
  };
}

/** Zero in an event that is older than the fee. */
function feeAt(event: ByteReader, offset: number): bigint {
  return event.length >= offset + 8 ? event.u64(offset) : 0n;
}

/** Where a hop is, follows from its fees: the coin's end pays its creator, the other end the protocol. */
function placeOf(event: ByteReader, cashback: number): ChainPlace {
  const coinFees = [FEES.lp, FEES.creator, cashback].map((offset) => feeAt(event, offset));
  return {
    isFirst: coinFees.some((fee) => fee > 0n),
    isLast: feeAt(event, FEES.protocol) > 0n,
  };
}

/**
 * In `buy` and its v2 `user_quote_amount_in` is all that the buyer spends, in the other instructions
 * `quote_amount_in`.
 */
function readBuy(event: ByteReader, hasBoost: boolean): SwapSeen<PumpSwapBefore> {
  const pool = event.address(EVENT.pool);
  const start = BUY_NAME + 4;
  if (event.length < start) return { kind: "skipped", pool, reason: "old-event" };
  const length = event.u32(BUY_NAME);
  const name = event.text(start, length);
  const rest = start + length;
  const isKnown = [...EXACT_OUT_NAMES, ...EXACT_IN_NAMES, CHAIN_NAME].includes(name);
  if (!isKnown || feeAt(event, rest + BUY_FEES.transfer) > 0n)
    return { kind: "skipped", pool, reason: "other-terms" };
  const isExactOut = EXACT_OUT_NAMES.includes(name);
  const place = placeOf(event, rest + BUY_FEES.cashback);
  const isFree = hasBoost && !place.isFirst && !place.isLast;
  return {
    kind: "reported",
    pool,
    input: { side: "b" },
    amountIn: event.u64(isExactOut ? EVENT.userQuote : EVENT.quoteAmount),
    amountOut: event.u64(EVENT.baseAmount),
    ...(isExactOut ? { isExactOut: true } : {}),
    ...(name === CHAIN_NAME || isFree ? { place } : {}),
    trader: event.address(EVENT.user),
    unixTimestamp: event.i64(EVENT.timestamp),
    before: beforeOf(event, rest + BUY_NAME_TO_VIRTUAL_QUOTE),
  };
}

const EXACT_OUT_NAMES = ["buy", "buy_v2"];
const EXACT_IN_NAMES = ["buy_exact_quote_in", "buy_exact_quote_in_v2"];
const CHAIN_NAME = "multi_hop_swap";

function beforeOf(event: ByteReader, virtualAt: number): PumpSwapBefore {
  return {
    baseReserve: event.u64(EVENT.poolBase),
    quoteReserve: event.u64(EVENT.poolQuote),
    virtualQuote: event.length >= virtualAt + 16 ? event.i128(virtualAt) : null,
  };
}
