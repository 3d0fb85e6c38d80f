import assert from "node:assert/strict";
import { test } from "node:test";
import { MS_PER_DAY } from "#src/platform/clock.ts";
import { type Random, seededRandom } from "#src/platform/seeded-random.ts";
import { dayGridOf, pastDayOf } from "./past-day.ts";
import { resilienceOf } from "./resilience.ts";
import type { Sample } from "./sample.ts";

const TO_MS = 1_800_000_000_000;
const RANGE = { fromMs: TO_MS - MS_PER_DAY, toMs: TO_MS };
const STEP_MS = 10_000;
const SEEDS = 5;

/** A constant-product pool of so much SOL: the price goes with the square of its SOL. */
function sampleOf(step: number, sol: number, change: Partial<Sample> = {}): Sample {
  const slippagesPct = [0.5, 1, 2, 5, 10, 50].map((size) => (100 * size) / (sol + size));
  return {
    atMs: RANGE.fromMs + (step + 1) * STEP_MS,
    ...{ c10Sol: sol / 9, depthSol: sol, slippagesPct, mid: sol * sol * 1e-8 },
    ...{ confidence: "high", basis: 1 },
    ...change,
  };
}

function gaussian(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Sells of 6 to 30 % of C10 at random times, of which half is bought back in so many seconds. */
function marketWithSells(seed: number, options: { halfLife: number; isPermanent?: boolean }) {
  const random = seededRandom(seed);
  const kept = Math.exp((-Math.LN2 * STEP_MS) / 1_000 / options.halfLife);
  const samples: Sample[] = [];
  let [value, gap] = [Math.log(100), 0];
  for (let step = 0; step < MS_PER_DAY / STEP_MS; step++) {
    value += 0.000_2 * gaussian(random);
    gap *= kept;
    if (random() < 1 / 90) {
      const sold = (0.06 + 0.24 * random()) / 9;
      // Within the step, so that a part of it is back already.
      if (options.isPermanent) value -= sold;
      else gap -= sold * kept ** random();
    }
    samples.push(sampleOf(step, Math.exp(value + gap)));
  }
  return samples;
}

test("planted half-lives are found within 15 percent, inside their interval nearly always", () => {
  let [inside, all] = [0, 0];
  for (const halfLife of [15, 30, 60, 120, 240]) {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const found = pastDayOf(marketWithSells(seed, { halfLife }), RANGE).resilience;
      const what = `${halfLife} s, seed ${seed}: ${JSON.stringify(found)}`;
      assert.ok(found && found.sells > 50, what);
      const error = (found.halfLifeSeconds ?? 0) / halfLife - 1;
      assert.ok(Math.abs(error) < 0.15, what);
      all++;
      const { halfLifeFromSeconds: from, halfLifeToSeconds: to } = found;
      if ((from ?? Infinity) <= halfLife && halfLife <= (to ?? Infinity)) inside++;
    }
  }
  assert.ok(inside >= 0.8 * all, `${inside} of ${all}`);
});

test("of sells that stay sold nothing is regained, and there is no half-life", () => {
  for (let seed = 1; seed <= 5; seed++) {
    const samples = marketWithSells(seed, { halfLife: 60, isPermanent: true });
    const found = pastDayOf(samples, RANGE).resilience;
    assert.ok(found);
    assert.equal(found.halfLifeSeconds, null);
    for (const regained of found.regainedPct) assert.ok(Math.abs(regained) < 20, `${regained}`);
  }
});

test("withdrawals are not sells, and few sells are unknown", () => {
  const random = seededRandom(1);
  const withdrawn = Array.from({ length: MS_PER_DAY / STEP_MS }, (_, step) =>
    sampleOf(step, 100 - (step % 20) * random(), { mid: 1e-4 }),
  );
  assert.equal(resilienceOf(dayGridOf(withdrawn, RANGE)), null);
  const few = marketWithSells(1, { halfLife: 60 }).slice(0, 1_000);
  assert.equal(pastDayOf(few, RANGE).resilience, null);
});

test("where nothing sells within 10 percent, no sell is a large one", () => {
  const samples = marketWithSells(1, { halfLife: 60 }).map((sample) => ({ ...sample, c10Sol: 0 }));
  assert.equal(pastDayOf(samples, RANGE).resilience, null);
});

test("waiting is what a position would have lost or won, by its own tokens at the later price", () => {
  // Every minute the pool loses and regains a tenth of its SOL.
  const samples = Array.from({ length: MS_PER_DAY / STEP_MS }, (_, step) =>
    sampleOf(step, step % 6 === 0 ? 90 : 100),
  );
  const { waiting } = pastDayOf(samples, RANGE);
  const [tenSeconds, minute] = waiting[3] ?? [];
  // 5 SOL at a pool of 100 are 4.05 at one of 90: they pay 4.05 / (1 + 4.05 / 90) instead of 5 / 1.05.
  const fallen = 100 * (4.05 / (1 + 4.05 / 90) / (5 / 1.05) - 1);
  assert.ok(tenSeconds && minute);
  const [least = 0, low = 0, median, , most = 0] = tenSeconds.quantilesPct;
  assert.ok(Math.abs(least - fallen) < 0.05 && low === least, `${least} ${fallen}`);
  assert.equal(median, 0);
  assert.ok(most > 20);
  assert.deepEqual(minute.quantilesPct, [0, 0, 0, 0, 0]);
  assert.equal(minute.observations, Math.floor((8_640 - 6) / 6));
});

/** Every minute the sample is another one for ten seconds. */
function alternating(usual: Partial<Sample>, other: Partial<Sample>): readonly Sample[] {
  return Array.from({ length: MS_PER_DAY / STEP_MS }, (_, step) =>
    sampleOf(step, 100, step % 6 === 0 ? other : usual),
  );
}

test("a position whose price multiplied sells at its new worth, as constant product pays for it", () => {
  const { mid, slippagesPct } = sampleOf(0, 100 * Math.sqrt(10));
  const [, , , , , fifty] = pastDayOf(alternating({}, { mid, slippagesPct }), RANGE).waiting;
  const [, , , , most = 0] = fifty?.[0]?.quantilesPct ?? [];
  // 50 SOL at a pool of 100 are 500 at one of 316.
  const risen = 100 * (500 / (1 + 500 / (100 * Math.sqrt(10))) / (50 / 1.5) - 1);
  assert.ok(Math.abs(most - risen) < 0.01, `${most} ${risen}`);
});

test("a position that is worth no more than a size that can be sold is not gone", () => {
  const { mid, slippagesPct } = sampleOf(0, 40);
  const fallen = { mid, slippagesPct: slippagesPct.with(5, null) };
  const [, , , , , fifty] = pastDayOf(alternating({}, fallen), RANGE).waiting;
  const [least] = fifty?.[0]?.quantilesPct ?? [];
  // 50 SOL at a pool of 100 are 8 at one of 40.
  const paid = 100 * (8 / (1 + 8 / 40) / (50 / 1.5) - 1);
  assert.ok(least !== undefined && Math.abs(least - paid) < 0.01, `${least} ${paid}`);
});

test("a size that the rule of the family other leaves out is not gone", () => {
  const { slippagesPct } = sampleOf(0, 100);
  const unmeasured = { slippagesPct: slippagesPct.with(5, null) };
  const [least, , , , most] =
    pastDayOf(alternating({}, { ...unmeasured, hasSizeRule: true }), RANGE).waiting[5]?.[0]
      ?.quantilesPct ?? [];
  assert.deepEqual([least, most], [0, 0]);
  const gone = pastDayOf(alternating({}, unmeasured), RANGE).waiting[5]?.[0]?.quantilesPct;
  assert.equal(gone?.[0], -100);
});

test("an exit that is gone lost everything; what is unknown counts as nothing", () => {
  const gone = Array.from({ length: MS_PER_DAY / STEP_MS }, (_, step) =>
    step < 8_000
      ? sampleOf(step, 100)
      : sampleOf(step, 1, { c10Sol: 0, depthSol: 0, mid: null, slippagesPct: Array(6).fill(null) }),
  );
  const [, , five] = pastDayOf(gone, RANGE).waiting[1] ?? [];
  assert.equal(five?.quantilesPct[0], 0);
  const half = gone.slice(0, 8_000).flatMap((sample, step) => (step % 2 === 0 ? [sample] : []));
  assert.ok(pastDayOf(half, RANGE).waiting[1]?.[0]);
  const blocked = gone.map((sample, step) =>
    step % 2 === 0 ? sample : { ...sample, c10Sol: null, mid: null },
  );
  assert.equal(pastDayOf(blocked, RANGE).waiting[1]?.[0], null);
  const rebased = gone.map((sample, step) => ({ ...sample, basis: step }));
  assert.equal(pastDayOf(rebased, RANGE).waiting[1]?.[0], null);
});

test("below 200 times waited the range is null; none are invented for a token never seen", () => {
  const samples = Array.from({ length: 205 }, (_, step) => sampleOf(step + 8_000, 100));
  const [ten, minute] = pastDayOf(samples.slice(0, 200), RANGE).waiting[0] ?? [];
  // The last sample holds for minutes.
  assert.ok(ten && ten.observations >= 200);
  assert.equal(minute, null);
  const empty = pastDayOf([], RANGE);
  assert.ok(empty.waiting.flat().every((range) => range === null));
  assert.equal(empty.resilience, null);
});
