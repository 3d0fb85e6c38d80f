import assert from "node:assert/strict";
import { test } from "node:test";
import {
  capacityOf,
  curveWith,
  poolWith,
  setFee,
  slippageOf,
  trade,
  type VirtualMarket,
  withdraw,
} from "#bench/detection/virtual-market.ts";
import { assess } from "#src/measure/assess.ts";
import { exitAt } from "#src/measure/questions/exit-at.ts";
import { marketOf } from "#test/support/markets/markets.ts";
import { constantProductPool } from "#test/support/pools/pools.ts";

function realMarket({ quote, base, real, feePpm }: VirtualMarket) {
  return marketOf([
    constantProductPool({
      base: BigInt(Math.round(base * 1e8)),
      quote: BigInt(Math.round(quote * 1e9)),
      realQuote: BigInt(Math.round(real * 1e9)),
      feePpm,
    }),
  ]);
}

function assertAlike(virtual: VirtualMarket): void {
  const market = realMarket(virtual);
  const { measurement } = assess(market);
  assert.ok(measurement);
  const near = (a: number, b: number) => Math.abs(a - b) <= 2e-4 * Math.max(a, b) + 1e-6;
  assert.ok(near(measurement.c10Sol, capacityOf(virtual)), `${measurement.c10Sol}`);
  const exit = exitAt(market, 5_000_000_000n, "pro");
  const slippage = exit.kind === "sold" ? exit.slippagePct : 100;
  assert.ok(near(slippage, slippageOf(virtual, 5)), `${slippage} ${slippageOf(virtual, 5)}`);
}

test("a virtual pool has the capacity and slippage that assess() gives the same pool", () => {
  const pool = poolWith(80);
  assertAlike(pool);
  trade(pool, 30);
  assertAlike(pool);
  trade(pool, -200);
  assertAlike(pool);
  withdraw(pool, 0.9);
  assertAlike(pool);
  setFee(pool, 60_000);
  assertAlike(pool);
});

test("a virtual curve runs out of real quote at the point that assess() computes", () => {
  for (const raised of [0.4, 2, 12, 60]) assertAlike(curveWith(raised));
});
