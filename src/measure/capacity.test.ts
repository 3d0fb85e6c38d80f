import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { minBigint } from "#src/units/integer.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import { marketOf, PLAIN_TOKEN, poolOfSol, SOL } from "#test/support/markets/markets.ts";
import { assess } from "./assess.ts";
import { capacityOf, type PaidSize } from "./capacity.ts";
import { exitWithin } from "./questions/max-cost.ts";

/** Pays `size * start / (1 + size / depth)`, refused from `end` on. */
function constantProduct(depthSol: number, kept = 0.997, end = 10n ** 18n) {
  let asked = 0;
  return {
    paidFor: (size: bigint): bigint | null => {
      asked++;
      if (size >= end) return null;
      return BigInt(Math.floor((Number(size) * kept) / (1 + Number(size) / (depthSol * 1e9))));
    },
    asked: () => asked,
  };
}

function known(paidFor: (size: bigint) => bigint | null): readonly PaidSize[] {
  return [SOL / 2n, SOL, 5n * SOL, 50n * SOL].map((sizeLamports) => ({
    sizeLamports,
    paidLamports: paidFor(sizeLamports),
  }));
}

describe("the exit capacity", () => {
  for (const depthSol of [0.002, 0.3, 7, 85, 412, 9_000]) {
    test(`of ${depthSol} SOL at constant product is found to a millionth, never above it`, () => {
      const { paidFor } = constantProduct(depthSol);
      const found = Number(capacityOf(known(paidFor), paidFor)) / 1e9;
      const exact = Math.min(1_000, depthSol * (0.997 / 0.9 - 1));
      assert.ok(found <= exact && found >= exact * (1 - 2e-6) - 5e-8, `${found} of ${exact}`);
    });
  }

  test("costs four quotes beyond the known ones on constant product", () => {
    const { paidFor, asked } = constantProduct(85);
    const start = known(paidFor);
    const before = asked();
    capacityOf(start, paidFor);
    assert.ok(asked() - before <= 4, String(asked() - before));
  });

  test("ends where the pools refuse, if that comes first", () => {
    const end = 3n * SOL + 7n;
    const { paidFor } = constantProduct(1_000, 0.997, end);
    const found = capacityOf(known(paidFor), paidFor);
    assert.ok(found < end && found > end - end / 5_000n);
  });

  test("is 1000 SOL where even that sells, and 0 where the fee alone is too much", () => {
    const deep = constantProduct(1e9).paidFor;
    assert.equal(capacityOf(known(deep), deep), 1_000n * SOL);
    const dear = constantProduct(1e9, 0.89).paidFor;
    assert.equal(capacityOf(known(dear), dear), 0n);
  });

  for (const depthSol of [370, 400, 450]) {
    test(`of ${depthSol} SOL is found where small sizes lose too much to a transfer fee with a maximum`, () => {
      const { paidFor: withoutFee, asked } = constantProduct(depthSol, 1);
      const left = (size: bigint) =>
        size - BigInt(Math.floor(Math.min(0.15 * Number(size), 0.9e9)));
      const paidFor = (size: bigint) => withoutFee(left(size));
      const sizes = [SOL / 2n, SOL, 2n * SOL, 5n * SOL, 10n * SOL, 50n * SOL];
      const start = sizes.map((sizeLamports) => ({
        sizeLamports,
        paidLamports: paidFor(sizeLamports),
      }));
      assert.ok(start.every((it) => Number(it.paidLamports) < 0.9 * Number(it.sizeLamports)));
      const before = asked();
      const found = capacityOf(start, paidFor);
      assert.ok(asked() - before <= 12, String(asked() - before));
      const loss = (size: number) => 1 - Number(paidFor(BigInt(Math.round(size)))) / size;
      assert.ok(found > 10n * SOL && loss(Number(found)) <= 0.1);
      assert.ok(loss(Number(found) * 1.000_002) > 0.1);
    });
  }
});

/** A pool of a token with a transfer fee of so much, and at most so many base units. */
function chargedPool(sol: number, ppm: bigint, mostUnits: bigint): QuotablePool {
  const pool = poolOfSol(sol);
  const left = (units: bigint) => units - minBigint((units * ppm) / 1_000_000n, mostUnits);
  return {
    ...pool,
    cappedFee: { ppm: Number(ppm), terms: `input ${ppm}/${mostUnits}` },
    quote: (units) => pool.quote(left(units)),
    quoteAscending: (units) => pool.quoteAscending(units.map(left)),
  };
}

test("the exit capacity is found where only sizes above or below the standard ones lose 10 % or less", () => {
  for (const [pool, leastSol, mostSol] of [
    // 20 %, and 10 SOL at most: 20.8 % of 50 SOL, and 10 % of some 420.
    [chargedPool(5_000, 200_000n, 10_000n * SOL), 420, 430],
    // 40 %, and 0.01 SOL at most: 10.3 % of 0.5 SOL.
    [chargedPool(5.4, 400_000n, 10n * SOL), 0.45, 0.5],
  ] as const) {
    const market = marketOf([pool], { token: { ...PLAIN_TOKEN, supply: 2n ** 62n } });
    const { measurement } = assess(market);
    assert.ok(measurement !== null);
    const { c10Sol, pro } = measurement;
    assert.ok(pro.slippagesPct.every((pct) => pct !== null && pct > 10));
    const { exit } = exitWithin(market, 100_000n, "pro");
    assert.ok(exit.kind === "sold");
    const within = Number(exit.sizeLamports) / 1e9;
    assert.ok(c10Sol > leastSol && c10Sol < mostSol, `${c10Sol}`);
    assert.ok(Math.abs(c10Sol / within - 1) < 1e-6, `${c10Sol}, ${within}`);
  }
});
