import { ByteReader, discriminator } from "#src/venues/byte-reader.ts";
import { pumpSwap } from "#src/venues/pumpswap/adapter.ts";
import { decodePool, type PumpSwapState } from "#src/venues/pumpswap/decode.ts";
import { POOL } from "#src/venues/pumpswap/layout.ts";
import { eventsOf } from "../program-run.ts";
import type { SwapReader, SwapSeen } from "../swap-reader.ts";

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
} as const;
const SELL_VIRTUAL_QUOTE = 392;
const BUY_NAME = 401;
const BUY_NAME_TO_VIRTUAL_QUOTE = 32;

export type PumpSwapBefore = Pick<PumpSwapState, "baseReserve" | "quoteReserve"> & {
  /** Null where the event is older than virtual reserves. */
  readonly virtualQuote: bigint | null;
};

/** PumpSwap's trades: both events tell the vaults before the trade. */
export const pumpSwapSwaps: SwapReader<PumpSwapState, PumpSwapBefore> = {
  venue: pumpSwap,
  needsInstructions: false,
  read: (run) =>
    eventsOf(run).flatMap((bytes) => {
      const event = new ByteReader(bytes);
      if (event.has(0, SELL_EVENT)) return [readSell(event)];
      return event.has(0, BUY_EVENT) ? [readBuy(event)] : [];
    }),
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

function readSell(event: ByteReader): SwapSeen<PumpSwapBefore> {
  return {
    kind: "told",
    pool: event.address(EVENT.pool),
    input: { side: "a" },
    amountIn: event.u64(EVENT.baseAmount),
    amountOut: event.u64(EVENT.userQuote),
    unixTimestamp: event.i64(EVENT.timestamp),
    before: beforeOf(event, SELL_VIRTUAL_QUOTE),
  };
}

/** In `buy_exact_quote_in` alone is `quote_amount_in` all that the buyer spends. */
function readBuy(event: ByteReader): SwapSeen<PumpSwapBefore> {
  const pool = event.address(EVENT.pool);
  const start = BUY_NAME + 4;
  if (event.length < start) return { kind: "skipped", pool, reason: "old-event" };
  const length = event.u32(BUY_NAME);
  const isExactIn =
    length === EXACT_IN_NAME.length && event.has(start, new TextEncoder().encode(EXACT_IN_NAME));
  if (!isExactIn) return { kind: "skipped", pool, reason: "exact-out" };
  return {
    kind: "told",
    pool,
    input: { side: "b" },
    amountIn: event.u64(EVENT.quoteAmount),
    amountOut: event.u64(EVENT.baseAmount),
    unixTimestamp: event.i64(EVENT.timestamp),
    before: beforeOf(event, start + length + BUY_NAME_TO_VIRTUAL_QUOTE),
  };
}

const EXACT_IN_NAME = "buy_exact_quote_in";

function beforeOf(event: ByteReader, virtualAt: number): PumpSwapBefore {
  return {
    baseReserve: event.u64(EVENT.poolBase),
    quoteReserve: event.u64(EVENT.poolQuote),
    virtualQuote: event.length >= virtualAt + 16 ? event.i128(virtualAt) : null,
  };
}
