import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress, plainVenue } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { placeToken, SOL, setReserves } from "#test/simulation/track/plain-market.ts";
import { closeAfter } from "#test/support/ending.ts";
import { REREAD_FOLLOWED_MS } from "./following/schedule.ts";
import { Tracker } from "./tracker.ts";

const MINT = namedAddress("token");
const BASE = 500_000_000_000_000n;
/** Longer than a tick that is not behind. */
const MEASURING_MS = 60;

test("accounts are read again in time although measuring always takes long", async (t) => {
  const chain = new ScriptedChain();
  const pool = placeToken(chain, MINT, 80);
  const sound = plainVenue();
  let lateMs = 0;
  const slow: typeof sound = {
    ...sound,
    quoteExactIn: (state, sale) => {
      lateMs += MEASURING_MS;
      return sound.quoteExactIn(state, sale);
    },
  };
  const clock = { nowMs: () => chain.nowMs + lateMs };
  const tracker = new Tracker({ source: chain, venues: [slow], clock, database: null });
  closeAfter(t, () => tracker.close());
  await tracker.snapshot(MINT);
  const { length: before } = chain.reads;
  const startMs = clock.nowMs();
  for (let sol = 1n; clock.nowMs() < startMs + 3 * (REREAD_FOLLOWED_MS + 5_000); sol++) {
    setReserves(chain, pool, { base: BASE, quote: (80n + sol) * SOL });
    chain.advance(3);
    tracker.tick();
    await tracker.idle();
  }
  assert.ok(chain.reads.length - before >= 3);
});
