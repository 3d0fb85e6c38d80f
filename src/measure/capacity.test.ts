import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { capacityOf, type PaidSize } from "./capacity.ts";

const SOL = 1_000_000_000n;

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
});
