import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { WallClock } from "#src/platform/clock.ts";
import { alertsOf } from "#src/store/alerts.ts";
import type { Store } from "#src/store/schema.ts";
import { upsertTokens } from "#src/store/tokens.ts";
import { alertsOfUser } from "#src/store/user-alerts.ts";
import type { UserId } from "#src/store/user-id.ts";
import { setUserDisabled } from "#src/store/users.ts";
import { changeWatchlistEntry, removeWatchlistEntry } from "#src/store/watchlist.ts";
import type { Address } from "#src/units/address.ts";
import { eachDatabase, sqliteDatabase } from "#test/support/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { warningsTo } from "#test/support/failure-loggers.ts";
import { marketOf, poolOfSol } from "#test/support/markets.ts";
import { poolAddress } from "#test/support/pools.ts";
import { type ScriptedMarkets, scriptedMarkets } from "#test/support/scripted-markets.ts";
import { someUser, verifiedChannel, watch } from "#test/support/watching-users.ts";
import { AlertRecorder } from "./alert-recorder.ts";

const MINT = poolAddress(500);
const OTHER = poolAddress(501);

type Scene = ScriptedMarkets & {
  readonly store: Store;
  readonly recorder: AlertRecorder;
  readonly advance: (ms: number) => void;
  readonly clock: WallClock;
  /** Kinds of the user's alerts, the oldest first. */
  readonly kindsOf: (userId: UserId) => Promise<readonly string[]>;
  /** As after a crash: nothing of the old one is left but what is on disk. */
  readonly restart: () => Promise<AlertRecorder>;
};

const fail = (context: unknown) => assert.fail(JSON.stringify(context));

type Setting = { readonly newUid?: () => string; readonly warn?: (context: unknown) => void };

async function scene(t: TestContext, store: Store, setting: Setting = {}): Promise<Scene> {
  let nowMs = 1_800_000_000_000;
  let uid = 0;
  const scripted = scriptedMarkets({ nowMs: () => nowMs });
  const make = async () => {
    const recorder = new AlertRecorder({
      store,
      markets: scripted.markets,
      clock: { nowMs: () => nowMs },
      newUid: setting.newUid ?? (() => `msg_${uid++}`),
      onRecorded: () => undefined,
      log: warningsTo(setting.warn ?? fail),
    });
    await recorder.start();
    closeAfter(t, () => recorder.close());
    return recorder;
  };
  let recorder = await make();
  return {
    ...scripted,
    store,
    get recorder() {
      return recorder;
    },
    clock: { nowMs: () => nowMs },
    advance: (ms) => {
      nowMs += ms;
    },
    async kindsOf(userId) {
      await recorder.idle();
      const alerts = await alertsOfUser(store.db, { userId, beforeId: null, limit: 100 });
      return alerts.map(({ kind }) => kind).reverse();
    },
    async restart() {
      await recorder.close();
      recorder = await make();
      return recorder;
    },
  };
}

async function remember(store: Store, mint: Address): Promise<bigint> {
  const token = { mint, name: null, symbol: null, nowMs: 0 };
  const tokenId = (await upsertTokens(store.db, [token])).get(mint);
  assert.ok(tokenId !== undefined);
  return tokenId;
}

test("slippage at the entry's own size alerts on passing 10 % from below, once until it was below 8 %", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const ana = await someUser(store, "ana@example.com");
    const eva = await someUser(store, "eva@example.com");
    await watch(store, ana, { mint: MINT, sizeSol: 5 });
    await watch(store, eva, { mint: MINT, sizeSol: 0.7 });
    const { showPool, advance, kindsOf } = await scene(t, store);
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
  const { showPool, recorder, kindsOf } = await scene(t, store);
  showPool(MINT, 100);
  await setImmediate();
  await recorder.reload();
  showPool(MINT, 20);
  assert.deepEqual(await kindsOf(ana), ["slippage"]);
});

/** A side is seen at one SOL, the entry is changed to ten, the lists are read: its market as before raises nothing. */
async function changeSizeAfterSide(
  t: TestContext,
  store: Store,
  readLists: (recorder: AlertRecorder, userId: UserId) => Promise<void>,
) {
  const ana = await someUser(store, "ana@example.com");
  const id = await watch(store, ana, { mint: MINT, sizeSol: 1 });
  const { showPool, recorder, kindsOf } = await scene(t, store);
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

test("an alert has the values before and after, the cause with its share, and the position", async (t) => {
  const store = await sqliteDatabase(t);
  const ana = await someUser(store, "ana@example.com");
  const entryId = await watch(store, ana, { mint: MINT, sizeSol: 3 });
  const { showPool, advance, kindsOf } = await scene(t, store);
  showPool(MINT, 100);
  await kindsOf(ana);
  advance(5_000);
  showPool(MINT, 20);
  assert.deepEqual(await kindsOf(ana), ["slippage"]);
  const [alert] = await alertsOfUser(store.db, { userId: ana, beforeId: null, limit: 1 });
  assert.ok(alert);
  assert.deepEqual([alert.entryId, alert.sizeLamports], [entryId, 3_000_000_000n]);
  assert.ok(alert.slippagePct.before !== null && alert.slippagePct.before < 5);
  assert.ok(alert.slippagePct.after !== null && alert.slippagePct.after > 10);
  assert.deepEqual(alert.depthSol, { before: 100, after: 20 });
  assert.ok((alert.c10Sol.before ?? 0) > 4 * (alert.c10Sol.after ?? 0));
  assert.deepEqual([alert.cause, alert.share], ["withdrawn", 1]);
  assert.ok(alert.position && alert.position.paidLamports < 3_000_000_000n);
  assert.deepEqual([alert.tokenSymbol, alert.grade], ["TEST", null]);
});

test("a pool that is lost from sight does not explain a slippage that rose", async (t) => {
  const store = await sqliteDatabase(t);
  const ana = await someUser(store, "ana@example.com");
  await watch(store, ana, { mint: MINT, sizeSol: 5 });
  const { show, kindsOf } = await scene(t, store);
  const small = poolOfSol(20, 0.001, { number: 2 });
  for (const pools of [[poolOfSol(100), small], [small]]) {
    show(marketOf(pools, { mint: MINT }));
    await kindsOf(ana);
  }
  const [alert] = await alertsOfUser(store.db, { userId: ana, beforeId: null, limit: 1 });
  assert.deepEqual([alert?.kind, alert?.cause, alert?.share], ["slippage", "unknown", null]);
});

test("an exit that is gone alerts; a blocked market and a size that is not allowed do not", async (t) => {
  const store = await sqliteDatabase(t);
  const ana = await someUser(store, "ana@example.com");
  await watch(store, ana, { mint: MINT, sizeSol: 12 });
  const { show, showPool, recorder, kindsOf } = await scene(t, store);
  showPool(MINT, 1_000);
  await kindsOf(ana);
  show(marketOf([], { mint: MINT, isSearchComplete: false }));
  show(marketOf([poolOfSol(1_000, 0.001, { family: "other" })], { mint: MINT }));
  show(marketOf([poolOfSol(1_000, 0.001, { status: "paused" })], { mint: MINT }));
  assert.deepEqual(await kindsOf(ana), []);
  const eva = await someUser(store, "eva@example.com");
  await watch(store, eva, { mint: MINT, sizeSol: 3 });
  await recorder.reload(eva);
  showPool(MINT, 1_000);
  await kindsOf(eva);
  show(marketOf([], { mint: MINT }));
  assert.deepEqual(await kindsOf(eva), ["no-exit"]);
});

test("a withdrawal that also moves the slippage past 10 % is one alert, and counts as a crossing", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const ana = await someUser(store, "ana@example.com");
    const eva = await someUser(store, "eva@example.com");
    await watch(store, ana, { mint: MINT, sizeSol: 5 });
    await watch(store, eva, { mint: MINT, sizeSol: 0.01 });
    const stage = await scene(t, store);
    stage.showPool(MINT, 100);
    await stage.kindsOf(ana);
    stage.advance(1_000);
    stage.showPool(MINT, 30, {});
    assert.deepEqual(await stage.kindsOf(ana), ["deterioration"]);
    assert.deepEqual(await stage.kindsOf(eva), ["deterioration"]);
    stage.showPool(MINT, 28);
    assert.deepEqual(await stage.kindsOf(ana), ["deterioration"], "it has passed already");
  });
});

test("the token's own alert notifies each entry once, however often it is received", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const ana = await someUser(store, "ana@example.com");
    const eva = await someUser(store, "eva@example.com");
    for (const userId of [ana, eva]) await watch(store, userId, { mint: MINT, sizeSol: 0.01 });
    await watch(store, ana, { mint: OTHER });
    const stage = await scene(t, store);
    stage.showPool(MINT, 100);
    stage.showPool(OTHER, 100);
    await stage.kindsOf(ana);
    const sinceMs = stage.clock.nowMs();
    stage.deteriorate(MINT, { sinceMs });
    stage.deteriorate(MINT, { sinceMs });
    assert.deepEqual(await stage.kindsOf(ana), ["deterioration"]);
    assert.deepEqual(await stage.kindsOf(eva), ["deterioration"]);
    assert.equal(stage.recorder.recorded, 2);
    await stage.restart();
    stage.showPool(MINT, 100);
    await stage.kindsOf(ana);
    stage.deteriorate(MINT, { sinceMs });
    assert.deepEqual(await stage.kindsOf(ana), ["deterioration"]);
    stage.deteriorate(MINT, { sinceMs: sinceMs + 60_000 });
    assert.deepEqual(await stage.kindsOf(ana), ["deterioration", "deterioration"]);
  });
});

test("alerts that were missed during a restart are recorded after it, and recorded ones are not repeated", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const ana = await someUser(store, "ana@example.com");
    await watch(store, ana, { mint: MINT, sizeSol: 5 });
    const stage = await scene(t, store);
    stage.showPool(MINT, 100);
    await stage.kindsOf(ana);
    await stage.restart();
    stage.showPool(MINT, 30);
    assert.deepEqual(await stage.kindsOf(ana), ["slippage"]);
    const [alert] = await alertsOfUser(store.db, { userId: ana, beforeId: null, limit: 1 });
    assert.equal(alert?.slippagePct.before, null, "what was before is not known");
    await stage.restart();
    stage.showPool(MINT, 29);
    assert.deepEqual(await stage.kindsOf(ana), ["slippage"]);
  });
});

test("a token's alert, its watchers' alerts and their messages are written together or not at all", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const ana = await someUser(store, "ana@example.com");
    await watch(store, ana, { mint: MINT });
    await verifiedChannel(store, ana, { kind: "webhook", target: "https://a.example" });
    const tokenId = await remember(store, MINT);
    let failures = 1;
    const newUid = () => {
      if (failures-- > 0) throw new Error("no uid");
      return "msg_1";
    };
    const warnings: unknown[] = [];
    const stage = await scene(t, store, { newUid, warn: (context) => warnings.push(context) });
    stage.showPool(MINT, 100, {});
    await stage.recorder.settled();
    const written = async () => [
      (await alertsOf(store.db, { tokenId, limit: 9 })).length,
      (await alertsOfUser(store.db, { userId: ana, beforeId: null, limit: 9 })).length,
      (await store.db.selectFrom("messages").select("id").execute()).length,
    ];
    assert.equal(warnings.length, 1);
    assert.deepEqual(await written(), [0, 0, 0]);
    assert.deepEqual(await stage.kindsOf(ana), ["deterioration"]);
    assert.deepEqual(await written(), [1, 1, 1]);
  });
});

test("the alert of a token without watchers is recorded, and its end too", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const tokenId = await remember(store, MINT);
    const stage = await scene(t, store);
    const alerts = async () => {
      await stage.recorder.idle();
      const stored = await alertsOf(store.db, { tokenId, limit: 9 });
      return stored.map(({ detector, endedAtMs }) => [detector, endedAtMs]);
    };
    stage.showPool(MINT, 100, { detector: "drift" });
    assert.deepEqual(await alerts(), [["drift", null]]);
    stage.advance(5_000);
    stage.recover(MINT);
    assert.deepEqual(await alerts(), [["drift", stage.clock.nowMs()]]);
  });
});

test("a change of a token's alert that is reported before the watchlists are loaded is recorded", async (t) => {
  const store = await sqliteDatabase(t);
  const ana = await someUser(store, "ana@example.com");
  await watch(store, ana, { mint: MINT });
  const scripted = scriptedMarkets({ nowMs: () => 1_800_000_000_000 });
  const recorder = new AlertRecorder({
    store,
    markets: scripted.markets,
    clock: { nowMs: () => 1_800_000_000_000 },
    newUid: () => "msg_1",
    onRecorded: () => undefined,
    log: warningsTo(fail),
  });
  closeAfter(t, () => recorder.close());
  scripted.showPool(MINT, 100, {});
  await recorder.start();
  await recorder.idle();
  assert.equal(recorder.recorded, 1);
});

test("entries switched off, changed, removed, new, or of a disabled user start from nothing", async (t) => {
  const store = await sqliteDatabase(t);
  const ana = await someUser(store, "ana@example.com");
  const off = await watch(store, ana, { mint: MINT, sizeSol: 5 });
  const removed = await watch(store, ana, { mint: OTHER, sizeSol: 5 });
  const stage = await scene(t, store);
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

test("every watched token is asked of the tracker, a change at once, the unknown ones ever more rarely", async (t) => {
  const store = await sqliteDatabase(t);
  const ana = await someUser(store, "ana@example.com");
  await watch(store, ana, { mint: MINT });
  const { recorder, watched } = await scene(t, store);
  assert.deepEqual(watched(), [MINT]);
  const id = await watch(store, ana, { mint: OTHER });
  await recorder.reload(ana);
  assert.deepEqual([...watched()].sort(), [MINT, OTHER].sort());
  await removeWatchlistEntry(store.db, { userId: ana, id });
  await recorder.reload(ana);
  assert.deepEqual(watched(), [MINT]);
});

test("one market event is one message on each verified channel that is on, however many alerts it makes", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const ana = await someUser(store, "ana@example.com");
    await watch(store, ana, { mint: MINT, sizeSol: 5 });
    await watch(store, ana, { mint: OTHER, sizeSol: 5 });
    const mail = await verifiedChannel(store, ana, { kind: "email", target: "ana@example.com" });
    const hook = await verifiedChannel(store, ana, {
      kind: "webhook",
      target: "https://a.example",
    });
    const stage = await scene(t, store);
    for (const mint of [MINT, OTHER]) stage.showPool(mint, 100);
    await stage.kindsOf(ana);
    for (const mint of [MINT, OTHER]) {
      stage.showPool(mint, 20, {});
      await stage.kindsOf(ana);
      stage.advance(100);
    }
    assert.deepEqual(await stage.kindsOf(ana), ["deterioration", "deterioration"]);
    const messages = await store.db
      .selectFrom("messages")
      .innerJoin("message_alerts", "message_id", "messages.id")
      .select((eb) => ["channel_id", "uid", eb.fn.countAll<bigint>().as("alerts")])
      .groupBy(["channel_id", "uid"])
      .orderBy("channel_id")
      .execute();
    assert.deepEqual(
      messages.map(({ channel_id, alerts }) => [channel_id, Number(alerts)]),
      [
        [mail.id, 2],
        [hook.id, 2],
      ],
    );
  });
});
