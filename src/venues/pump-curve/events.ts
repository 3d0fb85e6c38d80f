import type { Address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM, WSOL } from "#src/units/known-addresses.ts";
import { type ByteReader, discriminator } from "../byte-reader.ts";
import { DerivedAddresses } from "../derived-addresses.ts";
import { eventsNamed, eventsOf } from "../program-run.ts";
import type { SwapReader, SwapSeen } from "../swap-reader.ts";
import { pumpCurve } from "./adapter.ts";
import { curveAddress } from "./addresses.ts";
import { decodeBondingCurve, type PumpCurveState } from "./decode.ts";
import { BONDING_CURVE } from "./layout.ts";
import { costExactOut, purchaseInChain, quoteInChain } from "./quote.ts";
import { quoteVault } from "./vaults.ts";

const TRADE_EVENT = discriminator("bddb7fd34ee661ee");
/** Offsets of TradeEvent, discriminator included. */
const TRADE = {
  mint: 8,
  solAmount: 40,
  tokenAmount: 48,
  isBuy: 56,
  user: 57,
  timestamp: 89,
  virtualSol: 97,
  virtualToken: 105,
  realSol: 113,
  realToken: 121,
  fee: 169,
  creatorFee: 217,
  name: 258,
} as const;
/** Offsets from the end of ix_name. */
const AFTER_NAME = { cashback: 9, shareholders: 33 } as const;
const SHAREHOLDER_LENGTH = 34;
/** Before May 2025 the event ended without its fees. */
const OLD_LENGTH = 129;

/** How the event names a hop of pump_amm's multi_hop_swap. */
const CHAIN_NAME = "multi_hop_swap";
/** So begin the names of the instructions that buy for a named amount. */
const EXACT_IN_NAME = "buy_exact";
/** These name the coins that are bought. */
const EXACT_OUT_NAMES = ["buy", "buy_v2", "buy_v3"];

/** Deriving one takes longer than all the rest of a replay. */
const CURVES = new DerivedAddresses(20_000, (mint) => curveAddress(mint));

export type PumpCurveBefore = Pick<
  PumpCurveState,
  "virtualToken" | "virtualQuote" | "realToken" | "realQuote"
> & { readonly coin: Address };

/** Trades of pump's curve. The event has the reserves after the trade, from which those before it follow. */
export const pumpCurveSwaps: SwapReader<PumpCurveState, PumpCurveBefore> = {
  venue: pumpCurve,
  needsInstructions: false,
  read: (run) => eventsNamed(TRADE_EVENT, eventsOf(run)).map(readTrade),
  setBefore: (accounts, pool, { coin, virtualToken, virtualQuote, realToken, realQuote }) => {
    accounts.patch(pool, [
      { offset: BONDING_CURVE.virtual_token_reserves, value: virtualToken },
      { offset: BONDING_CURVE.virtual_quote_reserves, value: virtualQuote },
      { offset: BONDING_CURVE.real_token_reserves, value: realToken },
      { offset: BONDING_CURVE.real_quote_reserves, value: realQuote },
      { offset: BONDING_CURVE.complete, value: 0n, width: 1 },
    ]);
    // The stored vault is of another moment than the event. Of that moment at least so much is known.
    const quoteMint = decodeBondingCurve(accounts.get(pool))?.quoteMint ?? WSOL;
    const vault = quoteVault(coin, quoteMint, accounts);
    if (vault !== null) accounts.patchTokenAmount(vault, realQuote);
  },
  costExactOut,
  quoteHop: (state, order, place) =>
    order.inputMint === state.quoteMint
      ? purchaseInChain(state, order, place)
      : quoteInChain(state, order, place),
};

function readTrade(event: ByteReader): SwapSeen<PumpCurveBefore> {
  const coin = event.address(TRADE.mint);
  const pool = CURVES.get(coin, 0);
  const isBuy = event.bool(TRADE.isBuy);
  if (event.length <= OLD_LENGTH) return { kind: "skipped", pool, reason: "old-event" };
  const { name, rest } = nameOf(event);
  const isChain = name === CHAIN_NAME;
  const isExactOut = isBuy && EXACT_OUT_NAMES.includes(name);
  const isKnown = !isBuy || isChain || isExactOut || name.startsWith(EXACT_IN_NAME);
  const quote = quoteFields(event, rest);
  // Whether the amounts of such an event are before or after the quote's transfer fee was never recorded.
  if (!isKnown || quote.transferFee > 0n) {
    return { kind: "skipped", pool, reason: "other-terms" };
  }
  const tokens = event.u64(TRADE.tokenAmount);
  const protocolFee = event.u64(TRADE.fee);
  const creatorFee = event.u64(TRADE.creatorFee) + cashbackOf(event, rest);
  const fees = protocolFee + creatorFee;
  const sign = isBuy ? -1n : 1n;
  // Full, and paid for with less than was offered: the offer is not in the event.
  if (isBuy && !isExactOut && event.u64(TRADE.realToken) === 0n) {
    return { kind: "skipped", pool, reason: "other-terms" };
  }
  return {
    kind: "reported",
    pool,
    input: { side: isBuy ? "b" : "a" },
    amountIn: isBuy ? quote.amount + fees : tokens,
    amountOut: isBuy ? tokens : quote.amount - fees,
    ...(isExactOut ? { isExactOut: true } : {}),
    ...(isChain ? { place: { isFirst: creatorFee > 0n, isLast: protocolFee > 0n } } : {}),
    trader: event.address(TRADE.user),
    unixTimestamp: event.i64(TRADE.timestamp),
    before: {
      coin,
      virtualToken: event.u64(TRADE.virtualToken) - sign * tokens,
      realToken: event.u64(TRADE.realToken) - sign * tokens,
      virtualQuote: quote.virtual + sign * quote.amount,
      realQuote: quote.real + sign * quote.amount,
    },
  };
}

/** The instruction's name and the offset of the bytes after it. */
function nameOf(event: ByteReader): { readonly name: string; readonly rest: number } {
  const length = event.u32(TRADE.name);
  const start = TRADE.name + 4;
  return { name: event.text(start, length), rest: start + length };
}

function cashbackOf(event: ByteReader, rest: number): bigint {
  const at = rest + AFTER_NAME.cashback;
  return event.length >= at + 8 ? event.u64(at) : 0n;
}

/** Since mid 2026 a curve may be quoted in another token than SOL: its amounts follow at the end. */
function quoteFields(event: ByteReader, rest: number) {
  const list = rest + AFTER_NAME.shareholders;
  if (event.length >= list + 4) {
    const mint = list + 4 + event.u32(list) * SHAREHOLDER_LENGTH;
    if (event.length >= mint + 56 && event.address(mint) !== SYSTEM_PROGRAM) {
      return {
        amount: event.u64(mint + 32),
        virtual: event.u64(mint + 40),
        real: event.u64(mint + 48),
        transferFee: event.length >= mint + 88 ? event.u64(mint + 80) : 0n,
      };
    }
  }
  return {
    amount: event.u64(TRADE.solAmount),
    virtual: event.u64(TRADE.virtualSol),
    real: event.u64(TRADE.realSol),
    transferFee: 0n,
  };
}
