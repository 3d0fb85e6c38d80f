import assert from "node:assert/strict";
import { test } from "node:test";
import { recordReached, serverNowMs } from "./connection.ts";

const NOW = Date.parse("2026-11-21T12:00:00.000Z");

/** Milliseconds by which the service's clock is held to be ahead after one answer. */
function aheadAfter(dateMs: number, sentMs: number): number {
  recordReached(new Date(dateMs).toUTCString(), sentMs);
  return serverNowMs() - NOW;
}

test("an answer that was on its way for long does not set the service's clock back", (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: NOW });
  assert.equal(aheadAfter(NOW - 9_000, NOW - 9_500), 0);
  assert.equal(aheadAfter(NOW, NOW - 9_500), 0);
});

test("a clock that is wrong is corrected, ahead as well as behind", (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: NOW });
  assert.equal(aheadAfter(NOW + 600_000, NOW - 100), 600_000);
  assert.equal(aheadAfter(NOW - 600_000, NOW), -600_000);
  assert.equal(aheadAfter(NOW - 2_000, NOW), 0);
  recordReached(null, NOW);
  assert.equal(serverNowMs(), NOW);
});
