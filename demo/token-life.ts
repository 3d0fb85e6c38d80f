import type { Ledger } from "#src/node/ledger.ts";
import { SLOT_MS } from "#src/node/slot-clock.ts";
import type { Address } from "#src/units/address.ts";
import { LAMPORTS_PER_SOL } from "#src/units/amounts.ts";
import { toNumber } from "#src/units/to-number.ts";
import { type DemoPool, quoteUnitsPerLamport, tradeInPool, viewPool } from "./pool.ts";
import type { SeededRandom } from "./seeded-random.ts";
import type { Scene, Story } from "./stories.ts";

/** A token that the demo market keeps alive. */
export type LiveToken = {
  readonly mint: Address;
  readonly plot: Story;
  readonly bornAtSlot: bigint;
  /** Lamports per base unit at creation; null: the start price of its curve. */
  firstPrice: number | null;
  readonly pools: DemoPool[];
  /** All that was made for it, and goes with it. */
  readonly accounts: Set<Address>;
  tradesPerMinute: number;
  /** How far opinion strays from what its story says, in logarithms, and when that was so. */
  mood: { readonly value: number; readonly atSlot: bigint };
  /** The slot at which its complete curve moves to a pool; null: none is complete. */
  graduatesAtSlot: bigint | null;
};

const MOOD_DEVIATION = 0.04;
const MOOD_MEMORY_SLOTS = 3_000;
/** The median trade as a share of what a pool can pay, its spread, and the least and most of one. */
const TRADE = { medianShare: 0.002, spread: 0.9, leastSol: 0.02, mostShare: 0.05, curveSol: 0.6 };
/** How strongly a price away from opinion decides the side. */
const PULL = 4;
/** No trades are made in a pool below this share of a SOL. */
const DEAD_BELOW_SOL = 0.01;

/** Who trades next, by how often each is traded. */
export type TradeLottery = {
  readonly perMinute: number;
  /** `at` is 0 up to 1; null where nothing is traded. */
  readonly draw: (at: number) => LiveToken | null;
};

export function tradeLottery(tokens: readonly LiveToken[]): TradeLottery {
  const ends: number[] = [];
  let perMinute = 0;
  for (const { tradesPerMinute } of tokens) {
    perMinute += tradesPerMinute;
    ends.push(perMinute);
  }
  const draw = (at: number): LiveToken | null => {
    const aim = at * perMinute;
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) > aim) high = middle;
      else low = middle + 1;
    }
    return tokens[low] ?? null;
  };
  return { perMinute, draw };
}

export function sceneOf(token: LiveToken, slot: bigint): Scene {
  return token.plot((toNumber(slot - token.bornAtSlot) * SLOT_MS) / 60_000);
}

/** A trade in one of the token's pools, or none. */
export function tradeOnce(
  ledger: Ledger,
  token: LiveToken,
  random: SeededRandom,
  users: readonly Address[],
): void {
  const pool = token.pools[Math.floor(random.uniform() * token.pools.length)];
  const user = users[Math.floor(random.uniform() * users.length)];
  if (pool === undefined || user === undefined) return;
  const view = viewPool(ledger, pool);
  if (view === null || view.status !== "open") return;
  const perLamport = quoteUnitsPerLamport(pool.quoteMint);
  const lamportsPerSol = toNumber(LAMPORTS_PER_SOL);
  const isCurve = pool.venue.kind === "curve";
  const { spot } = view;
  if (spot !== null && token.firstPrice === null) token.firstPrice = spot / perLamport;
  const reachableSol = view.reachable / perLamport / lamportsPerSol;
  if (!isCurve && (spot === null || reachableSol < DEAD_BELOW_SOL)) return;

  const worth = (token.firstPrice ?? 0) * sceneOf(token, ledger.clock.slot).worth;
  const opinion = worth * Math.exp(moodAt(token, ledger.clock.slot, random));
  // A curve that has sold nothing has no price to sell at: its first trader buys.
  const gap = spot === null ? 1 : Math.log((opinion * perLamport) / spot);
  const side = random.uniform() < clamp(0.5 + PULL * gap, 0.03, 0.97) ? "buy" : "sell";
  const median = isCurve ? TRADE.curveSol : reachableSol * TRADE.medianShare;
  const ownSol = median * Math.exp(TRADE.spread * random.normal());
  const correctingSol = isCurve ? 0 : 0.2 * Math.abs(gap) * reachableSol;
  const mostSol = isCurve
    ? side === "buy"
      ? 5 * TRADE.curveSol
      : 0.2 * reachableSol
    : TRADE.mostShare * reachableSol;
  const sol = Math.min(Math.max(ownSol, correctingSol, TRADE.leastSol), mostSol);
  const quoteUnits = sol * lamportsPerSol * perLamport;
  const units = side === "buy" ? quoteUnits : quoteUnits / (spot ?? 1);
  if (!(units >= 1)) return;
  tradeInPool(ledger, pool, { side, amountIn: BigInt(Math.floor(units)), user }, random);
}

/** Opinion wanders around what the story says and is drawn back to it (an Ornstein-Uhlenbeck process). */
function moodAt(token: LiveToken, slot: bigint, random: SeededRandom): number {
  const { value, atSlot } = token.mood;
  const kept = Math.exp(-toNumber(slot - atSlot) / MOOD_MEMORY_SLOTS);
  const next = value * kept + MOOD_DEVIATION * Math.sqrt(1 - kept * kept) * random.normal();
  token.mood = { value: next, atSlot: slot };
  return next;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
