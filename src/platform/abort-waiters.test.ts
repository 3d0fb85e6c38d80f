import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { AbortWaiters } from "./abort-waiters.ts";

test("every waiter of an aborted signal is called once, except removed ones", () => {
  const waiters = new AbortWaiters();
  const abort = new AbortController();
  const called: string[] = [];
  waiters.add(abort.signal, () => called.push("first"));
  const takeBack = waiters.add(abort.signal, () => called.push("second"));
  waiters.add(new AbortController().signal, () => called.push("of another signal"));
  waiters.add(undefined, () => called.push("of none"));
  takeBack();
  abort.abort();
  abort.abort();
  assert.deepEqual(called, ["first"]);
});

test("a signal has one listener, however many wait", () => {
  const waiters = new AbortWaiters();
  const { signal } = new AbortController();
  for (let count = 0; count < 1_000; count++) waiters.add(signal, () => undefined);
  assert.equal(getEventListeners(signal, "abort").length, 1);
});
