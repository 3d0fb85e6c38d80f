import type { Market } from "#src/measure/market/market.ts";
import { between, type Random } from "#src/platform/seeded-random.ts";
import { USDC } from "#src/units/known-addresses.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import { constantProductPool, poolAddress } from "../pools/pools.ts";
import { marketOf, PLAIN_TOKEN, usdcPool } from "./markets.ts";
import { randomPool } from "./random-pools.ts";

/** A market of one to four random pools near one price; at times one of them pays USDC. */
export function randomMarket(random: Random): Market {
  const price = random() < 0.3 ? 1 : between(random, 1e-5, 1e3);
  const count = 1 + Math.floor(4 * random());
  const pools: QuotablePool[] = Array.from({ length: count }, (_, index) => ({
    ...randomPool(random, price),
    address: poolAddress(index + 1),
  }));
  if (random() < 0.2) pools.push(poolInUsdc(random, price));
  const supply = BigInt(Math.floor(between(random, 1e12, 1e14) / price)) + 1n;
  return marketOf(pools, { token: { ...PLAIN_TOKEN, supply }, hopPools: [usdcPool()] });
}

function poolInUsdc(random: Random, price: number): QuotablePool {
  const lamports = between(random, 1e9, 1e12);
  return constantProductPool({
    number: 9,
    quoteMint: USDC,
    base: BigInt(Math.round(lamports / price)),
    quote: BigInt(Math.round(lamports / 5)),
  });
}
