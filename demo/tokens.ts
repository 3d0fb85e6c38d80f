import { type Address, address } from "#src/units/address.ts";
import type { VenueId } from "#src/venues/venue.ts";
import type { LockPlan } from "./locked-shares.ts";
import { STORIES, type Story } from "./stories.ts";

/** A token of the demo market that can be asked for by name. */
export type DemoToken = {
  readonly mint: Address;
  readonly name: string;
  readonly symbol: string;
  /** What happens to it, one sentence. */
  readonly story: { readonly en: string; readonly es: string };
};

export type PoolPlan = {
  /** The first of these that the demo market can play. */
  readonly venues: readonly VenueId[];
  readonly quote: "SOL" | "USDC";
  /** What the pool holds on the quote side, in SOL; a curve starts from its launch parameters. */
  readonly depthSol: number;
  /** The part of its liquidity shares that was thrown away at the opening, where these are tokens. */
  readonly burnedBps?: number;
  /** The part of the shares that the creator locked until a date, if shares are tokens. */
  readonly lock?: LockPlan;
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

/** Easy to distinguish, and the same in every run: the README names them. */
function demoMint(word: string): Address {
  return address(`Demo${word}`.padEnd(43, "1"));
}

function pool(venues: readonly VenueId[], depthSol: number, quote: PoolPlan["quote"] = "SOL") {
  return { venues, quote, depthSol };
}

/** The same pool with that part of its shares burned or locked. */
function burned(plan: PoolPlan, burnedBps: number): PoolPlan {
  return { ...plan, burnedBps };
}

/** The same pool with this part of its shares locked for this time. */
function locked(plan: PoolPlan, lock: LockPlan): PoolPlan {
  return { ...plan, lock };
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
    story: {
      en: "a deep pool with calm trading both ways",
      es: "un pool profundo, con compras y ventas tranquilas",
    },
    pools: [burned(pool(["pumpswap", ...ANY_AMM], 420), 6_000)],
  }),
  plan("Three", {
    name: "Three Doors",
    symbol: "THREE",
    story: {
      en: "pools on three programs: a large exit is split",
      es: "pools en tres programas: una salida grande se reparte",
    },
    pools: [
      burned(pool(["raydium-cpmm"], 180), 3_000),
      pool(["meteora-dlmm", "meteora-damm-v2"], 90),
      pool(["raydium-clmm", "pumpswap", "raydium-amm-v4"], 60),
    ],
  }),
  plan("Buck", {
    name: "Quick Buck",
    symbol: "BUCK",
    story: {
      en: "quoted in USDC: every exit goes on through a USDC pool into SOL",
      es: "cotiza en USDC: cada salida pasa después por un pool de USDC a SOL",
    },
    pools: [pool(["raydium-cpmm", "raydium-clmm", "raydium-amm-v4"], 200, "USDC")],
  }),
  plan("Curve", {
    name: "Bent But Bonded",
    symbol: "CURVE",
    story: {
      en: "still on its launch curve, traded both ways",
      es: "aún en su curva de lanzamiento, con compras y ventas",
    },
    plot: STORIES.bonding,
    pools: [pool(["pump-curve", "raydium-launchlab", "meteora-dbc"], 0)],
  }),
  plan("Graduate", {
    name: "Cap And Gown",
    symbol: "GRAD",
    story: {
      en: "bought until its curve is full, about ten minutes in, then moves to its pool",
      es: "se compra hasta llenar su curva, a los diez minutos, y pasa a su pool",
    },
    pools: [pool(["pump-curve", "raydium-launchlab", "meteora-dbc"], 0)],
    tradesPerMinute: 20,
    plot: STORIES.graduation,
  }),
  plan("Drain", {
    name: "Slow Leak",
    symbol: "LEAK",
    story: {
      en: "its liquidity is taken out in small slices, from minute 6 to minute 30 of each hour",
      es: "le retiran liquidez a pedazos, del minuto 6 al 30 de cada hora",
    },
    pools: [pool(ANY_AMM, 250)],
    plot: STORIES.drain,
  }),
  plan("Rug", {
    name: "Magic Carpet",
    symbol: "RUG",
    story: {
      en: "all but a sliver is pulled in one transaction at minute 8 of each hour",
      es: "en el minuto 8 de cada hora retiran casi todo en una transacción",
    },
    pools: [pool(ANY_AMM, 150)],
    plot: STORIES.rug,
  }),
  plan("Tax", {
    name: "Death And Taxes",
    symbol: "TAX",
    story: {
      en: "takes 3 % of every transfer for itself; most of its liquidity is locked until a date",
      es: "se queda con un 3 % de cada transferencia; casi toda su liquidez está bloqueada con fecha",
    },
    kind: "token-2022",
    transferFeeBps: 300,
    pools: [
      locked(pool(["raydium-cpmm", "raydium-clmm", "meteora-damm-v2"], 160), {
        bps: 8_000,
        days: 90,
      }),
    ],
  }),
  plan("Quiet", {
    name: "Sunday Afternoon",
    symbol: "QUIET",
    story: {
      en: "a good pool without trades: quiet is not stale",
      es: "un buen pool en el que nadie opera: quieto no es viejo",
    },
    pools: [burned(pool(["raydium-amm-v4", ...ANY_AMM], 120), 10_000)],
    tradesPerMinute: 0,
  }),
  plan("Thin", {
    name: "Thin Ice",
    symbol: "THIN",
    story: {
      en: "a price like the others', and next to nothing behind it",
      es: "un precio como los demás, y casi nada detrás",
    },
    pools: [pool(ANY_AMM, 2)],
    tradesPerMinute: 3,
    marketCapSol: 900,
  }),
  plan("Range", {
    name: "Home On The Range",
    symbol: "RANGE",
    story: {
      en: "liquidity set by hand around the price",
      es: "liquidez colocada a mano alrededor del precio",
    },
    pools: [pool(["raydium-clmm"], 220)],
  }),
  plan("Bins", {
    name: "Bin There",
    symbol: "BINS",
    story: {
      en: "liquidity in price bins, with a fee that follows volatility",
      es: "liquidez en cestas de precio, con comisión que sigue la volatilidad",
    },
    pools: [pool(["meteora-dlmm"], 220)],
  }),
  plan("Sea", {
    name: "Open Sea",
    symbol: "SEA",
    story: {
      en: "trades on Orca alone, outside the three large families",
      es: "cotiza solo en Orca, fuera de las tres grandes familias",
    },
    pools: [pool(["orca-whirlpool"], 160), pool(["orca-whirlpool-immutable"], 60)],
  }),
  plan("Dbc", {
    name: "Curve Of Another Kind",
    symbol: "DBC",
    story: {
      en: "on a curve of Meteora's",
      es: "en una curva de Meteora",
    },
    plot: STORIES.bonding,
    pools: [pool(["meteora-dbc"], 0)],
  }),
  plan("Launch", {
    name: "Letsgo",
    symbol: "LETSGO",
    story: {
      en: "on a curve of LaunchLab's",
      es: "en una curva de LaunchLab",
    },
    plot: STORIES.bonding,
    pools: [pool(["raydium-launchlab"], 0)],
  }),
  plan("Dynamic", {
    name: "Dynamic Duo",
    symbol: "DUO",
    story: {
      en: "one old and one new Meteora pool",
      es: "un pool de Meteora antiguo y otro nuevo",
    },
    pools: [pool(["meteora-damm-v2"], 140), pool(["meteora-damm-v1"], 70)],
  }),
  plan("Paused", {
    name: "Closed For Lunch",
    symbol: "PAUSE",
    story: {
      en: "its pool's trading is switched off and on, five minutes each",
      es: "su pool se pausa y se reabre, cinco minutos cada vez",
    },
    pools: [pool(["raydium-cpmm", "raydium-amm-v4", "meteora-damm-v2"], 90)],
    plot: STORIES.pauses,
  }),
];

/** What can be asked for, for a log line, the README and the dashboard. */
export const DEMO_TOKENS: readonly DemoToken[] = TOKEN_PLANS.map(
  ({ mint, name, symbol, story }) => ({ mint, name, symbol, story }),
);
