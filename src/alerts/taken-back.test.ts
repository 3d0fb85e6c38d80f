import assert from "node:assert/strict";
import { test } from "node:test";
import { alertsOfUser } from "#src/store/user-alerts.ts";
import { eachDatabase } from "#test/support/databases.ts";
import { warningsTo } from "#test/support/failure-loggers.ts";
import { poolAddress } from "#test/support/pools.ts";
import { scriptedMarkets } from "#test/support/scripted-markets.ts";
import { someUser, verifiedChannel, watch } from "#test/support/watching-users.ts";
import { AlertRecorder } from "./alert-recorder.ts";
import { alertItem } from "./delivery/alert-item.ts";

const MINT = poolAddress(500);
const START_MS = 1_800_000_000_000;

test("an alert of a dropped slot is marked as taken back, and a message that waits is not sent", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const ana = await someUser(store, "ana@example.com");
    await watch(store, ana, { mint: MINT, sizeSol: 5 });
    await verifiedChannel(store, ana, { kind: "email", target: "ana@example.com" });
    let nowMs = START_MS;
    let uid = 0;
    const { markets, showPool, fork, takeBack } = scriptedMarkets({ nowMs: () => nowMs });
    const recorder = new AlertRecorder({
      store,
      markets,
      clock: { nowMs: () => nowMs },
      newUid: () => `msg_${uid++}`,
      onRecorded: () => undefined,
      log: warningsTo((context) => assert.fail(JSON.stringify(context))),
    });
    await recorder.start();
    t.after(() => recorder.close());
    const alerts = async () => {
      nowMs += 1_000;
      await recorder.idle();
      const found = await alertsOfUser(store.db, { userId: ana, beforeId: null, limit: 10 });
      return found.map((alert) => {
        const { kind, commitment, taken_back_at } = alertItem(alert, "en");
        return [kind, commitment, taken_back_at !== null];
      });
    };
    const messages = async () =>
      (await store.db.selectFrom("messages").select("id").execute()).length;

    showPool(MINT, 100);
    await alerts();
    showPool(MINT, 20);
    assert.deepEqual(await alerts(), [["slippage", "confirmed", false]]);
    const confirmed = await messages();
    showPool(MINT, 100);
    await alerts();
    nowMs += 3_600_000;
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
