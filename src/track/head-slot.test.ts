import assert from "node:assert/strict";
import { test } from "node:test";
import { plainVenue } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { closeAfter } from "#test/support/ending.ts";
import { Tracker } from "./tracker.ts";

test("a slot that the node notified by mistake is forgotten with the next one", async (t) => {
  const chain = new ScriptedChain();
  let onSlot: (slot: bigint) => void = () => assert.fail("nothing follows the chain");
  const follow = chain.follow.bind(chain);
  chain.follow = (events) => {
    onSlot = events.onSlot;
    return follow(events);
  };
  const clock = { nowMs: () => chain.nowMs };
  const tracker = new Tracker({ source: chain, venues: [plainVenue()], clock, database: null });
  closeAfter(t, () => tracker.close());
  chain.advance(1);
  onSlot(chain.slot + 1_000_000n);
  chain.advance(1);
  const { headSlot, slotLag } = tracker.health();
  assert.deepEqual([headSlot, slotLag], [chain.slot, 0]);
});
