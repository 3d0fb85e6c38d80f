import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress, plainPool } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import type { ChainSource } from "#src/chain/chain-source.ts";
import type { Database } from "#src/store/connection/database.ts";
import { lastFollowedAtMs } from "#src/store/known-pools.ts";
import { createUserForEmail, findUserByEmail } from "#src/store/users.ts";
import { addWatchlistEntry } from "#src/store/watchlist.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { placePool, placeToken, SOL } from "#test/simulation/track/plain-market.ts";
import { track } from "#test/simulation/track/tracker-on.ts";
import { eachDatabase, sqliteDatabase } from "#test/support/databases/databases.ts";
import { eventually } from "#test/support/eventually.ts";
import type { MarketSnapshot } from "../market-snapshot.ts";
import type { Tracker } from "../tracker.ts";

const MINT = namedAddress("token");
const SLOTS_PER_MINUTE = 150;

/** A process that follows these tokens, each requested a minute after the previous one, and then ends. */
async function follow(chain: ScriptedChain, database: Database, mints: readonly Address[]) {
  const tracker = track(chain, database);
  for (const mint of mints) {
    await tracker.snapshot(mint);
    tracker.tick();
    chain.advance(SLOTS_PER_MINUTE);
  }
  for (let round = 0; round < 3; round++) {
    await tracker.idle();
    chain.advance(25);
    tracker.tick();
  }
  await tracker.idle();
  await tracker.close();
  chain.searches.length = 0;
  chain.holderSearches.length = 0;
  chain.reads.length = 0;
}

/** Ticks until the tracker has as many tokens. */
async function restored(tracker: Tracker, count: number): Promise<void> {
  await eventually("the known tokens are followed", () => {
    tracker.tick();
    return tracker.mints().length >= count ? true : null;
  });
}

function hangs(): Promise<never> {
  return new Promise(() => {});
}

function assessed(snapshot: MarketSnapshot | null) {
  assert.equal(snapshot?.kind, "assessed");
  return snapshot.assessment;
}

async function watch(database: Database, mint: Address): Promise<void> {
  await createUserForEmail(database, "watcher@example.com", 0);
  const user = await findUserByEmail(database.db, "watcher@example.com");
  assert.ok(user !== null);
  const entry = { userId: user.id, mint, sizeLamports: SOL };
  await addWatchlistEntry(database, entry, { limitOfTier: () => 5, nowMs: 0 });
}

test("a known token is answered from the store while the node hangs, with its own slot and its true age", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    const chain = new ScriptedChain();
    placeToken(chain, MINT, 80);
    await follow(chain, database, [MINT]);
    const endedAtMs = chain.nowMs;
    const endedSlot = chain.slot;
    chain.advance(SLOTS_PER_MINUTE);
    const broken = { readAccounts: hangs, searchAccounts: hangs, findLargestAccounts: hangs };
    const tracker = track(chain, database, broken);
    await tracker.restore();
    tracker.tick();
    const { slot, stateTimeMs, measurement, findings } = assessed(await tracker.snapshot(MINT));
    assert.ok(slot <= endedSlot);
    assert.ok(stateTimeMs <= endedAtMs, "the state is of the earlier process");
    assert.equal(measurement?.depthLamports, 80n * SOL);
    const stale = findings.find(({ kind }) => kind === "stale");
    assert.ok(stale?.kind === "stale");
    assert.equal(stale.ageSeconds, Math.floor((chain.nowMs - stateTimeMs) / 1_000));
    assert.equal(chain.reads.length, 0);
  });
});

test("a stored answer that is too old to contain a measurement is not given instead of the live one", async (t) => {
  const database = await sqliteDatabase(t);
  const chain = new ScriptedChain();
  placeToken(chain, MINT, 80);
  await follow(chain, database, [MINT]);
  chain.advance(11 * SLOTS_PER_MINUTE);
  const gate = Promise.withResolvers<void>();
  const readAccounts: ChainSource["readAccounts"] = async (addresses) => {
    await gate.promise;
    return await chain.readAccounts(addresses);
  };
  const tracker = track(chain, database, { readAccounts });
  const asked = tracker.snapshot(MINT);
  await tracker.restore();
  setTimeout(() => gate.resolve(), 400);
  const ticking = setInterval(() => tracker.tick(), 15);
  const { measurement, stateTimeMs } = assessed(await asked);
  clearInterval(ticking);
  assert.equal(measurement?.depthLamports, 80n * SOL);
  assert.ok(chain.nowMs - stateTimeMs < 2_000);
  await tracker.close();
});

test("known tokens are read again without a search, and their answers are as before", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    const chain = new ScriptedChain();
    const mints = Array.from({ length: 60 }, (_, index) => namedAddress(`token ${index}`));
    for (const [index, mint] of mints.entries()) placeToken(chain, mint, 50 + index);
    const first = track(chain, database);
    await Promise.all(mints.map((mint) => first.snapshot(mint)));
    await first.close();
    chain.searches.length = 0;
    chain.holderSearches.length = 0;
    chain.reads.length = 0;
    const tracker = track(chain, database);
    await tracker.restore();
    await restored(tracker, mints.length);
    await tracker.idle();
    for (const [index, mint] of mints.entries()) {
      const { measurement, findings } = assessed(tracker.latest(mint));
      assert.equal(measurement?.depthLamports, BigInt(50 + index) * SOL);
      assert.equal(
        findings.some(({ kind }) => kind === "search-incomplete"),
        false,
      );
    }
    assert.equal(chain.searches.length, 0);
    assert.equal(chain.holderSearches.length, 0);
    await tracker.close();
  });
});

test("the pools of known tokens are searched in the background, within the first wait", async (t) => {
  const database = await sqliteDatabase(t);
  const chain = new ScriptedChain();
  placeToken(chain, MINT, 80);
  await follow(chain, database, [MINT]);
  const tracker = track(chain, database);
  await tracker.restore();
  await restored(tracker, 1);
  assert.equal(chain.searches.length, 0);
  for (let minute = 0; minute < 11; minute++) {
    chain.advance(SLOTS_PER_MINUTE);
    await tracker.snapshot(MINT);
    tracker.tick();
    await tracker.idle();
  }
  assert.ok(chain.searches.length > 0);
  await tracker.close();
});

test("after a long pause, known pools count as an incomplete search", async (t) => {
  const database = await sqliteDatabase(t);
  const chain = new ScriptedChain();
  placeToken(chain, MINT, 80);
  await watch(database, MINT);
  await follow(chain, database, [MINT]);
  chain.advance(60 * SLOTS_PER_MINUTE);
  const tracker = track(chain, database, { searchAccounts: hangs });
  await tracker.restore();
  await restored(tracker, 1);
  const { measurement, findings } = assessed(tracker.latest(MINT));
  assert.equal(measurement?.depthLamports, 80n * SOL);
  assert.ok(findings.some(({ kind }) => kind === "search-incomplete"));
});

test("a requested token is restored first, then watched tokens, then the last used", async (t) => {
  const database = await sqliteDatabase(t);
  const chain = new ScriptedChain();
  const mints = ["oldest", "older", "newer", "newest"].map(namedAddress);
  for (const mint of mints) placeToken(chain, mint, 80);
  const [oldest, older, newer, newest] = mints;
  assert.ok(oldest && older && newer && newest);
  await watch(database, oldest);
  await follow(chain, database, mints);
  const order: Address[] = [];
  const readAccounts: ChainSource["readAccounts"] = (addresses) => {
    for (const address of addresses) {
      if (mints.includes(address) && !order.includes(address)) order.push(address);
    }
    return chain.readAccounts(addresses);
  };
  const tracker = track(chain, database, { readAccounts });
  await tracker.restore();
  const asked = tracker.snapshot(older);
  await new Promise((resolve) => setImmediate(resolve));
  await restored(tracker, mints.length);
  await asked;
  assert.deepEqual(order, [older, oldest, newest, newer]);
  await tracker.close();
});

test("a batch of accounts that is refused or hangs delays no other batch", async (t) => {
  const mints = Array.from({ length: 200 }, (_, index) => namedAddress(`token ${index}`));
  for (const fault of ["refused", "hangs"] as const) {
    const database = await sqliteDatabase(t);
    const chain = new ScriptedChain();
    for (const mint of mints) placeToken(chain, mint, 80);
    const first = track(chain, database);
    for (let start = 0; start < mints.length; start += 50) {
      await Promise.all(mints.slice(start, start + 50).map((mint) => first.snapshot(mint)));
    }
    await first.close();
    const [poisoned] = mints;
    assert.ok(poisoned);
    const readAccounts: ChainSource["readAccounts"] = async (addresses) => {
      if (!addresses.includes(poisoned)) return await chain.readAccounts(addresses);
      if (fault === "hangs") return await hangs();
      throw new Error("refused");
    };
    const tracker = track(chain, database, { readAccounts });
    await tracker.restore();
    // A refused batch is divided until the refused token is alone; a batch that hangs is not divided.
    const others = fault === "refused" ? mints.length - 1 : mints.length - 48;
    await eventually("the others are followed", () => {
      tracker.tick();
      chain.advance(2);
      return tracker.mints().length >= others ? true : null;
    });
    assert.equal(tracker.mints().includes(poisoned), false);
  }
});

test("a token with a known pool that no longer belongs to its program is searched", async (t) => {
  const database = await sqliteDatabase(t);
  const chain = new ScriptedChain();
  const pool = placeToken(chain, MINT, 80);
  await follow(chain, database, [MINT]);
  chain.set(pool.address, null);
  const tracker = track(chain, database);
  await tracker.restore();
  const asked = tracker.snapshot(MINT);
  const ticking = setInterval(() => tracker.tick(), 5);
  await asked;
  clearInterval(ticking);
  assert.ok(chain.searches.length > 0);
  await tracker.close();
});

test("a token is current as soon as it is followed again: its first answer needs no load of its own", async (t) => {
  const database = await sqliteDatabase(t);
  const chain = new ScriptedChain();
  placeToken(chain, MINT, 80);
  // An account that does not exist has no slot, and does not make the state old.
  const other = placePool(chain, plainPool("other", MINT, WSOL), { base: 1n, quote: 1n });
  chain.set(other.vaultB, null);
  await follow(chain, database, [MINT]);
  const tracker = track(chain, database, {
    readClock: hangs,
    searchAccounts: hangs,
    findLargestAccounts: hangs,
  });
  await tracker.restore();
  await restored(tracker, 1);
  const { stateTimeMs, measurement } = assessed(await tracker.snapshot(MINT));
  assert.equal(measurement?.depthLamports, 80n * SOL);
  assert.ok(chain.nowMs - stateTimeMs < 1_000);
});

test("a watched token whose accounts are being read is not loaded a second time", async (t) => {
  const database = await sqliteDatabase(t);
  const chain = new ScriptedChain();
  placeToken(chain, MINT, 80);
  await watch(database, MINT);
  await follow(chain, database, [MINT]);
  const gate = Promise.withResolvers<void>();
  const readAccounts: ChainSource["readAccounts"] = async (addresses) => {
    await gate.promise;
    return await chain.readAccounts(addresses);
  };
  const tracker = track(chain, database, { readAccounts });
  await tracker.restore();
  tracker.tick();
  tracker.setWatched([MINT]);
  const asked = tracker.snapshot(MINT);
  gate.resolve();
  await restored(tracker, 1);
  assert.equal(assessed(await asked).measurement?.depthLamports, 80n * SOL);
  assert.equal(chain.searches.length, 0);
  assert.equal(chain.holderSearches.length, 0);
  await tracker.close();
});

test("a tracker that closes while a token waits for its turn ends and restores no further token", async (t) => {
  const database = await sqliteDatabase(t);
  const chain = new ScriptedChain();
  placeToken(chain, MINT, 80);
  await follow(chain, database, [MINT]);
  const tracker = track(chain, database);
  const listed = tracker.restore();
  tracker.setWatched([MINT]);
  await listed;
  await tracker.close();
  await assert.rejects(tracker.snapshot(MINT), { name: "AbortError" });
});

test("a restored token is subscribed to new pools: a new pool is found without a search", async (t) => {
  const database = await sqliteDatabase(t);
  const chain = new ScriptedChain();
  placeToken(chain, MINT, 80);
  await follow(chain, database, [MINT]);
  const tracker = track(chain, database);
  await tracker.restore();
  await restored(tracker, 1);
  await tracker.idle();
  chain.advance(1);
  const reserves = { base: 500_000_000_000_000n, quote: 70n * SOL };
  placePool(chain, plainPool("later", MINT, WSOL), reserves);
  await eventually("both pools are measured", () => {
    chain.advance(1);
    tracker.tick();
    const { measurement } = assessed(tracker.latest(MINT));
    return measurement?.depthLamports === 150n * SOL ? true : null;
  });
  assert.equal(chain.searches.length, 0);
  await tracker.close();
});

test("tokens that still wait when the next process ends are restored by the process after it", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    const chain = new ScriptedChain();
    const [later, ...mints] = ["later", "a", "b"].map(namedAddress);
    assert.ok(later);
    for (const mint of [later, ...mints]) placeToken(chain, mint, 80);
    await follow(chain, database, mints);
    const endedAtMs = await lastFollowedAtMs(database.db);
    chain.advance(12 * SLOTS_PER_MINUTE);
    const refused = track(chain, database, {
      readAccounts: async (addresses) => {
        if (mints.some((mint) => addresses.includes(mint))) throw new Error("refused");
        return await chain.readAccounts(addresses);
      },
    });
    await refused.restore();
    refused.tick();
    await refused.snapshot(later);
    await refused.idle();
    await refused.close();
    assert.equal(await lastFollowedAtMs(database.db), endedAtMs);
    const tracker = track(chain, database);
    await tracker.restore();
    await restored(tracker, 3);
    await tracker.close();
    assert.deepEqual(tracker.mints().toSorted(), [later, ...mints].toSorted());
    // Nothing waits any more: the next process starts from here.
    assert.equal(await lastFollowedAtMs(database.db), chain.nowMs);
  });
});
