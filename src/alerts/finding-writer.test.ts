import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "#src/platform/clock.ts";
import { eachDatabase } from "#test/support/databases.ts";
import { someUserAlert } from "#test/support/some-user-alert.ts";
import { someUser, watch } from "#test/support/watching-users.ts";
import { FindingWriter } from "./finding-writer.ts";
import type { RuleFinding } from "./rules/token-rules.ts";

const SIZE_LAMPORTS = 1_000_000_000n;

test("sides and alerts that are written together take effect in the order in which they were found", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    const userId = await someUser(store, "ana@example.com");
    const { mint } = someUserAlert();
    const entryId = await watch(store, userId, { mint });
    const side = (isHigh: boolean): RuleFinding => ({
      ...{ kind: "side", entryId, sizeLamports: SIZE_LAMPORTS, isHigh },
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
    const writer = new FindingWriter({
      ...{ store, clock: systemClock, newUid: () => `msg_${notices.length}` },
      onRecording: () => notices.push("recording"),
      onRecorded: () => notices.push("recorded"),
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    });
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
