import assert from "node:assert/strict";
import { test } from "node:test";
import type { Market } from "#src/measure/market/market.ts";
import { alertsOf } from "#src/store/alerts.ts";
import type { Store } from "#src/store/schema.ts";
import { upsertTokens } from "#src/store/tokens.ts";
import { alertsOfUser } from "#src/store/user-alerts.ts";
import { removeWatchlistEntry } from "#src/store/watchlist.ts";
import type { Address } from "#src/units/address.ts";
import { breakable } from "#test/support/databases/breakable-database.ts";
import { eachDatabase, sqliteDatabase } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { warningsTo } from "#test/support/failure-loggers.ts";
import { marketOf, poolOfSol } from "#test/support/markets/markets.ts";
import { scriptedMarkets } from "#test/support/markets/scripted-markets.ts";
import { NO_NOTICES } from "#test/support/users/alert-notices.ts";
import { failOn, MINT, OTHER, recorderScene } from "#test/support/users/recorder-scene.ts";
import { someUser, verifiedChannel, watch } from "#test/support/users/watching-users.ts";
import { AlertRecorder } from "./alert-recorder.ts";
import { alertItem } from "./delivery/alert-item.ts";

async function remember(store: Store, mint: Address): Promise<bigint> {
  const token = { mint, name: null, symbol: null, nowMs: 0 };
  const tokenId = (await upsertTokens(store.db, [token])).get(mint);
  assert.ok(tokenId !== undefined);
  return tokenId;
}

test("an alert has the values before and after, the cause with its share, and the position", async (t) => {
  const store = await sqliteDatabase(t);
  const ana = await someUser(store, "ana@example.com");
  const entryId = await watch(store, ana, { mint: MINT, sizeSol: 3 });
  const { showPool, advance, kindsOf } = await recorderScene(t, store);
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
  const { show, kindsOf } = await recorderScene(t, store);
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
  const { show, showPool, recorder, kindsOf } = await recorderScene(t, store);
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

test("a block by a pause has the pause as its cause and pays nothing; what other blocks pay is unknown", async (t) => {
  const store = await sqliteDatabase(t);
  const ana = await someUser(store, "ana@example.com");
  await watch(store, ana, { mint: MINT, sizeSol: 3 });
  const { show, showPool, advance, kindsOf } = await recorderScene(t, store);
  const blockedBy = async (market: Market) => {
    showPool(MINT, 1_000);
    await kindsOf(ana);
    for (let minute = 0; minute < 2; minute++) {
      advance(40_000);
      show(market);
      await kindsOf(ana);
    }
    advance(40_000);
    show(market);
    assert.equal((await kindsOf(ana)).at(-1), "blocked");
    const [alert] = await alertsOfUser(store.db, { userId: ana, beforeId: null, limit: 1 });
    assert.ok(alert);
    return alertItem(alert, "en");
  };
  const paused = await blockedBy(
    marketOf([poolOfSol(1_000, 0.001, { status: "paused" })], { mint: MINT }),
  );
  assert.deepEqual(
    [paused.cause, paused.c10_after_sol, paused.gone_pct],
    ["trading-paused", 0, 100],
  );
  assert.match(paused.text, /has not been sellable .* The reason: all trading is paused/);
  const unsearched = await blockedBy(marketOf([], { mint: MINT, isSearchComplete: false }));
  assert.deepEqual(
    [unsearched.cause, unsearched.c10_after_sol, unsearched.gone_pct],
    ["unknown", null, null],
  );
});

test("a withdrawal that also moves the slippage past 10 % is one alert, and counts as a crossing", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const ana = await someUser(store, "ana@example.com");
    const eva = await someUser(store, "eva@example.com");
    await watch(store, ana, { mint: MINT, sizeSol: 5 });
    await watch(store, eva, { mint: MINT, sizeSol: 0.01 });
    const stage = await recorderScene(t, store);
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
    const stage = await recorderScene(t, store);
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
    const stage = await recorderScene(t, store);
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
    const stage = await recorderScene(t, store, {
      newUid,
      warn: (context) => warnings.push(context),
    });
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

test("after the close an alert that could not be written is not tried again", async (t) => {
  const { database, power } = breakable(await sqliteDatabase(t));
  const tokenId = await remember(database, MINT);
  const warnings: unknown[] = [];
  const stage = await recorderScene(t, database, { warn: (context) => warnings.push(context) });
  t.mock.timers.enable({ apis: ["setTimeout"] });
  power.isOff = true;
  stage.showPool(MINT, 100, {});
  await stage.recorder.close();
  assert.deepEqual(warnings.at(-1), { findings: 1 });
  power.isOff = false;
  t.mock.timers.tick(60_000);
  await stage.recorder.settled();
  assert.deepEqual(await alertsOf(database.db, { tokenId, limit: 9 }), []);
});

test("the alert of a token without watchers is recorded, and its end too", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const tokenId = await remember(store, MINT);
    const stage = await recorderScene(t, store);
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
    ...NO_NOTICES,
    log: warningsTo(failOn),
  });
  closeAfter(t, () => recorder.close());
  scripted.showPool(MINT, 100, {});
  await recorder.start();
  await recorder.idle();
  assert.equal(recorder.recorded, 1);
});

test("every watched token is asked of the tracker, a change at once, the unknown ones ever more rarely", async (t) => {
  const store = await sqliteDatabase(t);
  const ana = await someUser(store, "ana@example.com");
  await watch(store, ana, { mint: MINT });
  const { recorder, watched } = await recorderScene(t, store);
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
    const stage = await recorderScene(t, store);
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
