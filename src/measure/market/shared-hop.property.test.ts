import assert from "node:assert/strict";
import { test } from "node:test";
import { between, seededRandom } from "#src/platform/seeded-random.ts";
import { USDC } from "#src/units/known-addresses.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import { marketOf, PLAIN_TOKEN, poolOfSol, usdcPool } from "#test/support/markets/markets.ts";
import { randomPool } from "#test/support/markets/random-pools.ts";
import { exitAt } from "../questions/exit-at.ts";

const PARTS = 400n;

type Scene = {
  /** Pools that pay USDC, and one that pays SOL. */
  readonly inUsdc: readonly QuotablePool[];
  readonly inSol: QuotablePool;
  readonly hop: QuotablePool;
};

/** Sold in so many parts, each where it adds the most SOL, the hop's price as it stands by then. */
function bruteForce({ inUsdc, inSol, hop }: Scene, amountIn: bigint): bigint | null {
  const pools = [...inUsdc, inSol];
  const sold = pools.map(() => 0n);
  const through = (usdc: bigint) => (usdc === 0n ? 0n : hop.quote(usdc));
  const usdcOf = (amounts: readonly bigint[]) =>
    inUsdc.reduce((sum, pool, index) => sum + quoteOrZero(pool, amounts[index] ?? 0n), 0n);
  const paidFor = (amounts: readonly bigint[]): bigint | null => {
    if (pools.some((pool, index) => isRefused(pool, amounts[index] ?? 0n))) return null;
    const viaHop = through(usdcOf(amounts));
    return viaHop === null ? null : viaHop + quoteOrZero(inSol, amounts.at(-1) ?? 0n);
  };
  let left = amountIn;
  let paid = 0n;
  while (left > 0n) {
    const part = left < amountIn / PARTS ? left : amountIn / PARTS;
    let best: { readonly index: number; readonly paid: bigint } | null = null;
    for (const index of pools.keys()) {
      const total = paidFor(sold.map((amount, at) => (at === index ? amount + part : amount)));
      if (total !== null && (best === null || total > best.paid)) best = { index, paid: total };
    }
    if (best === null) return null;
    sold[best.index] = (sold[best.index] ?? 0n) + part;
    paid = best.paid;
    left -= part;
  }
  return paid;
}

function quoteOrZero(pool: QuotablePool, amountIn: bigint): bigint {
  return amountIn === 0n ? 0n : (pool.quote(amountIn) ?? 0n);
}

function isRefused(pool: QuotablePool, amountIn: bigint): boolean {
  return amountIn > 0n && pool.quote(amountIn) === null;
}

test("pools that share a stable's hop are split within 0.01 % of brute force", () => {
  for (let seed = 1; seed <= 25; seed++) {
    const random = seededRandom(seed);
    const price = between(random, 1e-4, 1e2);
    const stablePool = () => ({ ...randomPool(random, price / 5), quoteMint: USDC });
    const scene: Scene = {
      inUsdc: [stablePool(), stablePool()],
      inSol: randomPool(random, price),
      hop: usdcPool(between(random, 5, 2_000)),
    };
    const market = marketOf([...scene.inUsdc, scene.inSol], {
      token: { ...PLAIN_TOKEN, supply: 2n ** 64n - 1n },
      hopPools: [scene.hop],
    });
    const size = BigInt(Math.floor(between(random, 0.5, 300) * 1e9));
    const exit = exitAt(market, size, "pro");
    if (exit.kind !== "sold") continue;
    const brute = bruteForce(scene, exit.baseUnitsSold);
    if (brute === null) continue;
    assert.ok(exit.paidLamports * 10_000n >= brute * 9_999n, `seed ${seed}`);
  }
});

test("a split through one hop never pays a lamport less than the best single route", () => {
  for (let seed = 1; seed <= 100; seed++) {
    const random = seededRandom(seed);
    const price = between(random, 1e-4, 10);
    const pools = Array.from({ length: 2 + Math.floor(3 * random()) }, (_, index) => {
      const sol = between(random, 10, 1_000_000);
      return poolOfSol(sol / 5, price / 5, { number: index + 1, quoteMint: USDC });
    });
    const token = { ...PLAIN_TOKEN, supply: 2n ** 63n };
    const market = marketOf(pools, { token, hopPools: [usdcPool(between(random, 1e3, 1e6))] });
    for (const size of [10_000_000n, 100_000_000n, 500_000_000n]) {
      const [pro, retail] = [exitAt(market, size, "pro"), exitAt(market, size, "retail")];
      assert.ok(pro.kind === "sold" && retail.kind === "sold");
      assert.ok(pro.paidLamports >= retail.paidLamports, `seed ${seed}, ${size}`);
    }
  }
});
