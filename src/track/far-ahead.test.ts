import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress, plainPool, plainVenue } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { placePool, placeToken, SOL, setReserves } from "#test/simulation/track/plain-market.ts";
import { closeAfter } from "#test/support/ending.ts";
import { createTracker } from "./tracker.ts";

const MINT = namedAddress("token");
const BASE = 500_000_000_000_000n;
const NO_SLOT_OF_THE_CHAIN = 1_000_000_000_000n;
const ONE_REREAD_OF_SLOTS = 63;

test("a notification of a slot that the chain can't have reached stops no later one, nor a new pool's", async (t) => {
  const chain = new ScriptedChain();
  const main = placeToken(chain, MINT, 80);
  const tracker = createTracker({
    source: chain,
    venues: [plainVenue()],
    clock: { nowMs: () => chain.nowMs },
    database: null,
  });
  closeAfter(t, () => tracker.close());
  const pass = async (slots: number) => {
    for (let slot = 0; slot < slots; slot++) {
      chain.advance(1);
      tracker.tick();
      await tracker.idle();
    }
  };
  const assessment = async () => {
    const snapshot = await tracker.snapshot(MINT);
    assert.ok(snapshot.kind === "assessed");
    return snapshot.assessment;
  };
  await assessment();
  await pass(10);
  const { slot } = chain;
  // The node is mistaken in the slot alone.
  chain.slot = NO_SLOT_OF_THE_CHAIN;
  const second = placePool(chain, plainPool("second", MINT, WSOL), {
    base: BASE,
    quote: 20n * SOL,
  });
  setReserves(chain, main, { base: BASE, quote: 80n * SOL });
  chain.advance(1);
  chain.slot = slot;
  await pass(1);
  setReserves(chain, main, { base: 10n * BASE, quote: 8n * SOL });
  placePool(chain, second, { base: BASE, quote: 20n * SOL }, { isPaused: true });
  await pass(ONE_REREAD_OF_SLOTS);
  const { measurement, slot: claimed } = await assessment();
  assert.equal(measurement?.depthLamports, 8n * SOL);
  assert.ok(claimed > slot && claimed <= chain.slot, `slot ${claimed} of ${chain.slot}`);
});
