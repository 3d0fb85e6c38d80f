import assert from "node:assert/strict";
import { test } from "node:test";
import { assess } from "#src/measure/assess.ts";
import { marketOf, poolOfSol } from "#test/support/markets/markets.ts";
import { newOf, sampleOf } from "./sample.ts";

const OTHER = { family: "other", venue: "orca-whirlpool" } as const;

test("a sample of the family other says that its size rule left out a size; where nothing sells, none did", () => {
  const samples = [
    [poolOfSol(1_000, 0.001, OTHER)],
    [poolOfSol(1_000)],
    [poolOfSol(1_000, 0.001, { ...OTHER, realQuote: 0n })],
  ].map((pools) => sampleOf(assess(marketOf(pools)), 1_790_000_000_000, 1));
  assert.deepEqual(
    samples.map(({ hasSizeRule, slippagesPct }) => [hasSizeRule, slippagesPct[5] === null]),
    [
      [true, true],
      [undefined, false],
      [undefined, true],
    ],
  );
});

test("a size rule that begins or ends is news", () => {
  const [ruled, free] = [OTHER, {}].map((shape) =>
    sampleOf(assess(marketOf([poolOfSol(1, 0.001, shape)])), 1_790_000_000_000, 1),
  );
  assert.ok(ruled && free);
  const later = { ...free, confidence: ruled.confidence, slippagesPct: ruled.slippagesPct };
  assert.equal(newOf(ruled, later), later);
});
