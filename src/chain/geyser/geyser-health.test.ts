import assert from "node:assert/strict";
import { test } from "node:test";
import { GeyserHealth, LARGEST_LAG, LARGEST_LAG_PROCESSED } from "./geyser-health.ts";

const STREAMS = [0, 1, 2];
const CALM_MS = 15_000;
const ENDED = { reason: "ended", isSilent: false };

function someHealth(): GeyserHealth {
  return new GeyserHealth({ largestLag: LARGEST_LAG, calmMs: CALM_MS });
}

for (const largestLag of [LARGEST_LAG, LARGEST_LAG_PROCESSED]) {
  test(`streams are whole until one is more than ${largestLag} slots behind, and reach its slot`, () => {
    const health = new GeyserHealth({ largestLag, calmMs: CALM_MS });
    health.received(0, 1_000n, 0);
    health.received(1, 1_000n + largestLag, 0);
    assert.equal(health.isWhole(STREAMS), false, "the third has delivered nothing");
    assert.equal(health.reached(STREAMS), null);
    health.received(2, 1_000n + 1n, 0);
    assert.equal(health.isWhole(STREAMS), true);
    assert.equal(health.reached(STREAMS), 1_000n);
    health.received(1, 1_000n + largestLag + 1n, 0);
    assert.equal(health.isWhole(STREAMS), false);
    health.received(0, 1_001n, 0);
    assert.equal(health.isWhole(STREAMS), true);
    assert.equal(health.reached(STREAMS), 1_001n);
  });
}

test("a lost stream is not whole until it delivers a slot again", () => {
  const health = someHealth();
  for (const index of STREAMS) health.received(index, 1_000n, 0);
  health.lost(1, ENDED, 0);
  assert.equal(health.isWhole(STREAMS), false);
  health.received(1, 1_002n, 0);
  assert.equal(health.isWhole(STREAMS), true);
});

test("a stream that is refused three times is given up until its first slot", () => {
  const health = someHealth();
  assert.deepEqual(
    [1, 2, 3, 4].map(() => health.lost(0, ENDED, 0)),
    [false, false, true, false],
  );
  assert.equal(health.received(0, 1_000n, 0), true);
  assert.equal(health.isDown(0), false);
});

test("a stream that is lost soon after each first slot is given up until its slots last", () => {
  const health = someHealth();
  const losses = [1, 2, 3].map(() => {
    health.received(0, 1_000n, 0);
    return health.lost(0, ENDED, 0);
  });
  assert.deepEqual(losses, [false, false, true]);
  assert.equal(health.received(0, 1_000n, 1_000), false);
  assert.equal(health.received(0, 1_001n, 1_000 + CALM_MS - 1), false);
  assert.equal(health.isDown(0), true);
  assert.equal(health.received(0, 1_002n, 1_000 + CALM_MS), true);
  assert.equal(health.isDown(0), false);
});

test("losses with lasting slots between them are not in a row", () => {
  const health = someHealth();
  for (let nowMs = 0; nowMs < 10 * CALM_MS; nowMs += CALM_MS) {
    health.received(0, 1_000n, nowMs);
    health.received(0, 1_001n, nowMs + CALM_MS);
    assert.equal(health.lost(0, ENDED, nowMs + CALM_MS), false);
  }
});
