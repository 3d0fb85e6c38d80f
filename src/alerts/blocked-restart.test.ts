import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Store } from "#src/store/schema.ts";
import { changeWatchlistEntry } from "#src/store/watchlist.ts";
import { eachDatabase } from "#test/support/databases/databases.ts";
import { marketOf, poolOfSol } from "#test/support/markets/markets.ts";
import { MINT, recorderScene } from "#test/support/users/recorder-scene.ts";
import { someUser, watch } from "#test/support/users/watching-users.ts";

const BLOCKED = ["blocked"];

/** A watched token whose trading can be paused. */
async function scene(t: TestContext, store: Store) {
  const ana = await someUser(store, "ana@example.com");
  const entryId = await watch(store, ana, { mint: MINT, sizeSol: 3 });
  const stage = await recorderScene(t, store);
  const kinds = () => stage.kindsOf(ana);
  return {
    ...{ ana, entryId, kinds, stage },
    /** Its answers of this many seconds, one every ten. */
    async show(status: "open" | "paused", seconds: number) {
      for (let passed = 0; passed <= seconds; passed += 10) {
        stage.advance(10_000);
        if (status === "open") stage.showPool(MINT, 1_000);
        else stage.show(marketOf([poolOfSol(1_000, 0.001, { status: "paused" })], { mint: MINT }));
        await kinds();
      }
    },
  };
}

test("a token that is blocked since a restart is reported a minute after it, and once", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const { kinds, show, stage } = await scene(t, store);
    await show("open", 10);
    await stage.restart();
    await show("paused", 50);
    assert.deepEqual(await kinds(), []);
    await show("paused", 20);
    assert.deepEqual(await kinds(), BLOCKED);
    await show("paused", 100);
    assert.deepEqual(await kinds(), BLOCKED);
  });
});

test("a block that lasts through restarts is reported once, and the next one again", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const { kinds, show, stage } = await scene(t, store);
    await show("open", 10);
    await show("paused", 30);
    await stage.restart();
    await show("paused", 100);
    assert.deepEqual(await kinds(), BLOCKED);
    await stage.restart();
    await show("paused", 100);
    assert.deepEqual(await kinds(), BLOCKED);
    await show("open", 10);
    await stage.restart();
    await show("paused", 100);
    assert.deepEqual(await kinds(), [...BLOCKED, ...BLOCKED]);
  });
});

test("a token that was blocked when it was first watched is not reported, also after a restart", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const { kinds, show, stage } = await scene(t, store);
    await show("paused", 100);
    await stage.restart();
    await show("paused", 100);
    assert.deepEqual(await kinds(), []);
  });
});

test("a block that began while an entry's alerts were off is not reported, the next one is", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const { ana, entryId, kinds, show, stage } = await scene(t, store);
    const switchAlerts = async (areAlertsEnabled: boolean) => {
      const id = { userId: ana, id: entryId };
      await changeWatchlistEntry(store.db, id, { sizeLamports: null, areAlertsEnabled });
      await stage.recorder.reload(ana);
    };
    await show("open", 10);
    await switchAlerts(false);
    await show("paused", 10);
    await switchAlerts(true);
    await show("paused", 100);
    assert.deepEqual(await kinds(), []);
    await show("open", 10);
    await show("paused", 100);
    assert.deepEqual(await kinds(), BLOCKED);
  });
});

test("blocks are reported whenever the size of the entry changes", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const { ana, entryId, kinds, show, stage } = await scene(t, store);
    await show("open", 10);
    await show("paused", 30);
    const id = { userId: ana, id: entryId };
    const change = { sizeLamports: 2_000_000_000n, areAlertsEnabled: null };
    await changeWatchlistEntry(store.db, id, change);
    await stage.recorder.reload(ana);
    await show("paused", 50);
    assert.deepEqual(await kinds(), BLOCKED);
    // Opens before the next change is read.
    await changeWatchlistEntry(store.db, id, { ...change, sizeLamports: 1_000_000_000n });
    await show("open", 0);
    await stage.recorder.reload(ana);
    await show("paused", 100);
    assert.deepEqual(await kinds(), [...BLOCKED, ...BLOCKED]);
  });
});

test("a token without a way out is not reported as blocked while its search is repeated after a start", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const { kinds, stage } = await scene(t, store);
    const showEmpty = async (isSearchComplete: boolean, seconds: number) => {
      for (let passed = 0; passed <= seconds; passed += 10) {
        stage.advance(10_000);
        stage.show(marketOf([], { mint: MINT, isSearchComplete }));
        await kinds();
      }
    };
    await showEmpty(true, 30);
    await stage.restart();
    stage.advance(11 * 60_000);
    await showEmpty(false, 100);
    assert.deepEqual(await kinds(), []);
    await showEmpty(true, 10);
    await showEmpty(false, 100);
    assert.deepEqual(await kinds(), BLOCKED);
  });
});
