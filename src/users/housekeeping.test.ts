import assert from "node:assert/strict";
import { test } from "node:test";
import { noteAccessChange } from "#src/store/access-changes.ts";
import { spendDailyQuotas } from "#src/store/daily-spends.ts";
import { spendCode } from "#src/store/sign-in-requests.ts";
import type { UserId } from "#src/store/user-id.ts";
import { eachDatabase } from "#test/support/databases.ts";
import { tidyUp } from "./housekeeping.ts";
import { DAY_MS, dayOf } from "./quotas.ts";

const NOW = 20_000 * DAY_MS + 1;
const ANA = "0b54e1c2-7a8f-4f06-9f52-1f1a3a9e6d01" as UserId;

test("addresses, limits and changes that have served are dropped, those in use are kept", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    const { db } = store;
    const today = dayOf(NOW);
    const spend = { subject: "address:203.0.113.9", limit: 5, mark: null };
    await spendDailyQuotas(
      db,
      [today - 3, today - 2, today].map((day) => ({ ...spend, day })),
    );
    await spendCode(db, "old@example.com", NOW - 3_600_001);
    await spendCode(db, "new@example.com", NOW - 3_599_999);
    for (const ms of [NOW - 3_600_001, NOW]) await noteAccessChange(db, ANA, ms);
    await tidyUp(store, NOW);
    const days = await db.selectFrom("daily_usage").select("day").orderBy("day").execute();
    assert.deepEqual(
      days.map(({ day }) => Number(day)),
      [today - 2, today],
    );
    const codes = await db.selectFrom("codes_sent").select("email").execute();
    assert.deepEqual(codes, [{ email: "new@example.com" }]);
    assert.equal((await db.selectFrom("access_changes").selectAll().execute()).length, 1);
  });
});
