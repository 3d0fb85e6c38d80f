import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress, plainVenue } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { placeToken, SOL } from "#test/simulation/track/plain-market.ts";
import { Tracker } from "./tracker.ts";

const MINT = namedAddress("token");

/** A node that leaves a vault out of the first read that names it, and fails after that while `isDown`. */
class FailingChain extends ScriptedChain {
  isDown = true;

  override async readAccounts(addresses: Parameters<ScriptedChain["readAccounts"]>[0]) {
    const isLeftOut = addresses.some((address) => this.leftOut.has(address));
    const read = await super.readAccounts(addresses);
    if (isLeftOut && this.isDown) this.isReachable = false;
    return read;
  }
}

test("a token whose only pool was not read whole is never answered as without a way out", async () => {
  const chain = new FailingChain();
  const { vaultB } = placeToken(chain, MINT, 80);
  const clock = { nowMs: () => chain.nowMs };
  const tracker = new Tracker({ source: chain, venues: [plainVenue()], clock, database: null });
  chain.advance(1);
  chain.leftOut.add(vaultB);
  assert.equal((await tracker.snapshot(MINT)).kind, "unavailable");
  const answer = async () => {
    const snapshot = await tracker.snapshot(MINT);
    assert.ok(snapshot.kind === "assessed");
    return snapshot.assessment;
  };
  const { blocked, measurement } = await answer();
  assert.equal(blocked, "unpriced-majority");
  assert.equal(measurement, null);
  chain.isDown = false;
  chain.heal();
  for (let slot = 0; slot < 10; slot++) {
    chain.advance(1);
    tracker.tick();
    await tracker.idle();
  }
  assert.equal((await answer()).measurement?.depthLamports, 80n * SOL);
  await tracker.close();
});
