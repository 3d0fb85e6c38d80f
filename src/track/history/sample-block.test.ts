import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bucketOf } from "#test/support/markets/sample-series.ts";
import { gridOf, historyOf, MAX_POINTS } from "./history.ts";
import { newOf, type Sample } from "./sample.ts";
import { rollHour, SampleBlock, unpackHour } from "./sample-block.ts";

const HOUR = 500_000;
const START_MS = HOUR * 3_600_000;

const figure = fc.oneof(
  fc.constant(null),
  fc.float({ noNaN: true, noDefaultInfinity: true, min: 0, max: 1e6 }),
);
const samples: fc.Arbitrary<readonly Sample[]> = fc
  .array(
    fc.record({
      c10Sol: figure,
      depthSol: figure,
      slippagesPct: fc.array(figure, { minLength: 6, maxLength: 6 }),
      mid: figure,
      confidence: fc.constantFrom("high" as const, "medium" as const, "low" as const),
      basis: fc.nat(2 ** 32 - 1),
      hasSizeRule: fc.option(fc.constant(true as const), { nil: undefined }),
    }),
    { maxLength: 360 },
  )
  .map((parts) =>
    parts.map(({ hasSizeRule, ...part }, index) => ({
      ...{ ...part, atMs: START_MS + index * 10_000 },
      ...(hasSizeRule === undefined ? {} : { hasSizeRule }),
    })),
  );

function sampleAt(atMs: number, c10Sol: number | null): Sample {
  return {
    atMs,
    c10Sol,
    depthSol: c10Sol,
    slippagesPct: [1, 2, 3, 4, 5, null],
    mid: 0.5,
    confidence: "high",
    basis: 1,
  };
}

test("an hour is unpacked as it was packed", () => {
  fc.assert(
    fc.property(samples, (packed) => {
      const block = new SampleBlock(HOUR);
      for (const sample of packed) block.add(sample);
      assert.deepEqual(unpackHour(HOUR, block.data), packed);
    }),
    { numRuns: 50 },
  );
});

test("blocks that receive samples in turn keep their own, and data that was taken stays as it was", () => {
  const blocks = [new SampleBlock(HOUR), new SampleBlock(HOUR)];
  const added = (place: number, count: number) =>
    Array.from({ length: count }, (_, index) =>
      sampleAt(START_MS + 10_000 * index, 10 * place + index),
    );
  const add = (index: number) => {
    for (const [place, block] of blocks.entries())
      block.add(sampleAt(START_MS + 10_000 * index, 10 * place + index));
  };
  add(0);
  const taken = blocks.map(({ data }) => data);
  for (let index = 1; index < 8; index++) add(index);
  for (const [place, block] of blocks.entries()) {
    assert.deepEqual(unpackHour(HOUR, block.data), added(place, 8));
    assert.deepEqual(unpackHour(HOUR, taken[place] ?? new Uint8Array()), added(place, 1));
  }
});

test("an hour is read in its own format alone: bytes of another version hold no sample", () => {
  // Time 3, then the bits of C10, confidence and basis, and these.
  const bytes = [3, 0, 1, 6, 0, 0, 128, 63, 1, 9, 0, 0, 0];
  const slippagesPct = [null, null, null, null, null, null];
  assert.deepEqual(unpackHour(HOUR, new Uint8Array([2, ...bytes])), [
    {
      atMs: START_MS + 30_000,
      ...{ c10Sol: 1, depthSol: null, slippagesPct, mid: null },
      ...{ confidence: "medium", basis: 9 },
    },
  ]);
  assert.deepEqual(unpackHour(HOUR, new Uint8Array([1, ...bytes])), []);
});

test("a truncated hour gives the samples before the end, and garbage never throws", () => {
  const block = new SampleBlock(HOUR);
  for (let index = 0; index < 5; index++) block.add(sampleAt(START_MS + index * 10_000, index));
  const whole = unpackHour(HOUR, block.data);
  for (let length = 0; length < block.data.length; length++) {
    const part = unpackHour(HOUR, block.data.subarray(0, length));
    assert.deepEqual(part, whole.slice(0, part.length));
  }
  fc.assert(fc.property(fc.uint8Array(), (bytes) => void unpackHour(HOUR, bytes)));
});

test("on a coarser grid one bucket of each step is returned, and history is the same", () => {
  fc.assert(
    fc.property(samples, fc.integer({ min: 1, max: 60 }), (packed, steps) => {
      const block = new SampleBlock(HOUR);
      for (const sample of packed) block.add(sample);
      const query = {
        fromMs: START_MS - 7_000,
        toMs: START_MS + 3_600_000,
        stepMs: steps * 10_000,
      };
      const thinned = rollHour(HOUR, block.data, query);
      assert.ok(thinned.length <= 3_607_000 / query.stepMs + 1);
      assert.deepEqual(historyOf(thinned, query), historyOf(rollHour(HOUR, block.data), query));
    }),
    { numRuns: 50 },
  );
});

test("a price that moves alone is stored in eight bytes, beside the figures before it", () => {
  const first = sampleAt(START_MS, 1);
  assert.equal(newOf(first, { ...first, atMs: START_MS + 10_000, c10Sol: 1.001 }), null);
  const moved = { ...first, atMs: START_MS + 10_000, c10Sol: 1.001, mid: 0.5001 };
  assert.equal(newOf(first, { ...moved, mid: 0.500_04 }), null);
  const stored = newOf(first, moved);
  assert.deepEqual(stored, { ...first, atMs: START_MS + 10_000, mid: 0.5001 });
  const block = new SampleBlock(HOUR);
  block.add(first);
  const before = block.data.length;
  block.add(stored ?? first);
  assert.equal(block.data.length - before, 8);
  assert.equal(newOf(first, { ...moved, c10Sol: 1.003 })?.c10Sol, 1.003);
});

test("a quiet hour takes about a hundred bytes", () => {
  const block = new SampleBlock(HOUR);
  for (let index = 0; index < 12; index++) block.add(sampleAt(START_MS + index * 300_000, 7));
  assert.ok(block.data.length < 120, `${block.data.length} bytes`);
});

test("a sample holds until the next, and unknown time is null, never zero", () => {
  const series = [sampleAt(START_MS, 10), sampleAt(START_MS + 300_000, 5)];
  const points = historyOf(series.map(bucketOf), {
    fromMs: START_MS - 60_000,
    toMs: START_MS + 900_000,
    stepMs: 60_000,
  });
  assert.deepEqual(
    points.map(({ c10Sol }) => c10Sol),
    [10, 10, 10, 10, 10, 5, 5, 5, 5, 5, 5, null, null, null, null, null],
  );
});

test("a long range gets longer steps, never more points", () => {
  const nowMs = 500 * 86_400_000;
  for (const fromMs of [0, 86_400_001, nowMs - 86_400_000]) {
    const grid = gridOf({ fromMs, toMs: nowMs, stepMs: 1 }, nowMs);
    assert.ok(historyOf([], grid).length <= MAX_POINTS);
  }
});
