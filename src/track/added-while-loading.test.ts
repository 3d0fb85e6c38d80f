import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  namedAddress,
  type PlainPool,
  plainPool,
  plainPoolAccount,
  plainVenue,
} from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import type { Database } from "#src/store/connection/database.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { placePool, placeToken, SOL } from "#test/simulation/track/plain-market.ts";
import { sqliteDatabase } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { eventually } from "#test/support/eventually.ts";
import { addToken, type NewToken } from "./following/followed-tokens.ts";
import { createLiveState } from "./following/live-state.ts";
import type { MarketSnapshot } from "./market-snapshot.ts";
import { MAX_POOLS } from "./pools/choose-pools.ts";
import { NO_NAMES } from "./pools/token-names.ts";
import { Tracker } from "./tracker.ts";

const MINT = namedAddress("token");
const NOW_MS = 1_800_000_000_000;
const RESERVES = { base: 500_000_000_000_000n, quote: 20n * SOL };

/** A token with a pool that trades (80 SOL) and one that does not (20 SOL): the stream has the first alone. */
function quietMarket() {
  const chain = new ScriptedChain();
  const busy = placeToken(chain, MINT, 80);
  const quiet = placePool(chain, plainPool("quiet", MINT, WSOL), RESERVES);
  return { chain, busy, quiet };
}

function open(chain: ScriptedChain, database: Database | null): Tracker {
  const venues = [plainVenue()];
  const everything = { venues, transactions: null };
  const clock = { nowMs: () => chain.nowMs };
  return new Tracker({ source: chain, venues, clock, database, everything });
}

function track(t: TestContext, chain: ScriptedChain, database: Database | null = null): Tracker {
  const tracker = open(chain, database);
  closeAfter(t, () => tracker.close());
  return tracker;
}

/** The stream delivers the pool's account, and the token is added with this pool. */
async function trade(chain: ScriptedChain, tracker: Tracker, pool: PlainPool): Promise<void> {
  chain.set(pool.address, plainPoolAccount(pool));
  await eventually("the stream adds the token", () => {
    tracker.tick();
    return tracker.mints().includes(MINT) ? true : null;
  });
  // The token is measured, from this pool alone.
  tracker.tick();
}

function assertWhole(snapshot: MarketSnapshot | null): void {
  assert.ok(snapshot?.kind === "assessed");
  const { measurement, findings } = snapshot.assessment;
  assert.equal(measurement?.depthLamports, 100n * SOL);
  assert.equal(
    findings.some(({ kind }) => kind === "search-incomplete"),
    false,
  );
}

test("a token that trades during its load is answered with every pool found, and not searched again", async (t) => {
  const { chain, busy } = quietMarket();
  const tracker = track(t, chain);
  const search = chain.searchAccounts.bind(chain);
  let isTraded = false;
  t.mock.method(chain, "searchAccounts", async (filter: Parameters<typeof search>[0]) => {
    const result = await search(filter);
    if (!isTraded) {
      isTraded = true;
      chain.advance(1);
      await trade(chain, tracker, busy);
    }
    return result;
  });
  assertWhole(await tracker.snapshot(MINT));
  const searches = chain.searches.length;
  assertWhole(await tracker.snapshot(MINT));
  assertWhole(tracker.latest(MINT));
  assert.equal(chain.searches.length, searches);
});

test("a change that the stream brings while the token is read is in its answers before these claim its slot", async (t) => {
  const chain = new ScriptedChain();
  const busy = placeToken(chain, MINT, 80);
  const tracker = track(t, chain);
  tracker.tick();
  chain.advance(1);
  const read = chain.readAccounts.bind(chain);
  let pausedSlot: bigint | null = null;
  t.mock.method(chain, "readAccounts", async (addresses: readonly Address[]) => {
    const result = await read(addresses);
    if (pausedSlot === null && addresses.includes(busy.address)) {
      chain.advance(1);
      chain.set(busy.address, plainPoolAccount(busy, { isPaused: true }));
      chain.reach(chain.slot);
      pausedSlot = chain.slot;
    }
    return result;
  });
  for (let step = 0; step < 20; step++) {
    const snapshot = step === 0 ? await tracker.snapshot(MINT) : tracker.latest(MINT);
    assert.ok(snapshot?.kind === "assessed" && pausedSlot !== null);
    const { slot, blocked } = snapshot.assessment;
    if (slot >= pausedSlot) assert.equal(blocked, "all-paused", `step ${step}`);
    if (step === 19) assert.ok(slot >= pausedSlot);
    chain.advance(1);
    chain.reach(chain.slot);
    tracker.tick();
    await tracker.idle();
  }
});

/** A process that follows the token of the stream, requested or not, and then ends. */
async function follow(database: Database, { isRequested }: { readonly isRequested: boolean }) {
  const market = quietMarket();
  const { chain, busy } = market;
  const tracker = open(chain, database);
  chain.advance(1);
  await trade(chain, tracker, busy);
  if (isRequested) await tracker.snapshot(MINT);
  await tracker.close();
  chain.searches.length = 0;
  return market;
}

test("a token that trades while it is restored keeps its stored pools", async (t) => {
  const database = await sqliteDatabase(t);
  const { chain, busy, quiet } = await follow(database, { isRequested: true });
  const gate = Promise.withResolvers<void>();
  const read = chain.readAccounts.bind(chain);
  t.mock.method(chain, "readAccounts", async (addresses: readonly Address[]) => {
    if (addresses.includes(quiet.address)) await gate.promise;
    return await read(addresses);
  });
  chain.advance(1);
  const tracker = track(t, chain, database);
  await tracker.restore();
  tracker.tick();
  chain.advance(1);
  await trade(chain, tracker, busy);
  gate.resolve();
  await tracker.idle();
  tracker.tick();
  assertWhole(await tracker.snapshot(MINT));
  assert.equal(chain.searches.length, 0);
});

test("a request for a restored token that was never searched waits for its search", async (t) => {
  const database = await sqliteDatabase(t);
  const { chain } = await follow(database, { isRequested: false });
  chain.advance(1);
  const tracker = track(t, chain, database);
  await tracker.restore();
  const asked = tracker.snapshot(MINT);
  await eventually("the token is restored", () => {
    tracker.tick();
    return tracker.mints().includes(MINT) ? true : null;
  });
  assertWhole(await asked);
});

/** A token as the stream adds it with one pool, and as a search of `count` pools finds it. */
function addedAndFound(count: number, options: { readonly isPoolFound: boolean }) {
  const loaded = new Map<Address, Account | null>();
  const venue = plainVenue();
  const refs = Array.from({ length: count + 1 }, (_, index) => {
    const pool = plainPool(`pool ${index}`, MINT, WSOL);
    loaded.set(pool.address, { ...plainPoolAccount(pool), slot: 1n });
    return { venue, address: pool.address, mint: MINT, isReserved: false };
  });
  const tokenOf = (pools: typeof refs, isSearched: boolean): NewToken => ({
    ...{ mint: MINT, mintFacts: null, loaded, isSearched, nowMs: NOW_MS },
    names: isSearched ? { name: "Found", symbol: "F" } : NO_NAMES,
    found: {
      ...{ pools, vacant: [], leftOut: [], refusals: [], isSearchComplete: true },
      isDerivedOnly: !isSearched,
      searchedSlot: isSearched ? 1n : null,
    },
  });
  const found = options.isPoolFound ? refs.slice(0, count) : refs.slice(1);
  return { added: tokenOf(refs.slice(0, 1), false), found: tokenOf(found, true) };
}

test("a load is merged into a token that was never searched, and never into one that was", () => {
  const state = createLiveState();
  const { added, found } = addedAndFound(3, { isPoolFound: false });
  const token = addToken(state, added);
  assert.equal(addToken(state, found), token);
  const { isSearched, names, group } = token;
  assert.deepEqual({ isSearched, names }, { isSearched: true, names: found.names });
  assert.deepEqual([group.isDerivedOnly, group.searchedSlot, group.pools.size], [false, 1n, 4]);
  const { version } = group;
  const later = { ...found, found: { ...found.found, isSearchComplete: false } };
  assert.equal(addToken(state, { ...later, names: NO_NAMES }), token);
  assert.deepEqual([token.names, group.version], [found.names, version]);
});

test("an incomplete load makes the token's search incomplete, and the next one due as after any such", () => {
  const state = createLiveState();
  const { added, found } = addedAndFound(3, { isPoolFound: true });
  const token = addToken(state, added);
  addToken(state, { ...found, found: { ...found.found, isSearchComplete: false } });
  assert.equal(token.group.isSearchComplete, false);
  assert.equal(token.searchDueMs, NOW_MS + 60_000);
});

for (const isPoolFound of [true, false]) {
  const what = isPoolFound ? "complete" : "incomplete, as the search had not seen the pool";
  test(`a token of which a load found as many pools as are followed is searched: ${what}`, () => {
    const state = createLiveState();
    const { added, found } = addedAndFound(MAX_POOLS, { isPoolFound });
    const token = addToken(state, added);
    addToken(state, found);
    assert.equal(token.group.pools.size, MAX_POOLS);
    assert.equal(token.group.isSearchComplete, isPoolFound);
    assert.equal(token.searchDueMs <= NOW_MS + 5_000, !isPoolFound);
  });
}
