import assert from "node:assert/strict";
import { test } from "node:test";
import { GeyserHealth, LARGEST_LAG, LARGEST_LAG_PROCESSED } from "./geyser-health.ts";

const STREAMS = [0, 1, 2];

for (const largestLag of [LARGEST_LAG, LARGEST_LAG_PROCESSED]) {
  test(`streams are whole until one is more than ${largestLag} slots behind, and reach its slot`, () => {
    const health = new GeyserHealth(largestLag);
    health.received(0, 1_000n);
    health.received(1, 1_000n + largestLag);
    assert.equal(health.isWhole(STREAMS), false, "the third has delivered nothing");
    assert.equal(health.reached(STREAMS), null);
    health.received(2, 1_000n + 1n);
    assert.equal(health.isWhole(STREAMS), true);
    assert.equal(health.reached(STREAMS), 1_000n);
    health.received(1, 1_000n + largestLag + 1n);
    assert.equal(health.isWhole(STREAMS), false);
    health.received(0, 1_001n);
    assert.equal(health.isWhole(STREAMS), true);
    assert.equal(health.reached(STREAMS), 1_001n);
  });
}

test("a lost stream is not whole until it delivers a slot again", () => {
  const health = new GeyserHealth(LARGEST_LAG);
  for (const index of STREAMS) health.received(index, 1_000n);
  health.lost(1, { reason: "ended", isSilent: false }, 0);
  assert.equal(health.isWhole(STREAMS), false);
  health.received(1, 1_002n);
  assert.equal(health.isWhole(STREAMS), true);
});
