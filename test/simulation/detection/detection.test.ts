import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DETECTORS } from "#bench/detection/detectors.ts";
import { playScript } from "#bench/detection/run-detection.ts";
import { SCRIPTS } from "#bench/detection/scripts.ts";
import type { Tally } from "#bench/detection/tally.ts";
import { trackScript } from "#bench/detection/tracked-markets.ts";

/** A small part of what `npm run detection` plays; the targets are issue 4's. */
function tallyOf(name: string, share: number): Tally {
  const script = SCRIPTS.find((candidate) => candidate.name === name);
  assert.ok(script, name);
  const [own] = playScript(script, DETECTORS.slice(0, 1), { seed: 20_261_121, share });
  assert.ok(own);
  return own;
}

describe("the deterioration alert on scripted markets", () => {
  for (const name of ["migrations", "feed gaps", "provider switches", "RPC zeros and rollbacks"]) {
    test(`${name} never raise it`, () => {
      assert.equal(tallyOf(name, 0.05).alarms, 0);
    });
  }

  for (const name of ["rug in one transaction", "fee raise", "trading paused"]) {
    test(`${name}: each is flagged in the slot after it`, () => {
      const { drains, found, delaySeconds } = tallyOf(name, 0.1);
      assert.equal(found, drains);
      assert.ok(drains > 0);
      // The reading that first shows the fall is that slot's.
      assert.ok(delaySeconds.every((seconds) => seconds <= 0));
    });
  }

  test("rugs in slices are flagged before half of an exit is lost, nine times in ten at least", () => {
    const { drains, found, leadSeconds, lost } = tallyOf("rug in slices", 0.1);
    assert.equal(found, drains);
    assert.ok(lost > 10);
    assert.ok(leadSeconds.filter((seconds) => seconds > 0).length >= 0.9 * lost);
  });

  for (const name of ["stealth drain", "hostile pools"]) {
    test(`${name}: every market that drains is flagged`, () => {
      const { drains, found } = tallyOf(name, 0.1);
      assert.ok(drains > 0);
      assert.equal(found, drains);
    });
  }

  test("case 4: flash liquidity never raises it", () => {
    assert.equal(tallyOf("flash liquidity", 0.05).alarms, 0);
  });

  for (const name of ["healthy launches", "healthy pools", "organic decay"]) {
    test(`${name} raise it at most once in a hundred token-days`, () => {
      const { falseAlarms, days } = tallyOf(name, 0.05);
      assert.ok(falseAlarms <= Math.ceil(days / 100) - 1 || falseAlarms === 0, `${falseAlarms}`);
    });
  }
});

describe("through the tracker, from account bytes to the alert", () => {
  const trackedTally = (name: string, markets: number) => {
    const script = SCRIPTS.find((candidate) => candidate.name === name);
    assert.ok(script, name);
    return trackScript(script, { seed: 20_261_121, markets });
  };

  test("a rug in one transaction is flagged in the slot after it", async () => {
    const { drains, found, delaySeconds } = await trackedTally("rug in one transaction", 3);
    assert.deepEqual([drains, found], [3, 3]);
    assert.ok(delaySeconds.every((seconds) => seconds <= 0));
  });

  test("a rug in slices is flagged before the half is gone", async () => {
    const { drains, found, delaySeconds } = await trackedTally("rug in slices", 2);
    assert.equal(found, drains);
    assert.ok(delaySeconds.every((seconds) => seconds < 0));
  });

  for (const name of ["feed gaps", "provider switches", "RPC zeros and rollbacks"]) {
    test(`${name} never raise the alert`, async () => {
      assert.equal((await trackedTally(name, 1)).alarms, 0);
    });
  }
});

test("the same seed plays the same markets, whatever was played before", () => {
  const first = tallyOf("rug in slices", 0.02);
  tallyOf("sell cascade", 0.01);
  assert.deepEqual(tallyOf("rug in slices", 0.02), first);
});
