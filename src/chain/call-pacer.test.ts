import assert from "node:assert/strict";
import { test } from "node:test";
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
  for (let call = 0; call < 5; call++) pacer.succeeded();
  pacer.limited(null);
  assert.equal(pacer.intervalMs, 200);
  assert.ok(pacer.isPressed);
});

test("refusals of calls that were sent together count as one, and none slows beyond the limit", () => {
  const pacer = new CallPacer(OPTIONS);
  for (let call = 0; call < 20; call++) pacer.limited(null);
  assert.equal(pacer.intervalMs, 50);
  const slow = new CallPacer({ firstIntervalMs: 0, longestIntervalMs: 60 });
  for (let call = 0; call < 5; call++) slow.succeeded();
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
