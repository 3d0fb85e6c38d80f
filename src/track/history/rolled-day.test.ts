import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bucketOf, sampleSeries } from "#test/support/markets/sample-series.ts";
import { mergeBuckets } from "./bucket.ts";
import { packDay, unpackDay } from "./rolled-day.ts";
import type { Sample } from "./sample.ts";

const DAY = 20_000;
const START_MS = DAY * 86_400_000;

function quiet(step: number, change: Partial<Sample> = {}): Sample {
  return {
    atMs: START_MS + step * 300_000 + 70_000,
    ...{ c10Sol: 7, depthSol: 80, slippagesPct: [1, 2, 3, 4, 5, null], mid: 0.5 },
    ...{ confidence: "high", basis: 1_790_000_000 },
    ...change,
  };
}

test("unpacking a packed day returns the same buckets", () => {
  const day = sampleSeries(START_MS - 10_000, { maxLength: 1_000 });
  fc.assert(
    fc.property(day, (samples) => {
      const ofDay = samples.filter(({ atMs }) => atMs < START_MS + 86_400_000);
      const buckets = mergeBuckets(ofDay.map(bucketOf));
      assert.deepEqual(unpackDay(DAY, packDay(DAY, buckets)), buckets);
    }),
    { numRuns: 100 },
  );
});

test("a day without a change takes about fifty bytes, a change of its price eight more", () => {
  const samples = Array.from({ length: 288 }, (_, step) => quiet(step));
  const bytes = (of: readonly Sample[]) => packDay(DAY, of.map(bucketOf)).length;
  const unchanged = bytes(samples);
  assert.ok(unchanged < 60, `${unchanged} bytes`);
  const moved = samples.map((sample, step) => (step < 100 ? sample : { ...sample, mid: 0.6 }));
  assert.equal(bytes(moved) - unchanged, 8);
});

test("a token that is blocked all day takes no more bytes than another token", () => {
  const blocked = { c10Sol: null, depthSol: null };
  const samples = Array.from({ length: 288 }, (_, step) => quiet(step, blocked));
  assert.ok(packDay(DAY, samples.map(bucketOf)).length < 60);
});

test("damaged bytes never throw, and never give a time outside of the day", () => {
  const check = (bytes: Uint8Array) => {
    for (const { last } of unpackDay(DAY, bytes))
      assert.ok(last.atMs >= START_MS - 300_000 && last.atMs <= START_MS + 86_400_000 + 2_600_000);
  };
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), check));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => check(Uint8Array.of(1, ...bytes))),
  );
  const packed = packDay(DAY, [bucketOf(quiet(0)), bucketOf(quiet(9, { mid: 3 }))]);
  for (let length = 0; length < packed.length; length++)
    assert.deepEqual(unpackDay(DAY, packed.subarray(0, length)), []);
});
