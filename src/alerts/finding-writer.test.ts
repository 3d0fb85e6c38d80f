import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "#src/platform/clock.ts";
import type { Store } from "#src/store/schema.ts";
import { breakable } from "#test/support/databases/breakable-database.ts";
import { eachDatabase, sqliteDatabase } from "#test/support/databases/databases.ts";
import { someUserAlert } from "#test/support/users/some-user-alert.ts";
import { someUser, verifiedChannel, watch } from "#test/support/users/watching-users.ts";
import { FindingWriter } from "./finding-writer.ts";
import type { RuleFinding } from "./rules/token-rules.ts";

const SIZE_LAMPORTS = 1_000_000_000n;

/** A user's entry, findings of it, and a writer that calls `newUid` for each message. */
async function writing(store: Store, newUid?: () => string) {
  const userId = await someUser(store, "ana@example.com");
  const { mint } = someUserAlert();
  const entryId = await watch(store, userId, { mint });
  const side = (isHigh: boolean): RuleFinding => ({
    ...{ kind: "side", entryId, sizeLamports: SIZE_LAMPORTS, isHigh, isBlockReported: null },
  });
  const crossing = (dedupe: string): RuleFinding => {
    const alert = { ...someUserAlert({ userId, entryId, mint, kind: "slippage" }), dedupe };
    return {
      kind: "alerts",
      alertChanges: [],
      found: [{ alert, isOfToken: false, isCrossing: true }],
    };
  };
  const notices: string[] = [];
  const errors: unknown[] = [];
  const writer = new FindingWriter({
    ...{ store, clock: systemClock, newUid: newUid ?? (() => `msg_${notices.length}`) },
    onRecording: () => notices.push("recording"),
    onRecorded: () => notices.push("recorded"),
    log: {
      info: () => undefined,
      warn: () => undefined,
      error: (context: unknown) => errors.push(context),
    },
  });
  return { userId, writer, side, crossing, notices, errors };
}

test("sides and alerts that are written together take effect in the order in which they were found", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    const { writer, side, crossing, notices } = await writing(store);
    writer.add([
      side(true),
      crossing("from the high side"),
      side(false),
      crossing("a"),
      side(true),
    ]);
    writer.add([crossing("also from the high side"), side(false), side(true), side(false)]);
    writer.add([crossing("b"), side(false)]);
    await writer.write();
    assert.equal(writer.recorded, 2, "only those from the low side");
    assert.deepEqual(notices, ["recording", "recorded", "recording", "recorded"]);
    const { slippage_is_high: isHigh } = await store.db
      .selectFrom("watchlist_entries")
      .select("slippage_is_high")
      .executeTakeFirstOrThrow();
    assert.equal(isHigh, 0n);
  });
});

test("what is found before the close is written at the close, also if the write under way fails", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    let failures = 1;
    const { userId, writer, side, crossing, errors } = await writing(store, () => {
      if (failures-- > 0) throw new Error("no uid");
      return "msg_1";
    });
    await verifiedChannel(store, userId, { kind: "webhook", target: "https://a.example" });
    writer.add([side(false), crossing("a")]);
    writer.add([side(true)]);
    await writer.close();
    assert.equal(failures, -1);
    assert.equal(writer.recorded, 1);
    assert.deepEqual(errors, []);
  });
});

test("what can't be written at the close is logged, and the database is not used after it", async (t) => {
  const { database, power } = breakable(await sqliteDatabase(t));
  const { writer, crossing, errors } = await writing(database);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  power.isOff = true;
  writer.add([crossing("a")]);
  await writer.close();
  assert.deepEqual(errors, [{ findings: 1 }]);
  power.isOff = false;
  t.mock.timers.tick(60_000);
  await writer.settled();
  assert.equal(writer.recorded, 0);
  assert.equal(writer.isEmpty, true);
});
