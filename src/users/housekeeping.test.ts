import assert from "node:assert/strict";
import { test } from "node:test";
import { dayOf, MS_PER_DAY } from "#src/platform/clock.ts";
import { addAccessChange } from "#src/store/access-changes.ts";
import { spendCode } from "#src/store/sign-in-requests.ts";
import { spendDailyQuota } from "#src/store/usage.ts";
import type { UserId } from "#src/store/user-id.ts";
import { eachDatabase } from "#test/support/databases/databases.ts";
import { deleteExpiredRows } from "./housekeeping.ts";

const NOW = 20_000 * MS_PER_DAY + 1;
const ANA = "0b54e1c2-7a8f-4f06-9f52-1f1a3a9e6d01" as UserId;

test("expired addresses, limits and changes are deleted, current ones kept", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    const { db } = store;
    const today = dayOf(NOW);
    const spend = { subject: "address:203.0.113.9", limit: 5, mark: null };
    for (const day of [today - 3, today - 2, today]) await spendDailyQuota(db, { ...spend, day });
    await spendCode(db, "old@example.com", NOW - 3_600_001);
    await spendCode(db, "new@example.com", NOW - 3_599_999);
    for (const ms of [NOW - MS_PER_DAY - 1, NOW]) await addAccessChange(db, ANA, ms);
    await deleteExpiredRows(store, NOW);
    const days = await db.selectFrom("daily_usage").select("day").orderBy("day").execute();
    assert.deepEqual(
      days.map(({ day }) => Number(day)),
      [today - 2, today],
    );
    const codes = await db.selectFrom("codes_sent").select("receiver").execute();
    assert.deepEqual(codes, [{ receiver: "new@example.com" }]);
    assert.equal((await db.selectFrom("access_changes").selectAll().execute()).length, 1);
  });
});
