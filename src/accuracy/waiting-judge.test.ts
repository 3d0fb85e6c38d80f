import assert from "node:assert/strict";
import { test } from "node:test";
import { MS_PER_DAY } from "#src/platform/clock.ts";
import { seededRandom } from "#src/platform/seeded-random.ts";
import { TokenArchive } from "#src/track/history/archive.ts";
import type { Sample } from "#src/track/history/sample.ts";
import type { WaitingRange } from "#src/track/history/waiting.ts";
import { sqliteDatabase } from "#test/support/databases/databases.ts";
import { TOKEN } from "#test/support/pools/pools.ts";
import {
  HeldWaitings,
  LEAST_JUDGED,
  type WaitingCell,
  type WaitingReport,
} from "./waiting-counts.ts";
import { WaitingJudge } from "./waiting-judge.ts";

const START_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;
const STEP_MS = 10_000;
const NOTHING_HELD = { judged: LEAST_JUDGED - 1, held80: 0, held98: 0, below10: 0 };

/** A sample of a calm token, `steps` samples after the start. */
function sampleAt(steps: number, change: Partial<Sample> = {}): Sample {
  const atMs = START_MS + steps * STEP_MS;
  const slippagesPct = [0.5, 1, 2, 5, 10, 50].map((size) => (100 * size) / (100 + size));
  const known = { c10Sol: 11, depthSol: 100, slippagesPct, mid: 1, confidence: "high" } as const;
  return { atMs, ...known, basis: 1, ...change };
}

function rangesWithin(from: number, to: number): readonly (WaitingRange | null)[][] {
  const range = { observations: 500, quantilesPct: [2 * from, from, 0, to, 2 * to] };
  return Array.from({ length: 6 }, () => [range, range, range]);
}

type Days = {
  readonly toMs?: number;
  readonly firstSeenMs?: number;
  readonly waiting?: ReturnType<typeof rangesWithin>;
};

/** A judge whose token has ranges of 1 % (80 %) and 2 % (98 %) on both sides. */
function judging(days: Days = {}) {
  const { toMs = START_MS, firstSeenMs = START_MS - 2 * MS_PER_DAY } = days;
  const { waiting = rangesWithin(-1, 1) } = days;
  const record = new HeldWaitings();
  const judge = new WaitingJudge(record);
  judge.compute({ mint: TOKEN, toMs, firstSeenMs, waiting });
  return { record, judge };
}

function judgedOf(record: HeldWaitings, nowMs = START_MS + STEP_MS * 100): readonly string[] {
  return record
    .report(nowMs)
    .filter(({ size }) => size === 5)
    .map(({ seconds, age, day }) => `${seconds} ${age} ${day.judged}`);
}

test("a range is judged 10 s, 60 s and 5 minutes after the next sample, once each", () => {
  const { record, judge } = judging();
  for (let step = 1; step <= 60; step++) judge.sample(TOKEN, sampleAt(step));
  const once = ["10 1-to-7-days 1", "60 1-to-7-days 1", "300 1-to-7-days 1"];
  assert.deepEqual(judgedOf(record), once);
  for (const size of [0.5, 1, 2, 5, 10, 50]) {
    assert.equal(
      record.report(START_MS + STEP_MS * 100).filter((row) => row.size === size).length,
      3,
    );
  }
});

test("a repeated request while a range is being judged counts nothing twice", () => {
  const { record, judge } = judging();
  for (let step = 1; step <= 31; step++) {
    const toMs = START_MS + step * STEP_MS;
    const ranges = { mint: TOKEN, toMs, firstSeenMs: 0, waiting: rangesWithin(-1, 1) };
    judge.compute(ranges);
    judge.compute(ranges);
    judge.sample(TOKEN, sampleAt(step));
  }
  assert.deepEqual(judgedOf(record).length, 3);
  assert.ok(judgedOf(record).every((row) => row.endsWith(" 1")));
});

test("a range holds if the later change is within it, its ends included", () => {
  const counted = (mid: number) => {
    const record = new HeldWaitings();
    const judge = new WaitingJudge(record);
    for (let time = 0; time < LEAST_JUDGED; time++) {
      const from = time * 2;
      const toMs = START_MS + from * MS_PER_DAY;
      // The exit of a calm token does not change.
      const waiting = mid === 1 ? rangesWithin(0, 0) : rangesWithin(-1, 1);
      judge.compute({ mint: TOKEN, toMs, firstSeenMs: toMs, waiting });
      judge.sample(TOKEN, sampleAt(from));
      judge.sample(TOKEN, sampleAt(from + 1, { mid }));
      // A gap ends the rest of this waiting.
      judge.sample(TOKEN, sampleAt(from + 1 + 100));
    }
    const [row] = record.report(START_MS + 401 * STEP_MS).filter(({ size }) => size === 1);
    return [row?.day.held80Pct, row?.day.held98Pct, row?.day.below10Pct];
  };
  assert.deepEqual(counted(1), [100, 100, 0]);
  assert.deepEqual(counted(1.005), [100, 100, 0]);
  assert.deepEqual(counted(0.985), [0, 100, 100]);
  assert.deepEqual(counted(1.015), [0, 100, 0]);
  assert.deepEqual(counted(0.9), [0, 0, 100]);
});

test("a gap, another basis and an unknown exit are not judged; an exit that is gone is", () => {
  const late = judging();
  late.judge.sample(TOKEN, sampleAt(1));
  late.judge.sample(TOKEN, sampleAt(5));
  assert.deepEqual(judgedOf(late.record), []);
  const rebased = judging();
  rebased.judge.sample(TOKEN, sampleAt(1));
  rebased.judge.sample(TOKEN, sampleAt(2, { basis: 2 }));
  assert.deepEqual(judgedOf(rebased.record), []);
  const blocked = judging();
  blocked.judge.sample(TOKEN, sampleAt(1));
  blocked.judge.sample(TOKEN, sampleAt(2, { c10Sol: null, mid: null }));
  assert.deepEqual(judgedOf(blocked.record), []);
  const gone = judging();
  gone.judge.sample(TOKEN, sampleAt(1));
  const nothing = { c10Sol: 0, depthSol: 0, mid: null, slippagesPct: Array(6).fill(null) };
  gone.judge.sample(TOKEN, sampleAt(2, nothing));
  assert.deepEqual(judgedOf(gone.record), ["10 1-to-7-days 1"]);
});

test("a sample of a later cell of the grid is not judged as one of the time waited", () => {
  const { record, judge } = judging();
  judge.sample(TOKEN, sampleAt(1));
  // 20 s after the first: the change within 10 s is unknown.
  for (let step = 3; step <= 7; step++) judge.sample(TOKEN, sampleAt(step));
  assert.deepEqual(judgedOf(record), ["60 1-to-7-days 1"]);
});

test("a price drift too small to be stored does not break a range", async (t) => {
  const database = await sqliteDatabase(t);
  const clock = { nowMs: () => START_MS };
  const archive = new TokenArchive({ database, clock, historyDays: 30, stateDays: 0 });
  await archive.open(TOKEN, { name: null, symbol: null });
  const heldFrom = (mids: readonly number[], firstStep: number) => {
    const record = new HeldWaitings();
    const judge = new WaitingJudge(record);
    const waiting = rangesWithin(0, 0);
    judge.compute({ mint: TOKEN, toMs: START_MS, firstSeenMs: 0, waiting });
    const stop = archive.onSample.add(({ mint, sample }) => judge.sample(mint, sample));
    for (const [step, mid] of mids.entries())
      archive.add(TOKEN, sampleAt(firstStep + step, { mid }), null);
    stop();
    record.count({ size: 1, seconds: 10, age: "over-7-days" }, NOTHING_HELD, START_MS);
    const [row] = record.report(START_MS).filter(({ size }) => size === 1);
    return [row?.day.judged, row?.day.held80Pct];
  };
  assert.deepEqual(heldFrom([1, 1.000_05], 1), [LEAST_JUDGED, 0.5]);
  // A drift of 0.02 % is stored, and breaks the range.
  assert.deepEqual(heldFrom([1.000_08, 1.000_2], 3), [LEAST_JUDGED, 0]);
});

test("a change is rounded like the range before it is judged", () => {
  const { record, judge } = judging({ waiting: rangesWithin(-0.1235, 0.1234) });
  judge.sample(TOKEN, sampleAt(1, { slippagesPct: Array(6).fill(0) }));
  // 0.12344 % more, which the range stores as 0.1234.
  judge.sample(TOKEN, sampleAt(2, { slippagesPct: Array(6).fill(0), mid: 1.0012344 }));
  record.count({ size: 5, seconds: 10, age: "1-to-7-days" }, NOTHING_HELD, START_MS);
  const [row] = record.report(START_MS).filter(({ size }) => size === 5);
  assert.deepEqual([row?.day.judged, row?.day.held80Pct], [LEAST_JUDGED, 0.5]);
});

test("a report follows from the counts alone, also between late, restored and dropped ones", () => {
  const hourOf = (ms: number) => Math.floor(ms / HOUR_MS);
  const random = seededRandom(11);
  const record = new HeldWaitings();
  let counted: { cell: WaitingCell; held80: number; atMs: number }[] = [];
  let nowMs = START_MS;
  for (let step = 0; step < 1_500; step++) {
    nowMs += random() * 2 * HOUR_MS;
    const atMs = nowMs - (random() < 0.2 ? random() * 40 * HOUR_MS : 0);
    const seconds = random() < 0.5 ? 10 : 300;
    const cell = { size: random() < 0.5 ? 1 : 50, seconds, age: "over-7-days" } as const;
    const held80 = Math.floor(300 * random());
    record.count(cell, { judged: 300, held80, held98: 300, below10: 0 }, atMs);
    counted.push({ cell, held80, atMs });
    if (step % 7 === 0) record.takeChanged(nowMs);
    for (const { day, month, ...own } of record.report(nowMs)) {
      for (const [window, hours] of [[day, 24] as const, [month, 720] as const]) {
        const inside = counted.filter(
          (each) =>
            hourOf(each.atMs) > hourOf(nowMs) - hours &&
            each.cell.size === own.size &&
            each.cell.seconds === own.seconds,
        );
        const sum = inside.reduce((total, each) => total + each.held80, 0);
        assert.equal(window.judged, 300 * inside.length);
        const share = inside.length === 0 ? null : Math.round((1e4 * sum) / window.judged) / 100;
        assert.equal(window.held80Pct, share);
      }
    }
    if (step % 100 === 0) {
      const hour = hourOf(nowMs) - 1;
      record.restore([{ hour, counts: {} }]);
      counted = counted.filter((each) => hourOf(each.atMs) !== hour);
    }
  }
});

test("a token whose samples stopped is judged again after ten minutes; unknown ranges are never judged", () => {
  const { record, judge } = judging();
  judge.sample(TOKEN, sampleAt(1));
  const later = {
    mint: TOKEN,
    firstSeenMs: START_MS - 8 * MS_PER_DAY,
    toMs: START_MS + 60 * STEP_MS,
  };
  judge.compute({ ...later, waiting: rangesWithin(-1, 1) });
  for (let step = 61; step <= 62; step++) judge.sample(TOKEN, sampleAt(step));
  assert.deepEqual(judgedOf(record), ["10 over-7-days 1"]);
  const unknown = new HeldWaitings();
  const other = new WaitingJudge(unknown);
  other.compute({ ...later, waiting: rangesWithin(0, 0).map(() => [null, null, null]) });
  for (let step = 61; step <= 62; step++) other.sample(TOKEN, sampleAt(step));
  assert.deepEqual(judgedOf(unknown), []);
});

test("shares are null below 200 judgements, and hours are dropped after thirty days", () => {
  const record = new HeldWaitings();
  const cell = { size: 5, seconds: 60, age: "under-1-day" } as const;
  const held = { judged: LEAST_JUDGED - 1, held80: 150, held98: 190, below10: 20 };
  record.count(cell, held, START_MS);
  const unknown = { judged: 199, held80Pct: null, held98Pct: null, below10Pct: null };
  const expected: readonly WaitingReport[] = [{ ...cell, day: unknown, month: unknown }];
  assert.deepEqual(record.report(START_MS), expected);
  record.count(cell, { judged: 1, held80: 1, held98: 1, below10: 0 }, START_MS);
  assert.deepEqual(record.report(START_MS)[0]?.month, {
    judged: 200,
    held80Pct: 75.5,
    held98Pct: 95.5,
    below10Pct: 10,
  });
  const [tomorrow] = record.report(START_MS + 1.5 * MS_PER_DAY);
  assert.deepEqual([tomorrow?.day.judged, tomorrow?.month.judged], [0, 200]);
  assert.deepEqual(record.report(START_MS + 31 * MS_PER_DAY), []);
  assert.equal(record.takeChanged(START_MS).length, 1);
  assert.deepEqual(record.takeChanged(START_MS + 31 * MS_PER_DAY), []);
});
