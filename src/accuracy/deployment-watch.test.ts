import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress } from "#bench/detection/plain-pool-venue.ts";
import type { FollowEvents } from "#src/chain/chain-source.ts";
import { DeploymentWatch } from "./deployment-watch.ts";

const PROGRAMS = [namedAddress("first program data"), namedAddress("second program data")];
const SLOT = 1_000n;

/** A watch whose clock and notifications the test controls. */
function watching() {
  const state = { nowMs: 0, reads: 0, isKnown: true };
  let events: FollowEvents | null = null;
  const watch = new DeploymentWatch({
    source: {
      follow: (given) => {
        events = given;
        return { add: () => {}, remove: () => {}, close: async () => {} };
      },
    },
    addresses: PROGRAMS,
    check: async () => {
      state.reads++;
    },
    isKnown: () => state.isKnown,
    clock: { nowMs: () => state.nowMs },
  });
  watch.start();
  assert.ok(events !== null);
  const notify: FollowEvents = events;
  const pass = (minutes: number, { areSlotsComing = true } = {}): number => {
    const before = state.reads;
    for (let tick = 0; tick < 2 * minutes; tick++) {
      state.nowMs += 30_000;
      if (areSlotsComing) notify.onSlot(SLOT);
      watch.tick();
    }
    return state.reads - before;
  };
  return { state, notify, pass };
}

test("deployments are read at the start, and every 30 seconds until every program is followed", () => {
  const { state, notify, pass } = watching();
  assert.equal(state.reads, 1);
  assert.equal(pass(5), 10);
  notify.onFollowed?.(PROGRAMS.slice(0, 1));
  assert.equal(pass(5), 10);
});

test("while programs are followed, deployments are read at each change and every ten minutes", () => {
  const { state, notify, pass } = watching();
  notify.onFollowed?.(PROGRAMS);
  assert.equal(state.reads, 2, "one may have come before the subscription");
  assert.equal(pass(60), 6);
  const [address] = PROGRAMS;
  assert.ok(address !== undefined);
  const before = state.reads;
  notify.onUpdate({ address, account: null, slot: SLOT });
  assert.equal(state.reads, before + 1);
  assert.equal(pass(2), 3, "the node that answered may have been behind");
  notify.onGap(null);
  assert.equal(pass(2), 3);
});

test("a change without a notification is read within ten minutes, also after a reconnect", () => {
  const { notify, pass } = watching();
  notify.onFollowed?.(PROGRAMS);
  pass(60);
  notify.onGap(null);
  pass(2);
  assert.equal(pass(10), 1);
});

test("without notifications, or while a deployment is unknown, they are read every 30 seconds", () => {
  const { state, notify, pass } = watching();
  notify.onFollowed?.(PROGRAMS);
  assert.equal(pass(5), 0);
  assert.equal(pass(5, { areSlotsComing: false }), 10);
  assert.equal(pass(5), 0);
  state.isKnown = false;
  assert.equal(pass(5), 10);
});
