import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { seededRandom } from "#src/platform/seeded-random.ts";
import { logCapacity } from "./capacity-series.ts";
import {
  emptyTrendWindow,
  pushTrendSample,
  type TrendWindow,
  trendOf,
  trendSpanSeconds,
} from "./trend.ts";

const START = 1_790_000_000_000;

/** A window of samples every 10 s; null leaves one out. */
function windowOf(capacities: readonly (number | null)[]) {
  const window = emptyTrendWindow(1);
  for (const [index, c10Sol] of capacities.entries())
    pushTrendSample(window, { timeMs: START + 10_000 * index, c10Sol, basis: 1 });
  return window;
}

/** Gaussian, by the sum of twelve. */
function chance(random: () => number): number {
  let sum = -6;
  for (let draw = 0; draw < 12; draw++) sum += random();
  return sum;
}

const line = (count: number, pctPerHour: number) =>
  Array.from({ length: count }, (_, index) => 10 * (1 + pctPerHour / 100) ** (index / 360));

test("a steady change of 10 % an hour is a trend, and one of 9 % is not", () => {
  assert.equal(trendOf(windowOf(line(180, 10.1))), "improving");
  assert.equal(trendOf(windowOf(line(180, -10.1))), "deteriorating");
  assert.equal(trendOf(windowOf(line(180, 9))), "stable");
  assert.equal(trendOf(windowOf(line(180, -9))), "stable");
});

test("less than five minutes of samples are stable, however steep", () => {
  assert.equal(trendOf(windowOf(line(30, -99))), "stable");
  assert.equal(trendOf(windowOf(line(31, -99))), "deteriorating");
  assert.equal(trendOf(emptyTrendWindow(1)), "stable");
});

test("one outlier is not a trend", () => {
  const calm = line(180, 0).map((capacity, index) => (index === 90 ? capacity / 5 : capacity));
  assert.equal(trendOf(windowOf(calm)), "stable");
});

test("a driftless random walk is called a trend about one time in twenty", () => {
  const random = seededRandom(11);
  let called = 0;
  for (let walk = 0; walk < 400; walk++) {
    let log = 2;
    const samples = Array.from({ length: 180 }, () => {
      log += 0.02 * chance(random);
      return Math.exp(log);
    });
    if (trendOf(windowOf(samples)) !== "stable") called++;
  }
  assert.ok(called >= 8 && called <= 36, `${called} of 400`);
});

test("only the last half hour counts", () => {
  const samples = [...line(180, -90), ...Array.from({ length: 180 }, () => 1)];
  assert.equal(trendOf(windowOf(samples)), "stable");
});

test("a trend ends in a gap, once less than five minutes of the last half hour are known", () => {
  const gap = (minutes: number) => Array.from({ length: 6 * minutes }, () => null);
  assert.equal(trendOf(windowOf([...line(180, -50), ...gap(24)])), "deteriorating");
  assert.equal(trendOf(windowOf([...line(180, -50), ...gap(26)])), "stable");
  assert.deepEqual(windowOf([...line(180, -50), ...gap(60)]), emptyTrendWindow(1));
});

test("missing samples change nothing of a line, and samples of another basis are not compared", () => {
  const holey = line(180, 30).map((capacity, index) => (index % 3 === 0 ? capacity : null));
  assert.equal(trendOf(windowOf(holey)), "improving");
  const moved = windowOf(line(180, 0));
  pushTrendSample(moved, { timeMs: START + 1_800_000, c10Sol: 0.5, basis: 2 });
  assert.equal(trendSpanSeconds(moved), 0);
  assert.equal(trendOf(moved), "stable");
});

test("a window has the newest sample of each ten seconds of the last half hour, in runs of equal ones", () => {
  const steps = fc.array(
    fc.record({
      jump: fc.oneof(fc.constant(0), fc.constant(1), fc.nat(200)),
      c10Sol: fc.oneof(fc.constant(null), fc.constantFrom(1, 2), fc.nat(5)),
    }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(steps, (pushed) => {
      const window = emptyTrendWindow(1);
      let known = new Map<number, number>();
      let interval = START / 10_000;
      for (const { jump, c10Sol } of pushed) {
        interval += jump;
        pushTrendSample(window, { timeMs: 10_000 * interval, c10Sol, basis: 1 });
        if (c10Sol !== null) known.set(interval, Math.fround(logCapacity(c10Sol)));
        known = new Map([...known].filter(([at]) => at > interval - 180));
        assert.deepEqual(samplesOf(window), [...known]);
      }
    }),
  );
});

/** The intervals of a window that have a sample, with its value. */
function samplesOf({ first, end, runs }: TrendWindow): readonly (readonly [number, number])[] {
  const samples: (readonly [number, number])[] = [];
  let interval = first;
  for (let run = 0; run < runs.length; run += 2) {
    const value = runs[run] ?? Number.NaN;
    for (; interval <= (runs[run + 1] ?? end); interval++)
      if (!Number.isNaN(value)) samples.push([interval, value]);
  }
  return samples;
}

test("a capacity of zero stands for the least one, and an older sample changes nothing", () => {
  const window = windowOf([1, 1, 0]);
  const logs = window.runs.filter((_, place) => place % 2 === 0);
  assert.ok(logs.every((log) => !(log < Math.log(0.009))));
  const before = { ...window };
  pushTrendSample(window, { timeMs: START, c10Sol: 50, basis: 1 });
  assert.deepEqual(window, before);
});
