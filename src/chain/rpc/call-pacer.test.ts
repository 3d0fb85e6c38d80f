import assert from "node:assert/strict";
import { syncBuiltinESMExports } from "node:module";
import { type TestContext, test } from "node:test";
import { closeAfter } from "#test/support/ending.ts";
import { eventually } from "#test/support/eventually.ts";
import { CallPacer } from "./call-pacer.ts";

const OPTIONS = { firstIntervalMs: 0, longestIntervalMs: 500 };

test("calls are not spaced before the provider refuses one", async () => {
  const pacer = new CallPacer(OPTIONS);
  await Promise.all(Array.from({ length: 100 }, () => pacer.turn(undefined)));
  assert.equal(pacer.intervalMs, 0);
  assert.equal(pacer.isPressed, false);
});

test("a refusal teaches the rate at which calls passed before it", () => {
  const pacer = new CallPacer(OPTIONS);
  for (let call = 0; call < 5; call++) pacer.succeeded(40);
  pacer.limited(null);
  assert.equal(pacer.intervalMs, 200);
  assert.ok(pacer.isPressed);
});

test("refusals of calls that were sent together count as one, and none slows beyond the limit", () => {
  const pacer = new CallPacer(OPTIONS);
  for (let call = 0; call < 20; call++) pacer.limited(null);
  assert.equal(pacer.intervalMs, 50);
  const slow = new CallPacer({ firstIntervalMs: 0, longestIntervalMs: 60 });
  for (let call = 0; call < 5; call++) slow.succeeded(40);
  slow.limited(null);
  assert.equal(slow.intervalMs, 60);
});

test("a Retry-After holds every call back, and a caller can give up", async () => {
  const pacer = new CallPacer(OPTIONS);
  pacer.limited(60_000);
  assert.ok(pacer.pausedForMs > 25_000 && pacer.pausedForMs <= 30_000);
  const stop = new AbortController();
  const turn = pacer.turn(stop.signal);
  stop.abort(new Error("no longer needed"));
  await assert.rejects(turn, /no longer needed/);
});

const SPACED = { firstIntervalMs: 60, longestIntervalMs: 2_000 };

function answered(pacer: CallPacer, calls: number, tookMs: number): void {
  for (let call = 0; call < calls; call++) pacer.succeeded(tookMs);
}

test("calls to a near node that refuses nothing are not spaced after some dozens of answers", async () => {
  const pacer = new CallPacer(SPACED);
  answered(pacer, 40, 5);
  assert.equal(pacer.intervalMs, 0);
  const turns = Promise.all(Array.from({ length: 100 }, () => pacer.turn(undefined)));
  // A turn that is spaced waits for a timer, which runs after this round of the event loop.
  const round = new Promise((resolve) => setImmediate(() => resolve("a later round")));
  assert.equal(await Promise.race([turns.then(() => "at once"), round]), "at once");
});

test("a near node that is busy, as this process may be, is still near; calls to a distant node stay spaced even without refusals", () => {
  const busy = new CallPacer(SPACED);
  for (let call = 0; call < 60; call++) busy.succeeded(call === 0 ? 5 : 200);
  assert.equal(busy.intervalMs, 0);
  const far = new CallPacer(SPACED);
  answered(far, 1_000, 40);
  assert.equal(far.intervalMs, 60);
});

test("the first refusal of a near node spaces its calls, also if its answers stay fast", () => {
  const pacer = new CallPacer(SPACED);
  answered(pacer, 40, 5);
  pacer.limited(null);
  const learnedMs = pacer.intervalMs;
  assert.ok(learnedMs > 60, `${learnedMs} ms`);
  answered(pacer, 200, 5);
  assert.equal(pacer.intervalMs, learnedMs);
});

test("after a pause, exactly as many calls are sent at once as the learned rate allows in a second", async (t) => {
  const pass = scriptedClock(t);
  const pacer = new CallPacer({ firstIntervalMs: 0, longestIntervalMs: 500, isBurst: true });
  for (let call = 0; call < 5; call++) pacer.succeeded(40);
  pacer.limited(null);
  const startedMs = performance.now();
  const sentMs: number[] = [];
  const send = async () => {
    for (let call = 0; call < 11; call++) {
      await pacer.turn(undefined);
      sentMs.push(performance.now() - startedMs);
    }
  };
  await Promise.all([send(), pass(3_000)]);
  const inWindow = sentMs.map(
    (from) => sentMs.filter((at) => at >= from && at < from + 990).length,
  );
  assert.ok(Math.max(...inWindow) <= 5, `${sentMs}`);
  assert.ok((sentMs[4] ?? 0) < (sentMs[5] ?? 0) - 500, `${sentMs}`);
});

test("calls of less weight pause while calls of a learned rate are sent", async () => {
  const pacer = new CallPacer({ firstIntervalMs: 0, longestIntervalMs: 500, isBurst: true });
  await pacer.turn(undefined);
  assert.equal(pacer.isPressed, false, "nothing is learned yet");
  for (let call = 0; call < 5; call++) pacer.succeeded(40);
  pacer.limited(null);
  await eventually("the calls pause", () => (pacer.isPressed ? null : true), 10_000);
  await pacer.turn(undefined);
  assert.ok(pacer.isPressed);
});

/** A clock for performance.now() and timers that only the test advances. */
function scriptedClock(t: TestContext): (ms: number) => Promise<void> {
  let nowMs = performance.now();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  t.mock.method(performance, "now", () => nowMs);
  syncBuiltinESMExports();
  closeAfter(t, () => {
    t.mock.timers.reset();
    syncBuiltinESMExports();
  });
  return async (ms) => {
    for (let passedMs = 0; passedMs < ms; passedMs += 5) {
      await new Promise((resolve) => setImmediate(resolve));
      nowMs += 5;
      t.mock.timers.tick(5);
    }
  };
}

/** A learned rate of twenty reads a second, and four searches that wait for their turn at any time. */
async function readsAndSearches(t: TestContext, everyMs: number) {
  const pass = scriptedClock(t);
  const reads = new CallPacer({ firstIntervalMs: 0, longestIntervalMs: 500, isBurst: true });
  const searches = new CallPacer({
    firstIntervalMs: 60,
    longestIntervalMs: 2_000,
    yieldsTo: reads,
  });
  answered(reads, 20, 40);
  reads.limited(null);
  assert.equal(reads.intervalMs, 50);
  await pass(1_000);
  const stop = new AbortController();
  const sent = { searches: 0 };
  const search = async (): Promise<void> => {
    for (;;) {
      await searches.turn(stop.signal);
      sent.searches++;
    }
  };
  const readWaitsMs: number[] = [];
  const readFor = async (count: number): Promise<void> => {
    for (let read = 0; read < count; read++) {
      const askedMs = performance.now();
      void reads.turn(undefined).then(() => readWaitsMs.push(performance.now() - askedMs));
      await pass(everyMs);
    }
  };
  await readFor(1);
  const active = Array.from({ length: 4 }, () => search().catch(() => undefined));
  closeAfter(t, async () => {
    stop.abort();
    await Promise.all(active);
  });
  return { readFor, sent, readWaitsMs };
}

test("calls of less weight get a share of a rate that is always in use, after the time of a first answer", async (t) => {
  const { readFor, sent, readWaitsMs } = await readsAndSearches(t, 200);
  await readFor(38);
  assert.equal(sent.searches, 0, "a first answer may still be prepared");
  await readFor(100);
  // Five reads a second, of twenty: half of the rate is ten calls.
  assert.ok(sent.searches >= 60 && sent.searches <= 100, `${sent.searches} searches in 20 s`);
  assert.equal(Math.max(...readWaitsMs), 0, "no read waits for a search");
});

test("calls of less weight get a fifth of a rate of which calls of more weight always use more than half", async (t) => {
  const { readFor, sent, readWaitsMs } = await readsAndSearches(t, 75);
  await readFor(100);
  assert.equal(sent.searches, 0, "a first answer may still be prepared");
  await readFor(280);
  assert.ok(sent.searches >= 60 && sent.searches <= 90, `${sent.searches} searches in 21 s`);
  assert.equal(Math.max(...readWaitsMs), 0, "no read waits for a search");
});

test("searches that an answer waits for also take a turn of the reads, whose rate counts both", async (t) => {
  const pass = scriptedClock(t);
  const reads = new CallPacer({ firstIntervalMs: 0, longestIntervalMs: 500, isBurst: true });
  const soon = new CallPacer({
    firstIntervalMs: 60,
    longestIntervalMs: 500,
    sharesWith: reads,
  });
  answered(reads, 5, 40);
  reads.limited(null);
  await pass(1_000);
  const startedMs = performance.now();
  const sentMs: number[] = [];
  const calls = [reads, reads, reads, soon, soon, soon, reads].map(async (pacer) => {
    await pacer.turn(undefined);
    sentMs.push(performance.now() - startedMs);
  });
  await pass(900);
  assert.equal(sentMs.length, 5, `${sentMs}`);
  await pass(1_500);
  await Promise.all(calls);
});
