import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { namedAddress } from "#bench/detection/plain-pool-venue.ts";
import { eachDatabase } from "#test/support/databases/databases.ts";
import { alertsOf, endAlerts, openAlerts, recordAlert } from "./alerts.ts";
import { dropRolledBefore, readRolledDays, replaceByRolled } from "./rolled-samples.ts";
import { dropSampleDay, oldestSampleDay, readSampleHours, writeSampleHours } from "./samples.ts";
import { saveSnapshots, storedToken, upsertTokens } from "./tokens.ts";

const MINT = namedAddress("token");
const DAY = 20_000;
const HOUR = DAY * 24;
const ALERT = {
  detector: "jump",
  cause: "liquidity-withdrawn",
  share: 0.75,
  causes: { withdrawn: 0.824, sold: 0.176, fees: 0, paused: 0 },
  slot: 400n,
  startedAtMs: 1_000,
  before: { c10Sol: 12.5, depthSol: 80 },
  after: { c10Sol: 3.25, depthSol: 20 },
};

test("a token keeps its number, the time when it was first seen, and names that become known later", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const unnamed = { mint: MINT, name: null, symbol: null, nowMs: 5 };
    const other = { ...unnamed, mint: namedAddress("other") };
    const ids = await upsertTokens(db, [unnamed, other]);
    const id = ids.get(MINT);
    assert.ok(id !== undefined && id !== ids.get(other.mint));
    const again = await upsertTokens(db, [
      { ...unnamed, name: "Coin", symbol: "C", nowMs: 7 },
      other,
    ]);
    assert.deepEqual(again, ids);
    assert.deepEqual(await upsertTokens(db, [unnamed]), new Map([[MINT, id]]));
    await saveSnapshots(db, [{ tokenId: id, snapshot: "{}" }]);
    assert.deepEqual(await storedToken(db, MINT), { id, firstSeenMs: 5, snapshot: "{}" });
    const named = db.selectFrom("tokens").select(["name", "symbol"]).where("id", "=", id);
    assert.deepEqual(await named.executeTakeFirst(), { name: "Coin", symbol: "C" });
    assert.equal(await storedToken(db, namedAddress("another")), null);
  });
});

test("hours of samples come back in order, the last writing of each", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    const hours = [3, 1, 2, 25].map((hour) => ({
      tokenId: 7n,
      hour: HOUR + hour,
      data: Uint8Array.of(hour),
    }));
    await writeSampleHours(database, hours);
    await writeSampleHours(database, [
      { tokenId: 7n, hour: HOUR + 2, data: Uint8Array.of(99) },
      { tokenId: 8n, hour: HOUR + 2, data: Uint8Array.of(0) },
    ]);
    const read = await readSampleHours(database.db, {
      tokenId: 7n,
      fromHour: HOUR + 2,
      toHour: HOUR + 25,
    });
    assert.deepEqual(
      read.map(({ hour, data }) => [hour - HOUR, ...data]),
      [
        [2, 99],
        [3, 3],
        [25, 25],
      ],
    );
  });
});

test("a day of samples is dropped whole, later ones stay", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    assert.equal(await oldestSampleDay(database), null);
    for (const day of [DAY, DAY + 1, DAY + 2]) {
      const data = Uint8Array.of(1);
      await writeSampleHours(database, [
        { tokenId: 7n, hour: day * 24, data },
        { tokenId: 8n, hour: day * 24 + 23, data },
      ]);
    }
    assert.equal(await oldestSampleDay(database), DAY);
    while (await dropSampleDay(database, { day: DAY, limit: 1 }));
    assert.equal(await oldestSampleDay(database), DAY + 1);
    const range = { tokenId: 7n, fromHour: HOUR, toHour: HOUR + 100 };
    const read = await readSampleHours(database.db, range);
    assert.deepEqual(
      read.map(({ hour }) => hour),
      [HOUR + 24, HOUR + 48],
    );
  });
});

test("rolled days are returned in order, each as last written, until they are dropped", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    const range = { afterId: 0n, toId: 100n };
    for (const [day, byte] of [
      [DAY + 2, 1],
      [DAY, 2],
      [DAY + 1, 3],
      [DAY + 1, 4],
    ] as const) {
      const data = Uint8Array.of(byte);
      const rows = [7n, 8n].map((tokenId) => ({ tokenId, data }));
      await replaceByRolled(database, { day, range, rows });
    }
    const read = async () => {
      const days = { tokenId: 7n, fromDay: DAY, toDay: DAY + 3 };
      const rolled = await readRolledDays(database.db, days);
      return rolled.map(({ day, data }) => [day - DAY, ...data]);
    };
    assert.deepEqual(await read(), [
      [0, 2],
      [1, 4],
      [2, 1],
    ]);
    while (await dropRolledBefore(database, { day: DAY + 2, limit: 1 }));
    assert.deepEqual(await read(), [[2, 1]]);
  });
});

test("an alert is kept with its figures, recorded once, and ends once", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const mint = MINT;
    const token = { mint, name: null, symbol: null, nowMs: 0 };
    const tokenId = (await upsertTokens(db, [token])).get(mint);
    assert.ok(tokenId !== undefined);
    for (let time = 0; time < 2; time++) await recordAlert(db, { ...ALERT, mint });
    await endAlerts(db, { mint, endedAtMs: 2_000 });
    await recordAlert(db, { ...ALERT, mint, share: null, startedAtMs: 3_000 });
    await endAlerts(db, { mint, endedAtMs: 4_000 });
    await endAlerts(db, { mint, endedAtMs: 5_000 });
    const stored = await alertsOf(db, { tokenId, limit: 10 });
    assert.deepEqual(
      stored.map(({ id: _id, ...rest }) => rest),
      [
        { ...ALERT, tokenId, share: null, startedAtMs: 3_000, endedAtMs: 4_000 },
        { ...ALERT, tokenId, endedAtMs: 2_000 },
      ],
    );
    assert.equal((await alertsOf(db, { tokenId, limit: 1 })).length, 1);
  });
});

test("an alert that was left on ends where the token's next one begins: one is on", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const other = namedAddress("other");
    await recordAlert(db, { ...ALERT, mint: other, startedAtMs: 900 });
    for (const startedAtMs of [1_000, 3_000, 3_000])
      await recordAlert(db, { ...ALERT, mint: MINT, startedAtMs });
    const on = await openAlerts(db, { sinceMs: 0, followedWithinMs: 0, limit: 9 });
    assert.deepEqual(
      on.map(({ mint, startedAtMs }) => [mint, startedAtMs]),
      [
        [MINT, 3_000],
        [other, 900],
      ],
    );
    const ids = await upsertTokens(db, [{ mint: MINT, name: null, symbol: null, nowMs: 0 }]);
    const stored = await alertsOf(db, { tokenId: ids.get(MINT) ?? 0n, limit: 9 });
    assert.deepEqual(
      stored.map(({ endedAtMs }) => endedAtMs),
      [null, 3_000],
    );
  });
});

test("an alert is recorded while the last answer of its token is being saved", async (t) => {
  await eachDatabase(t, async (_t, { db, dialect }) => {
    // SQLite has one writer at a time.
    if (dialect === "sqlite") return;
    const ids = await upsertTokens(db, [{ mint: MINT, name: null, symbol: null, nowMs: 5 }]);
    const tokenId = ids.get(MINT) ?? 0n;
    await db.transaction().execute(async (saving) => {
      await saving
        .updateTable("tokens")
        .set({ snapshot: "{}" })
        .where("id", "=", tokenId)
        .execute();
      await db.transaction().execute(async (recording) => {
        await sql`set local lock_timeout = '1s'`.execute(recording);
        await recordAlert(recording, { ...ALERT, mint: MINT });
      });
    });
    assert.equal((await alertsOf(db, { tokenId, limit: 9 })).length, 1);
  });
});
