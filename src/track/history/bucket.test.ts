import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MS_PER_DAY } from "#src/platform/clock.ts";
import { bucketOf, sampleSeries } from "#test/support/markets/sample-series.ts";
import { mergeBuckets, ROLLED_STEP_MS } from "./bucket.ts";
import { type HistoryPoint, historyOf } from "./history.ts";
import { packDay, unpackDay } from "./rolled-day.ts";
import { HOLDS_FOR_MS, SAMPLE_EVERY_MS, type Sample } from "./sample.ts";

const DAY = 20_000;
const START_MS = DAY * MS_PER_DAY;
const series = sampleSeries(START_MS - SAMPLE_EVERY_MS, { maxLength: 400 }).map((samples) =>
  samples.filter(({ atMs }) => atMs < START_MS + MS_PER_DAY),
);

/** The definition of the history, applied to every moment of the grid and one between each two. */
function pointByMoments(samples: readonly Sample[], startMs: number, atMs: number): HistoryPoint {
  const heldAt = (momentMs: number): Sample | null => {
    const last = samples.findLast((sample) => sample.atMs <= momentMs);
    return last !== undefined && momentMs - last.atMs <= HOLDS_FOR_MS ? last : null;
  };
  const moments: (Sample | null)[] = [];
  for (let momentMs = startMs; momentMs <= atMs; momentMs += SAMPLE_EVERY_MS / 2)
    moments.push(heldAt(momentMs));
  const lowest = (pick: (sample: Sample) => number | null): number | null => {
    const known = moments.flatMap((sample) => (sample && pick(sample)) ?? []);
    return known.length === 0 ? null : Math.min(...known);
  };
  const last = heldAt(atMs);
  return {
    atMs,
    c10Sol: last?.c10Sol ?? null,
    depthSol: last?.depthSol ?? null,
    lowestC10Sol: lowest(({ c10Sol }) => c10Sol),
    lowestDepthSol: lowest(({ depthSol }) => depthSol),
    isWhole: moments.every((sample) => sample !== null && sample.c10Sol !== null),
    mid: last?.mid ?? null,
    slippagesPct: last?.slippagesPct ?? [],
    confidence: last?.confidence ?? null,
  };
}

test("on each grid of five minutes a rolled day gives the history of its samples", () => {
  fc.assert(
    fc.property(series, fc.integer({ min: 1, max: 12 }), (samples, steps) => {
      const rolled = unpackDay(DAY, packDay(DAY, mergeBuckets(samples.map(bucketOf))));
      const stepMs = steps * ROLLED_STEP_MS;
      const query = { fromMs: START_MS - ROLLED_STEP_MS, toMs: START_MS + MS_PER_DAY, stepMs };
      const points = historyOf(rolled, query);
      assert.ok(points.length > 0);
      for (const point of points)
        assert.deepEqual(point, pointByMoments(samples, point.atMs - stepMs, point.atMs));
    }),
    { numRuns: 40 },
  );
});

test("parts of a series roll up to the same buckets in any order, also if repeated", () => {
  fc.assert(
    fc.property(series, fc.array(fc.nat(2), { minLength: 400, maxLength: 400 }), (samples, to) => {
      const buckets = samples.map(bucketOf);
      const part = (wanted: number) => mergeBuckets(buckets.filter((_, i) => to[i] === wanted));
      const whole = mergeBuckets(buckets);
      assert.deepEqual(mergeBuckets([...part(2), ...part(0), ...part(1), ...part(2)]), whole);
      assert.deepEqual(mergeBuckets([...whole, ...buckets, ...part(1)]), whole);
    }),
  );
});

test("a drain and a block within five minutes stay visible, and nothing unknown becomes a number", () => {
  const at = (seconds: number, change: Partial<Sample>): Sample => ({
    atMs: START_MS + 1_000 * seconds,
    ...{ c10Sol: 40, depthSol: 300, slippagesPct: [1, 1, 1, 1, 1, 1], mid: 1 },
    ...{ confidence: "high", basis: 1 },
    ...change,
  });
  const blocked = {
    c10Sol: null,
    depthSol: null,
    slippagePct: [null, null, null, null, null, null],
  };
  const rolled = mergeBuckets(
    [
      at(10, {}),
      at(100, { c10Sol: 0.25, depthSol: 3 }),
      at(130, {}),
      at(400, { ...blocked }),
      at(410, {}),
      at(700, { ...blocked }),
      at(1_000, { ...blocked }),
    ].map(bucketOf),
  );
  const query = { fromMs: START_MS, toMs: START_MS + 1_800_000, stepMs: ROLLED_STEP_MS };
  assert.deepEqual(
    historyOf(unpackDay(DAY, packDay(DAY, rolled)), query).map((point) => [
      ...[point.c10Sol, point.depthSol, point.lowestC10Sol, point.lowestDepthSol, point.isWhole],
    ]),
    [
      [40, 300, 0.25, 3, false],
      [40, 300, 40, 300, false],
      [null, null, 40, 300, false],
      [null, null, null, null, false],
      [null, null, null, null, false],
      [null, null, null, null, false],
    ],
  );
});
