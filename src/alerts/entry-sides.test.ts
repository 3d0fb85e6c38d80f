import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { Store } from "#src/store/schema.ts";
import type { UserId } from "#src/store/user-id.ts";
import { setUserDisabled } from "#src/store/users.ts";
import { changeWatchlistEntry, removeWatchlistEntry } from "#src/store/watchlist.ts";
import { eachDatabase, sqliteDatabase } from "#test/support/databases/databases.ts";
import { marketOf, poolOfSol } from "#test/support/markets/markets.ts";
import { poolAddress } from "#test/support/pools/pools.ts";
import { MINT, OTHER, recorderScene } from "#test/support/users/recorder-scene.ts";
import { someUser, watch } from "#test/support/users/watching-users.ts";
import type { AlertRecorder } from "./alert-recorder.ts";

test("slippage at the entry's own size alerts on passing 10 % from below, once until it was below 8 %", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const ana = await someUser(store, "ana@example.com");
    const eva = await someUser(store, "eva@example.com");
    await watch(store, ana, { mint: MINT, sizeSol: 5 });
    await watch(store, eva, { mint: MINT, sizeSol: 0.7 });
    const { showPool, advance, kindsOf } = await recorderScene(t, store);
    const told = async (...pools: number[]) => {
      for (const sol of pools) {
        showPool(MINT, sol);
        advance(1_000);
        await kindsOf(ana);
      }
      return [(await kindsOf(ana)).length, (await kindsOf(eva)).length];
    };
    assert.deepEqual(await told(100, 90, 80), [0, 0]);
    assert.deepEqual(await told(40), [1, 0], "5 SOL pass 10 %, 0.7 do not");
    assert.deepEqual(await told(35, 45, 52, 40), [1, 0], "9 % is not below 8 %");
    assert.deepEqual(await told(100, 40), [2, 0]);
    assert.deepEqual(await told(100, 6), [3, 1]);
    assert.deepEqual(await kindsOf(ana), ["slippage", "slippage", "slippage"]);
  });
});

test("lists that are read again before a side is on disk forget nothing that was seen", async (t) => {
  const store = await sqliteDatabase(t);
  const ana = await someUser(store, "ana@example.com");
  await watch(store, ana, { mint: MINT, sizeSol: 5 });
  const { showPool, recorder, kindsOf } = await recorderScene(t, store);
  showPool(MINT, 100);
  await setImmediate();
  await recorder.reload();
  showPool(MINT, 20);
  assert.deepEqual(await kindsOf(ana), ["slippage"]);
});

test("lists of many pages are read whole, and the last of them alerts as the first does", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const ana = await someUser(store, "ana@example.com");
    await watch(store, ana, { mint: MINT, sizeSol: 5 });
    const others = Array.from({ length: 1_000 }, (_, number) => ({
      ...{ user_id: ana, mint: poolAddress(1_000 + number), size_lamports: 1n },
      ...{ alerts_enabled: 1n, created_at_ms: 0n },
    }));
    await store.db.insertInto("watchlist_entries").values(others).execute();
    await watch(store, ana, { mint: OTHER, sizeSol: 5 });
    const { showPool, advance, kindsOf } = await recorderScene(t, store);
    for (const mint of [MINT, OTHER]) showPool(mint, 100);
    await kindsOf(ana);
    advance(1_000);
    for (const mint of [MINT, OTHER]) showPool(mint, 20);
    assert.deepEqual(await kindsOf(ana), ["slippage", "slippage"]);
  });
});

/** A side is seen at one SOL, the entry is changed to ten, the lists are read: its market as before raises nothing. */
async function changeSizeAfterSide(
  t: TestContext,
  store: Store,
  readLists: (recorder: AlertRecorder, userId: UserId) => Promise<void>,
) {
  const ana = await someUser(store, "ana@example.com");
  const id = await watch(store, ana, { mint: MINT, sizeSol: 1 });
  const { showPool, recorder, kindsOf } = await recorderScene(t, store);
  showPool(MINT, 20);
  await setImmediate();
  const change = { sizeLamports: 10_000_000_000n, areAlertsEnabled: null };
  await changeWatchlistEntry(store.db, { userId: ana, id }, change);
  await readLists(recorder, ana);
  showPool(MINT, 20);
  assert.deepEqual(await kindsOf(ana), [], "nothing was passed at ten SOL");
}

test("a side seen at another size does not apply to the size that was set", async (t) => {
  const store = await sqliteDatabase(t);
  await changeSizeAfterSide(t, store, (recorder, userId) => recorder.reload(userId));
});

test("a side that is written after its entry's size was changed does not apply to the new size", async (t) => {
  await eachDatabase(t, (t, store) =>
    changeSizeAfterSide(t, store, async (recorder) => {
      await recorder.settled();
      await recorder.reload();
    }),
  );
});

test("entries switched off, changed, removed, new, or of a disabled user start from nothing", async (t) => {
  const store = await sqliteDatabase(t);
  const ana = await someUser(store, "ana@example.com");
  const off = await watch(store, ana, { mint: MINT, sizeSol: 5 });
  const removed = await watch(store, ana, { mint: OTHER, sizeSol: 5 });
  const stage = await recorderScene(t, store);
  const { showPool, recorder, kindsOf } = stage;
  for (const mint of [MINT, OTHER]) showPool(mint, 100);
  await kindsOf(ana);
  const nothing = { sizeLamports: null, areAlertsEnabled: null };
  const entry = { userId: ana, id: off };
  await changeWatchlistEntry(store.db, entry, { ...nothing, areAlertsEnabled: false });
  await removeWatchlistEntry(store.db, { userId: ana, id: removed });
  await recorder.reload(ana);
  for (const mint of [MINT, OTHER]) showPool(mint, 10);
  stage.deteriorate(MINT);
  assert.deepEqual(await kindsOf(ana), []);
  await changeWatchlistEntry(store.db, entry, { ...nothing, areAlertsEnabled: true });
  await recorder.reload(ana);
  showPool(MINT, 9);
  assert.deepEqual(await kindsOf(ana), [], "the first reading passes nothing");
  showPool(MINT, 100);
  await kindsOf(ana);
  await setUserDisabled(store.db, { userId: ana, isDisabled: true }, stage.clock.nowMs());
  await recorder.reload();
  showPool(MINT, 10);
  assert.deepEqual(await kindsOf(ana), []);
});

test("a change of an entry to what it was already forgets nothing that was seen", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const ana = await someUser(store, "ana@example.com");
    const id = await watch(store, ana, { mint: MINT, sizeSol: 5 });
    const { show, showPool, advance, recorder, kindsOf } = await recorderScene(t, store);
    const same = { sizeLamports: 5_000_000_000n, areAlertsEnabled: true };
    const changeNothing = async () => {
      for (const change of [same, { ...same, sizeLamports: null }]) {
        await changeWatchlistEntry(store.db, { userId: ana, id }, change);
        await recorder.reload(ana);
      }
    };
    showPool(MINT, 100);
    await kindsOf(ana);
    await changeNothing();
    showPool(MINT, 20);
    assert.deepEqual(await kindsOf(ana), ["slippage"]);
    const paused = marketOf([poolOfSol(20, 0.001, { status: "paused" })], { mint: MINT });
    for (let seconds = 0; seconds < 90; seconds += 30) {
      show(paused);
      await kindsOf(ana);
      await changeNothing();
      advance(31_000);
    }
    show(paused);
    assert.deepEqual(await kindsOf(ana), ["slippage", "blocked"]);
  });
});
