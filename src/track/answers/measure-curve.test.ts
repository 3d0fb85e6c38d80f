import assert from "node:assert/strict";
import { test } from "node:test";
import type { Market } from "#src/measure/market/market.ts";
import { exitAt } from "#src/measure/questions/exit-at.ts";
import { CURVE_SIZES_LAMPORTS } from "#src/measure/questions/exit-curve.ts";
import { marketOf, PLAIN_TOKEN, poolOfSol, SOL } from "#test/support/markets/markets.ts";
import { measureCurve } from "./measure-curve.ts";

function curveOf(market: Market) {
  return measureCurve(market, (measure) => measure(market));
}

test("each point of a curve loses what a sale of its size loses", async () => {
  const market = marketOf([poolOfSol(100), poolOfSol(50, 0.001, { number: 2 })]);
  const { slot, stateTimeMs, isBlocked, slippagesPct } = await curveOf(market);
  assert.deepEqual([slot, stateTimeMs], [market.slot, market.stateTimeMs]);
  assert.equal(isBlocked, false);
  for (const profile of ["retail", "pro"] as const) {
    const alone = CURVE_SIZES_LAMPORTS.map((size) => {
      const exit = exitAt(market, size, profile);
      return exit.kind === "sold" ? exit.slippagePct : null;
    });
    assert.deepEqual(slippagesPct[profile], alone);
  }
});

test("a point is null where its size is more than there is of the token, and all are where it is blocked", async () => {
  // Worth 50 SOL.
  const token = { ...PLAIN_TOKEN, supply: 50_000_000_000_000n };
  const { retail, pro } = (await curveOf(marketOf([poolOfSol(100)], { token }))).slippagesPct;
  const isLarger = CURVE_SIZES_LAMPORTS.map((size) => size > 50n * SOL);
  for (const points of [retail, pro])
    assert.deepEqual(
      points.map((point) => point === null),
      isLarger,
    );
  const blocked = await curveOf(marketOf([poolOfSol(100)], { token: null }));
  assert.deepEqual(new Set(blocked.slippagesPct.pro), new Set([null]));
  assert.equal(blocked.isBlocked, true);
});
