import type { Address } from "#src/units/address.ts";
import { isStable, WSOL } from "#src/units/known-addresses.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import { deepestRoute, type Way, weighRoutes } from "./route.ts";

/** How a mint is sold for SOL: the pools in order; none for SOL itself, null where no way is known. */
export type WayToSol = readonly QuotablePool[] | null;

/** How many hops may follow, and how many of them only as a chain of pump's own pools. */
type HopsLeft = { readonly any: number; readonly pump: number };

const MOST_HOPS = 2;
const MOST_PUMP_HOPS = 5;

/**
 * Finds the hops behind a pool of the token (method.md section 1): a stable through its deepest SOL
 * pool, any other mint through its own best route by near depth, with at most one more hop; coins
 * that are quoted in pump coins through at most five more pools of pump's, and a stable or priced token
 * behind them through one pool more.
 */
export class WaysToSol {
  readonly #poolsByMint: ReadonlyMap<Address, readonly QuotablePool[]>;
  readonly #found = new Map<string, WayToSol>();
  readonly #token: Address;

  /** @param hopPools pools that sell other mints than the token */
  constructor(token: Address, hopPools: readonly QuotablePool[]) {
    this.#token = token;
    this.#poolsByMint = Map.groupBy(hopPools, ({ baseMint }) => baseMint);
  }

  /** The hops that sell what a pool pays; null where it pays in something without a modelled way to SOL. */
  after({ quoteMint, family }: Pick<QuotablePool, "quoteMint" | "family">): WayToSol {
    if (quoteMint === WSOL) return [];
    // A stable counts through its SOL pools alone, as a token too.
    if (isStable(this.#token)) return null;
    const left = { any: MOST_HOPS, pump: family === "pump" ? MOST_PUMP_HOPS : 0 };
    const key = `${quoteMint} ${left.pump}`;
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const way = this.#best(quoteMint, left, new Set([this.#token]));
    this.#found.set(key, way);
    return way;
  }

  #best(mint: Address, left: HopsLeft, visited: ReadonlySet<Address>): WayToSol {
    if (mint === WSOL) return [];
    if (visited.has(mint)) return null;
    const passed = new Set([...visited, mint]);
    const ways: Way[] = [];
    for (const pool of this.#poolsByMint.get(mint) ?? []) {
      if (isStable(mint) && pool.quoteMint !== WSOL) continue;
      const next = hopsLeftAfter(pool, left);
      const hops = next === null ? null : this.#best(pool.quoteMint, next, passed);
      if (hops !== null) ways.push({ pool, hops });
    }
    const best = ways.length < 2 ? ways[0] : (deepestRoute(weighRoutes(ways)) ?? shutWay(ways));
    return best === undefined ? null : [best.pool, ...best.hops];
  }
}

/**
 * Of ways that pay nothing: one that is open and empty, else one that is paused and may pay again. A pool that a
 * third party creates, or a curve that has closed, does not hide a hop that was drained.
 */
function shutWay(ways: readonly Way[]): Way | undefined {
  const statusesOf = ({ pool, hops }: Way) => [pool, ...hops].map(({ status }) => status);
  return (
    ways.find((way) => statusesOf(way).every((status) => status === "open")) ??
    ways.find((way) => statusesOf(way).includes("paused")) ??
    ways[0]
  );
}

/** What is left after a hop through `pool`; null where it may not be taken. */
function hopsLeftAfter(pool: QuotablePool, { any, pump }: HopsLeft): HopsLeft | null {
  const isChain = pool.family === "pump" && pump > 0;
  if (any === 0 && !isChain) return null;
  // A chain may end in a stable or another priced token: one hop of any kind is left behind it.
  return isChain
    ? { any: Math.max(1, any - 1), pump: pump - 1 }
    : { any: Math.max(0, any - 1), pump: 0 };
}
