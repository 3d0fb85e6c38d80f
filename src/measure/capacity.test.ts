import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { marketOf, PLAIN_TOKEN, poolOfSol, SOL } from "#test/support/markets.ts";
import { assess } from "./assess.ts";
import { capacityOf, type PaidSize } from "./capacity.ts";
import { exitWithin } from "./max-cost.ts";

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

test("the exit capacity is found where only sizes above the standard ones lose 10 % or less", () => {
  // A transfer fee of 20 % takes 10 SOL at most: 20.8 % of 50 SOL, and 10 % of some 420.
  const pool = poolOfSol(5_000);
  const left = (units: bigint) => {
    const fee = units / 5n;
    return fee < 10_000n * SOL ? units - fee : units - 10_000n * SOL;
  };
  const charged: typeof pool = {
    ...pool,
    cappedFee: { ppm: 200_000, terms: "input 2000/10000000000000" },
    quote: (units) => pool.quote(left(units)),
    quoteAscending: (units) => pool.quoteAscending(units.map(left)),
  };
  const token = { ...PLAIN_TOKEN, supply: 2n ** 62n };
  const market = marketOf([charged], { token });
  const { measurement } = assess(market);
  assert.ok(measurement !== null);
  const { c10Sol, pro } = measurement;
  assert.ok(pro.slippagesPct.every((pct) => pct !== null && pct > 20));
  const { exit } = exitWithin(market, 100_000n, "pro");
  assert.ok(exit.kind === "sold");
  const within = Number(exit.sizeLamports) / 1e9;
  assert.ok(c10Sol > 420 && Math.abs(c10Sol / within - 1) < 1e-6, `${c10Sol}, ${within}`);
});
