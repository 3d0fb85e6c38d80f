import assert from "node:assert/strict";
import { test } from "node:test";
import {
  derivedPool,
  namedAddress,
  plainPool,
  plainVenue,
} from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { placeMint, placePool, SOL } from "#test/simulation/track/plain-market.ts";
import { closeAfter } from "#test/support/ending.ts";
import { REREAD_FOLLOWED_MS } from "./following/schedule.ts";
import { Tracker } from "./tracker.ts";

const MINT = namedAddress("token");
const COIN = namedAddress("coin");
const FULL = { base: 500_000_000_000_000n, quote: 80n * SOL };

for (const isWhole of [false, true])
  test(`without a notification, a new launchpad pool of the coin that a token is quoted in is found ${isWhole ? "after a gap in a whole stream" : "by reads"}`, async (t) => {
    const chain = new ScriptedChain();
    for (const mint of [MINT, COIN]) placeMint(chain, mint);
    placePool(chain, plainPool("token", MINT, COIN), FULL);
    const closing = placePool(chain, plainPool("closing", COIN, WSOL), FULL);
    const venues = [plainVenue()];
    const tracker = new Tracker({
      ...{ source: chain, venues, clock: { nowMs: () => chain.nowMs }, database: null },
      everything: isWhole ? { venues, transactions: null } : null,
    });
    closeAfter(t, () => tracker.close());
    const pass = async (ms: number): Promise<void> => {
      for (const endMs = chain.nowMs + ms; chain.nowMs < endMs; chain.advance(2)) {
        tracker.tick();
        await tracker.idle();
      }
      tracker.tick();
    };
    const depth = (): bigint | undefined => {
      const snapshot = tracker.latest(MINT);
      assert.ok(snapshot?.kind === "assessed");
      return snapshot.assessment.measurement?.depthLamports;
    };
    await tracker.snapshot(MINT);
    await pass(60_000);
    const before = depth();
    assert.ok(before !== undefined && before > SOL / 100n);
    chain.delivery = ({ address }) => (address.startsWith("Sysvar") ? "now" : "lost");
    placePool(chain, closing, { ...FULL, quote: 0n });
    placePool(chain, derivedPool(COIN, WSOL), FULL);
    if (isWhole) chain.gap();
    await pass(REREAD_FOLLOWED_MS + 10_000);
    assert.equal(depth(), before);
  });
