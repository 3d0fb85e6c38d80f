import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress, plainVenue } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { placeToken } from "#test/simulation/track/plain-market.ts";
import { closeAfter } from "#test/support/ending.ts";
import { Tracker } from "../tracker.ts";

const SLOTS_A_STEP = 5;

test("reads count as failing from the first failure until one succeeds, however often they are tried", async (t) => {
  const chain = new ScriptedChain();
  const mint = namedAddress("token");
  placeToken(chain, mint, 80);
  const tracker = new Tracker({
    source: chain,
    venues: [plainVenue()],
    clock: { nowMs: () => chain.nowMs },
    database: null,
  });
  closeAfter(t, () => tracker.close());
  tracker.setWatched([mint]);
  const steps = async (count: number) => {
    for (let done = 0; done < count; done++) {
      chain.advance(SLOTS_A_STEP);
      tracker.tick();
      await tracker.idle();
    }
  };
  const failingSinceMs = () => tracker.health().readsFailingSinceMs;

  await steps(20);
  assert.equal(failingSinceMs(), null);
  chain.isReachable = false;
  const leftMs = chain.nowMs;
  await steps(40);
  const firstMs = failingSinceMs();
  assert.ok(firstMs !== null && firstMs >= leftMs);
  await steps(60);
  assert.equal(failingSinceMs(), firstMs);
  chain.isReachable = true;
  await steps(20);
  assert.equal(failingSinceMs(), null);
});
