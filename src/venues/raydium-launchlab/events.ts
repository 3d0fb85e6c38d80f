import { type ByteReader, discriminator } from "../byte-reader.ts";
import { eventsNamed, eventsOf } from "../program-run.ts";
import type { SwapReader, SwapSeen } from "../swap-reader.ts";
import { raydiumLaunchLab } from "./adapter.ts";
import type { LaunchLabState } from "./decode.ts";
import { POOL, POOL_STATUS } from "./layout.ts";

/** The same eight bytes as pump's: the program id distinguishes them. */
const TRADE_EVENT = discriminator("bddb7fd34ee661ee");
/** Offsets, discriminator included. */
const TRADE = {
  pool: 8,
  totalBaseSell: 40,
  virtualBase: 48,
  virtualQuote: 56,
  realBase: 64,
  realQuote: 72,
  amountIn: 96,
  amountOut: 104,
  shareFee: 136,
  direction: 144,
  isExactIn: 146,
} as const;
/** Shorter events are older and do not say whether the order was exact-in. */
const LENGTH = 147;

export type LaunchLabBefore = Pick<
  LaunchLabState,
  "totalBaseSell" | "virtualBase" | "virtualQuote" | "realBase" | "realQuote"
>;

/** LaunchLab's trades. The event has the whole curve before the trade. */
export const launchLabSwaps: SwapReader<LaunchLabState, LaunchLabBefore> = {
  venue: raydiumLaunchLab,
  needsInstructions: false,
  read: (run) => eventsNamed(TRADE_EVENT, eventsOf(run)).map(readTrade),
  setBefore: (accounts, pool, before) =>
    accounts.patch(pool, [
      { offset: POOL.status, value: BigInt(POOL_STATUS.funding), width: 1 },
      { offset: POOL.total_base_sell, value: before.totalBaseSell },
      { offset: POOL.virtual_base, value: before.virtualBase },
      { offset: POOL.virtual_quote, value: before.virtualQuote },
      { offset: POOL.real_base, value: before.realBase },
      { offset: POOL.real_quote, value: before.realQuote },
    ]),
};

function readTrade(event: ByteReader): SwapSeen<LaunchLabBefore> {
  const pool = event.address(TRADE.pool);
  if (event.length < LENGTH) return { kind: "skipped", pool, reason: "old-event" };
  if (event.u64(TRADE.shareFee) > 0n) return { kind: "skipped", pool, reason: "other-terms" };
  if (!event.bool(TRADE.isExactIn)) return { kind: "skipped", pool, reason: "exact-out" };
  return {
    kind: "reported",
    pool,
    input: { side: event.u8(TRADE.direction) === 0 ? "b" : "a" },
    amountIn: event.u64(TRADE.amountIn),
    amountOut: event.u64(TRADE.amountOut),
    unixTimestamp: null,
    before: {
      totalBaseSell: event.u64(TRADE.totalBaseSell),
      virtualBase: event.u64(TRADE.virtualBase),
      virtualQuote: event.u64(TRADE.virtualQuote),
      realBase: event.u64(TRADE.realBase),
      realQuote: event.u64(TRADE.realQuote),
    },
  };
}
