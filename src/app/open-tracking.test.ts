import assert from "node:assert/strict";
import { test } from "node:test";
import { pino } from "pino";
import { breakable } from "#test/support/databases/breakable-database.ts";
import { sqliteDatabase } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { temporaryDirectory } from "#test/support/temporary-directory.ts";
import { openTracking } from "./open-tracking.ts";

test("a tracker whose last samples can't be saved leaves the chain all the same", async (t) => {
  const { database, power } = breakable(await sqliteDatabase(t));
  const settings = { historyDays: 30, stateDays: 3, dataDir: temporaryDirectory(t) };
  const { chain, tracker, start, close } = await openTracking(
    {
      ...settings,
      chain: { kind: "demo" },
      geyser: null,
      commitment: "confirmed",
      accuracy: "full",
      proof: "off",
    },
    { database, logger: pino({ level: "silent" }) },
  );
  closeAfter(t, chain.close);
  await start();
  const [token] = chain.examples;
  assert.ok(token);
  assert.equal((await tracker.snapshot(token.mint)).kind, "assessed");
  power.isOff = true;
  await assert.rejects(close(), /connection terminated/);
  await assert.rejects(fetch(chain.transactions.httpUrl), /fetch failed/);
});
