import { type Address, address } from "#src/units/address.ts";
import type { VenueId } from "#src/venues/venue.ts";
import { STORIES, type Story } from "./demo-stories.ts";

/** A token of the demo market that can be asked for by name. */
export type DemoToken = {
  readonly mint: Address;
  readonly name: string;
  readonly symbol: string;
  /** What happens to it, one sentence. */
  readonly story: string;
};

export type PoolPlan = {
  /** The first of these that the demo market can play. */
  readonly venues: readonly VenueId[];
  readonly quote: "SOL" | "USDC";
  /** What the pool holds on the quote side, in SOL; a curve starts from its launch parameters. */
  readonly depthSol: number;
};

export type TokenPlan = DemoToken & {
  readonly kind: "classic" | "token-2022";
  readonly transferFeeBps: number;
  readonly pools: readonly PoolPlan[];
  readonly tradesPerMinute: number;
  readonly marketCapSol: number;
  readonly plot: Story;
};

const ANY_AMM: readonly VenueId[] = [
  "raydium-cpmm",
  "pumpswap",
  "meteora-damm-v2",
  "raydium-amm-v4",
];

/** Told apart at a glance, and the same in every run: the README names them. */
function demoMint(word: string): Address {
  return address(`Demo${word}`.padEnd(43, "1"));
}

function pool(venues: readonly VenueId[], depthSol: number, quote: PoolPlan["quote"] = "SOL") {
  return { venues, quote, depthSol };
}

type Sketch = Pick<TokenPlan, "name" | "symbol" | "story" | "pools"> & Partial<TokenPlan>;

function plan(word: string, sketch: Sketch): TokenPlan {
  return {
    mint: demoMint(word),
    kind: "classic",
    transferFeeBps: 0,
    tradesPerMinute: 12,
    marketCapSol: 5_000,
    plot: STORIES.steady,
    ...sketch,
  };
}

/** The named tokens and what becomes of them. Those whose programs are all missing are left out. */
export const TOKEN_PLANS: readonly TokenPlan[] = [
  plan("Steady", {
    name: "Steady Hand",
    symbol: "STEADY",
    story: "a deep pool with calm trading both ways",
    pools: [pool(["pumpswap", ...ANY_AMM], 420)],
  }),
  plan("Three", {
    name: "Three Doors",
    symbol: "THREE",
    story: "pools on three programs: a large exit is split",
    pools: [
      pool(["raydium-cpmm"], 180),
      pool(["meteora-dlmm", "meteora-damm-v2"], 90),
      pool(["raydium-clmm", "pumpswap", "raydium-amm-v4"], 60),
    ],
  }),
  plan("Buck", {
    name: "Quick Buck",
    symbol: "BUCK",
    story: "quoted in USDC: every exit goes on through a USDC pool into SOL",
    pools: [pool(["raydium-cpmm", "raydium-clmm", "raydium-amm-v4"], 200, "USDC")],
  }),
  plan("Curve", {
    name: "Bent But Bonded",
    symbol: "CURVE",
    story: "still on its launch curve, traded both ways",
    plot: STORIES.bonding,
    pools: [pool(["pump-curve", "raydium-launchlab", "meteora-dbc"], 0)],
  }),
  plan("Graduate", {
    name: "Cap And Gown",
    symbol: "GRAD",
    story: "bought until its curve is full, about ten minutes in, then moves to its pool",
    pools: [pool(["pump-curve", "raydium-launchlab", "meteora-dbc"], 0)],
    tradesPerMinute: 20,
    plot: STORIES.graduation,
  }),
  plan("Drain", {
    name: "Slow Leak",
    symbol: "LEAK",
    story: "its liquidity is taken out in small slices, from minute 6 to minute 30 of each hour",
    pools: [pool(ANY_AMM, 250)],
    plot: STORIES.drain,
  }),
  plan("Rug", {
    name: "Magic Carpet",
    symbol: "RUG",
    story: "all but a sliver is pulled in one transaction at minute 8 of each hour",
    pools: [pool(ANY_AMM, 150)],
    plot: STORIES.rug,
  }),
  plan("Tax", {
    name: "Death And Taxes",
    symbol: "TAX",
    story: "takes 3 % of every transfer for itself",
    kind: "token-2022",
    transferFeeBps: 300,
    pools: [pool(["raydium-cpmm", "raydium-clmm", "meteora-damm-v2"], 160)],
  }),
  plan("Quiet", {
    name: "Sunday Afternoon",
    symbol: "QUIET",
    story: "a good pool that nobody trades: quiet is not stale",
    pools: [pool(["raydium-amm-v4", ...ANY_AMM], 120)],
    tradesPerMinute: 0,
  }),
  plan("Thin", {
    name: "Thin Ice",
    symbol: "THIN",
    story: "a price like the others', and next to nothing behind it",
    pools: [pool(ANY_AMM, 2)],
    tradesPerMinute: 3,
    marketCapSol: 900,
  }),
  plan("Range", {
    name: "Home On The Range",
    symbol: "RANGE",
    story: "liquidity set by hand around the price",
    pools: [pool(["raydium-clmm"], 220)],
  }),
  plan("Bins", {
    name: "Bin There",
    symbol: "BINS",
    story: "liquidity in price bins, with a fee that follows volatility",
    pools: [pool(["meteora-dlmm"], 220)],
  }),
  plan("Sea", {
    name: "Open Sea",
    symbol: "SEA",
    story: "trades outside the three families: amm is otro",
    pools: [pool(["orca-whirlpool"], 220)],
  }),
  plan("Dbc", {
    name: "Curve Of Another Kind",
    symbol: "DBC",
    story: "on a curve of Meteora's",
    plot: STORIES.bonding,
    pools: [pool(["meteora-dbc"], 0)],
  }),
  plan("Launch", {
    name: "Letsgo",
    symbol: "LETSGO",
    story: "on a curve of LaunchLab's",
    plot: STORIES.bonding,
    pools: [pool(["raydium-launchlab"], 0)],
  }),
  plan("Dynamic", {
    name: "Dynamic Duo",
    symbol: "DUO",
    story: "one old and one new Meteora pool",
    pools: [pool(["meteora-damm-v2"], 140), pool(["meteora-damm-v1"], 70)],
  }),
  plan("Paused", {
    name: "Closed For Lunch",
    symbol: "PAUSE",
    story: "its pool's trading is switched off and on, five minutes each",
    pools: [pool(["raydium-cpmm", "raydium-amm-v4", "meteora-damm-v2"], 90)],
    plot: STORIES.pauses,
  }),
];

/** What can be asked for, for a log line, the README and the dashboard. */
export const DEMO_TOKENS: readonly DemoToken[] = TOKEN_PLANS.map(
  ({ mint, name, symbol, story }) => ({ mint, name, symbol, story }),
);
