import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Database } from "#src/store/connection/database.ts";
import { alertsOfUser } from "#src/store/user-alerts.ts";
import { eachDatabase } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { warningsTo } from "#test/support/failure-loggers.ts";
import { scriptedMarkets } from "#test/support/markets/scripted-markets.ts";
import { poolAddress } from "#test/support/pools/pools.ts";
import { NO_NOTICES } from "#test/support/users/alert-notices.ts";
import { someUser, verifiedChannel, watch } from "#test/support/users/watching-users.ts";
import { AlertRecorder } from "./alert-recorder.ts";
import { alertItem } from "./delivery/alert-item.ts";

const MINT = poolAddress(500);
const START_MS = 1_800_000_000_000;

/** A recorder over markets that the test moves, and a user with an entry and a mailbox. */
async function recorded(t: TestContext, store: Database) {
  const ana = await someUser(store, "ana@example.com");
  await watch(store, ana, { mint: MINT, sizeSol: 5 });
  await verifiedChannel(store, ana, { kind: "email", target: "ana@example.com" });
  const time = { nowMs: START_MS };
  let uid = 0;
  const clock = { nowMs: () => time.nowMs };
  const scripted = scriptedMarkets(clock);
  const recorder = new AlertRecorder({
    store,
    markets: scripted.markets,
    clock,
    newUid: () => `msg_${uid++}`,
    ...NO_NOTICES,
    log: warningsTo((context) => assert.fail(JSON.stringify(context))),
  });
  await recorder.start();
  closeAfter(t, () => recorder.close());
  const alerts = async () => {
    time.nowMs += 1_000;
    await recorder.idle();
    const found = await alertsOfUser(store.db, { userId: ana, beforeId: null, limit: 10 });
    return found.map((alert) => {
      const { kind, commitment, taken_back_at } = alertItem(alert, "en");
      return [kind, commitment, taken_back_at !== null];
    });
  };
  const messages = async () =>
    (await store.db.selectFrom("messages").select("id").execute()).length;
  return { ...scripted, time, recorder, alerts, messages };
}

test("an alert of a dropped slot is marked as taken back, and a message that waits is not sent", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const { showPool, fork, takeBack, time, alerts, messages } = await recorded(t, store);
    showPool(MINT, 100);
    await alerts();
    showPool(MINT, 20);
    assert.deepEqual(await alerts(), [["slippage", "confirmed", false]]);
    const confirmed = await messages();
    showPool(MINT, 100);
    await alerts();
    time.nowMs += 3_600_000;
    fork(MINT, 20);
    assert.deepEqual((await alerts())[0], ["slippage", "processed", false]);
    assert.equal(await messages(), confirmed + 1);
    takeBack(MINT, 100);
    assert.deepEqual(await alerts(), [
      ["slippage", "processed", true],
      ["slippage", "confirmed", false],
    ]);
    assert.equal(await messages(), confirmed);
    fork(MINT, 20);
    assert.deepEqual((await alerts())[0], ["slippage", "processed", false]);
  });
});

for (const isWritten of [true, false]) {
  const when = isWritten ? "after" : "before";
  test(`a fall of a dropped slot that comes again in the next one is reported, if it came ${when} the write`, async (t) => {
    await eachDatabase(t, async (t, store) => {
      const { showPool, fork, takeBack, time, recorder, alerts, messages } = await recorded(
        t,
        store,
      );
      showPool(MINT, 100);
      await alerts();
      // Both slots have the same block time.
      const alert = { sinceMs: time.nowMs };
      fork(MINT, 20, alert);
      if (isWritten) await recorder.idle();
      takeBack(MINT, 100);
      if (isWritten) await recorder.idle();
      fork(MINT, 20, alert);
      const found = await alerts();
      const valid = found.filter(([kind, , isVoid]) => kind === "deterioration" && !isVoid);
      assert.equal(valid.length, 1, JSON.stringify(found));
      assert.equal(await messages(), 1);
      const open = await store.db
        .selectFrom("alerts")
        .select("id")
        .where("ended_at_ms", "is", null)
        .execute();
      assert.equal(open.length, 1);
    });
  });
}

test("a slippage that a dropped slot and the next one share is reported once, and not taken back", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const { showPool, fork, takeBack, alerts, messages } = await recorded(t, store);
    showPool(MINT, 100);
    await alerts();
    fork(MINT, 20);
    assert.deepEqual(await alerts(), [["slippage", "processed", false]]);
    // The slot that replaces the dropped one has the same fall.
    takeBack(MINT, 20);
    assert.deepEqual(await alerts(), [
      ["slippage", "processed", false],
      ["slippage", "processed", true],
    ]);
    assert.equal(await messages(), 1);
    fork(MINT, 20);
    assert.equal((await alerts()).length, 2);
  });
});
