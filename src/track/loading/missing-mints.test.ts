import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress, plainVenue, vaultAccount } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { SYSTEM_PROGRAM } from "#src/units/known-addresses.ts";
import { placeMint, placeToken } from "#test/simulation/track/plain-market.ts";
import { Tracker } from "../tracker.ts";

const MINT = namedAddress("token");
const MINUTE_SLOTS = 150;

/** A tracker that was asked for a mint each minute of four hours, before the mint exists. */
async function askedForLong(chain: ScriptedChain) {
  const clock = { nowMs: () => chain.nowMs };
  const tracker = new Tracker({ source: chain, venues: [plainVenue()], clock, database: null });
  for (let minute = 0; minute < 4 * 60; minute++) {
    assert.equal((await tracker.snapshot(MINT)).kind, "not-found");
    chain.advance(MINUTE_SLOTS);
  }
  return tracker;
}

test("a token that is created after it was requested for hours is answered at once", async () => {
  const chain = new ScriptedChain();
  const tracker = await askedForLong(chain);
  placeToken(chain, MINT, 80);
  assert.equal((await tracker.snapshot(MINT)).kind, "assessed");
  assert.equal(chain.followed().has(MINT), true);
  await tracker.close();
});

test("a token that is created while notifications are lost is answered after the gap", async () => {
  const chain = new ScriptedChain();
  const tracker = await askedForLong(chain);
  chain.delivery = () => "lost";
  placeToken(chain, MINT, 80);
  assert.equal((await tracker.snapshot(MINT)).kind, "not-found");
  chain.gap();
  assert.equal((await tracker.snapshot(MINT)).kind, "assessed");
  await tracker.close();
});

test("lamports that were sent to the address of a mint before do not delay its first answer", async () => {
  const chain = new ScriptedChain();
  chain.set(MINT, { owner: SYSTEM_PROGRAM, lamports: 1_000_000n, data: new Uint8Array(0) });
  const tracker = await askedForLong(chain);
  placeToken(chain, MINT, 80);
  assert.equal((await tracker.snapshot(MINT)).kind, "assessed");
  await tracker.close();
});

test("a token whose pool is created a minute after its mint is answered soon", async () => {
  const chain = new ScriptedChain();
  const tracker = await askedForLong(chain);
  const { address, vaultA, vaultB } = placeToken(chain, MINT, 80);
  const parts = (await chain.readAccounts([address, vaultA, vaultB])).accounts;
  for (const part of parts.keys()) chain.set(part, null);
  assert.equal((await tracker.snapshot(MINT)).kind, "not-found");
  chain.advance(MINUTE_SLOTS);
  assert.equal((await tracker.snapshot(MINT)).kind, "not-found");
  for (const [part, account] of parts) chain.set(part, account);
  chain.advance(MINUTE_SLOTS);
  assert.equal((await tracker.snapshot(MINT)).kind, "assessed");
  await tracker.close();
});

/** A holder's account of a token whose pool does not exist yet. */
function placeHolder(chain: ScriptedChain): void {
  placeMint(chain, MINT);
  chain.set(namedAddress("holder"), vaultAccount(MINT, 1_000n));
}

test("a pool that is created hours after its mint, which was requested all the time, is found within a minute", async () => {
  const chain = new ScriptedChain();
  placeHolder(chain);
  const tracker = await askedForLong(chain);
  await tracker.idle();
  const { length: searches } = chain.searches;
  const { length: compared } = chain.holderSearches;
  chain.advance(MINUTE_SLOTS);
  assert.equal((await tracker.snapshot(MINT)).kind, "not-found");
  await tracker.idle();
  assert.equal(chain.searches.length, searches, "no search while its holders are the same");
  assert.equal(chain.holderSearches.length, compared + 1);
  placeToken(chain, MINT, 80);
  chain.advance(MINUTE_SLOTS);
  await tracker.snapshot(MINT);
  await tracker.idle();
  assert.equal((await tracker.snapshot(MINT)).kind, "assessed");
  await tracker.close();
});

test("the holders of an account that belongs to something else are not asked for", async () => {
  const chain = new ScriptedChain();
  chain.set(MINT, vaultAccount(namedAddress("another mint"), 1n));
  const tracker = await askedForLong(chain);
  assert.deepEqual(chain.holderSearches, []);
  await tracker.close();
});
