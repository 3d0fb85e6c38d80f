import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress, plainPool, plainVenue } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { placeMint, placePool, placeToken, SOL } from "#test/simulation/track/plain-market.ts";
import { Tracker } from "./tracker.ts";

const MINT = namedAddress("token");
const POOL = plainPool(`${MINT} main`, MINT, WSOL);
/** Slots by which reads may be behind the stream. */
const LAGS = [0n, 2n, 8n] as const;
const FEW_SECONDS_OF_SLOTS = 20;

/** A chain whose stream brings every change of whole programs, and a tracker on it. */
function streamed() {
  const chain = new ScriptedChain();
  const venues = [plainVenue()];
  const tracker = new Tracker({
    source: chain,
    venues,
    clock: { nowMs: () => chain.nowMs },
    database: null,
    everything: { venues, transactions: null },
  });
  /** Changes are of the first of the slots: none may follow once that has been delivered. */
  const pass = async (slots: number, change = () => {}) => {
    for (let slot = 0; slot < slots; slot++) {
      chain.advance(1);
      if (slot === 0) change();
      chain.reach(chain.slot);
      tracker.tick();
      await tracker.idle();
    }
  };
  const answer = () => {
    const snapshot = tracker.latest(MINT);
    assert.ok(snapshot?.kind === "assessed");
    return snapshot.assessment;
  };
  return { chain, tracker, pass, answer };
}

for (const lag of LAGS) {
  test(`vaults that the stream reports as closed are never taken for open, with reads ${lag} slots behind it`, async () => {
    const { chain, tracker, pass, answer } = streamed();
    await pass(10);
    placeToken(chain, MINT, 80);
    await pass(20);
    await tracker.snapshot(MINT);
    await pass(500);
    assert.notEqual(answer().measurement, null);
    chain.readLag = lag;
    const closedSlot = chain.slot + 1n;
    const close = () => {
      for (const address of [POOL.vaultA, POOL.vaultB]) chain.set(address, null);
    };
    const { length: reads } = chain.reads;
    for (let slot = 0; slot < FEW_SECONDS_OF_SLOTS; slot++) {
      await pass(1, slot === 0 ? close : undefined);
      const { measurement, slot: claimed } = answer();
      if (claimed >= closedSlot) assert.equal(measurement, null, `slot ${claimed}`);
    }
    assert.equal(answer().measurement, null);
    assert.ok(
      chain.reads.length - reads <= FEW_SECONDS_OF_SLOTS,
      "once a second, not at each tick",
    );
    await tracker.close();
  });
}

for (const lag of LAGS) {
  test(`a pool that is closed with its vaults has no way out, although its program's stream lacks it, with reads ${lag} slots behind`, async () => {
    const { chain, tracker, pass, answer } = streamed();
    await pass(10);
    placeToken(chain, MINT, 80);
    await pass(20);
    await tracker.snapshot(MINT);
    await pass(500);
    assert.equal(answer().measurement?.depthLamports, 80n * SOL);
    chain.readLag = lag;
    const close = () => {
      for (const address of [POOL.address, POOL.vaultA, POOL.vaultB]) chain.set(address, null);
    };
    for (let slot = 0; slot < FEW_SECONDS_OF_SLOTS; slot++)
      await pass(1, slot === 0 ? close : undefined);
    const { blocked, measurement } = answer();
    assert.equal(blocked, null);
    assert.equal(measurement?.depthLamports, 0n);
    await tracker.close();
  });
}

test("a pool that is a hop of another token as well is read again once its vault is closed", async () => {
  const { chain, tracker, pass } = streamed();
  const other = namedAddress("other");
  await pass(10);
  placeToken(chain, MINT, 80);
  placeMint(chain, other);
  const through = plainPool(`${other} through ${MINT}`, other, MINT);
  placePool(chain, through, { base: 500_000_000_000_000n, quote: 250_000_000_000_000n });
  await pass(20);
  for (const mint of [MINT, other]) await tracker.snapshot(mint);
  await pass(500);
  const close = () => {
    for (const address of [POOL.address, POOL.vaultA, POOL.vaultB]) chain.set(address, null);
  };
  const { length: before } = chain.reads;
  for (let slot = 0; slot < FEW_SECONDS_OF_SLOTS; slot++)
    await pass(1, slot === 0 ? close : undefined);
  assert.ok(chain.reads.slice(before).some((read) => read.includes(POOL.address)));
  await tracker.close();
});
