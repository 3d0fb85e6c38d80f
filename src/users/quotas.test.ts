import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "#src/platform/app-error.ts";
import { MS_PER_DAY } from "#src/platform/clock.ts";
import { openDatabase } from "#src/store/connection/database.ts";
import { parseUserId, type UserId } from "#src/store/user-id.ts";
import { address } from "#src/units/address.ts";
import { eachDatabase } from "#test/support/databases/databases.ts";
import { freePort } from "#test/support/processes/free-port.ts";
import type { Caller } from "./caller.ts";
import { createQuotas } from "./quotas.ts";
import type { UserTier } from "./tiers.ts";

const NOON = 20_000 * MS_PER_DAY + MS_PER_DAY / 2;
const ANONYMOUS: Caller = { kind: "anonymous", address: "203.0.113.9" };
const MINT = address("So11111111111111111111111111111111111111112");
const OTHER_MINT = address("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v");

function user(tier: UserTier, sessionId = "s1"): Caller {
  const userId = parseUserId("0b54e1c2-7a8f-4f06-9f52-1f1a3a9e6d01") as UserId;
  return { kind: "user", userId, tier, via: { kind: "cookie", sessionId, sinceMs: 0 } };
}

test("200 parallel requests on a limit of 10 pass exactly 10", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const quotas = createQuotas({ db });
    const spends = await Promise.all(
      Array.from({ length: 200 }, () => quotas.spend(user("free"), NOON)),
    );
    assert.equal(spends.filter(({ allowed }) => allowed).length, 10);
  });
});

test("parallel requests before and after midnight UTC each pass as often as their own day allows", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const quotas = createQuotas({ db });
    const midnight = 20_001 * MS_PER_DAY;
    const crowd: readonly (readonly [Caller, number])[] = [
      [ANONYMOUS, midnight - 1],
      [user("free"), midnight - 1],
      [ANONYMOUS, midnight + 60_000],
      [user("free"), midnight + 60_000],
    ];
    const passed = await Promise.all(
      crowd.map(async ([caller, nowMs]) => {
        const spends = Array.from({ length: 30 }, () => quotas.spend(caller, nowMs));
        return (await Promise.all(spends)).filter(({ allowed }) => allowed).length;
      }),
    );
    assert.deepEqual(passed, [5, 10, 5, 10]);
  });
});

test("queries refunded during parallel requests are available again, and no more than those", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const quotas = createQuotas({ db });
    const spend = () => quotas.spend(ANONYMOUS, NOON);
    const first = await Promise.all(Array.from({ length: 5 }, spend));
    await Promise.all([
      ...first.slice(0, 3).map(quotas.refund),
      ...Array.from({ length: 20 }, spend),
    ]);
    await Promise.all(Array.from({ length: 20 }, spend));
    assert.equal((await quotas.peek(ANONYMOUS, NOON)).used, 5);
  });
});

test("while the database is unreachable every request fails with overloaded, and none keeps waiting", async () => {
  const database = openDatabase({
    databaseUrl: `postgres://nobody@127.0.0.1:${await freePort()}/none`,
    dataDir: "",
  });
  const quotas = createQuotas({ db: database.db });
  const callers = [ANONYMOUS, user("free"), ANONYMOUS];
  for (let round = 0; round < 2; round++) {
    const outcomes = await Promise.allSettled(callers.map((each) => quotas.spend(each, NOON)));
    for (const outcome of outcomes) {
      assert.equal(outcome.status, "rejected");
      assert.ok(outcome.reason instanceof AppError && outcome.reason.code === "overloaded");
    }
  }
  await database.close();
});

test("an anonymous address has 5 queries a day; the sixth is refused with Retry-After of a day", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const quotas = createQuotas({ db });
    for (let call = 1; call <= 5; call++) {
      const spend = await quotas.spend(ANONYMOUS, NOON);
      assert.deepEqual([spend.allowed, spend.used, spend.remaining], [true, call, 5 - call]);
    }
    const refused = await quotas.spend(ANONYMOUS, NOON);
    assert.equal(refused.allowed, false);
    assert.deepEqual([refused.used, refused.limit, refused.retryAfterSeconds], [5, 5, 86_400]);
    const other = await quotas.spend({ kind: "anonymous", address: "203.0.113.10" }, NOON);
    assert.equal(other.allowed, true);
  });
});

test("the count resets at midnight UTC, and not before", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const quotas = createQuotas({ db });
    const midnight = 20_001 * MS_PER_DAY;
    for (let call = 0; call < 5; call++) await quotas.spend(ANONYMOUS, midnight - 120_000);
    assert.equal((await quotas.spend(ANONYMOUS, midnight - 1)).allowed, false);
    const next = await quotas.spend(ANONYMOUS, midnight);
    assert.deepEqual([next.allowed, next.used], [true, 1]);
    assert.equal(next.resetAtMs, midnight + MS_PER_DAY);
  });
});

test("counters survive a restart", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    for (let call = 0; call < 3; call++) await createQuotas({ db }).spend(ANONYMOUS, NOON);
    assert.equal((await createQuotas({ db }).peek(ANONYMOUS, NOON)).used, 3);
  });
});

test("a count belongs to the user, over all their credentials", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const quotas = createQuotas({ db });
    await quotas.spend(user("free", "s1"), NOON);
    const viaKey: Caller = { ...user("free"), via: { kind: "api-key", id: "k1" } } as Caller;
    assert.equal((await quotas.spend(viaKey, NOON)).used, 2);
  });
});

test("a refunded request does not count", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const quotas = createQuotas({ db });
    const spend = await quotas.spend(ANONYMOUS, NOON);
    await quotas.refund(spend);
    assert.equal((await quotas.peek(ANONYMOUS, NOON)).used, 0);
    for (let call = 0; call < 5; call++) await quotas.spend(ANONYMOUS, NOON);
    await quotas.refund(await quotas.spend(ANONYMOUS, NOON));
    assert.equal((await quotas.peek(ANONYMOUS, NOON)).used, 5, "a refusal took nothing");
  });
});

test("tiers without a daily gate are limited by fair use, with Retry-After until the window resets", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const quotas = createQuotas({ db });
    for (let call = 0; call < 120; call++) {
      const spend = quotas.spendAtOnce(user("degen"), NOON + call);
      assert.equal(spend?.allowed, true);
    }
    const refused = await quotas.spend(user("degen"), NOON + 15_000);
    assert.deepEqual(
      [refused.allowed, refused.policy, refused.used, refused.retryAfterSeconds],
      [false, "minute", 120, 45],
    );
    assert.equal((await quotas.spend(user("degen"), NOON + 60_000)).allowed, true);
    assert.deepEqual(await db.selectFrom("daily_usage").selectAll().execute(), []);
  });
});

test("spendAtOnce returns null for callers with a daily gate", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const quotas = createQuotas({ db });
    assert.equal(quotas.spendAtOnce(ANONYMOUS, NOON), null);
    assert.equal(quotas.spendAtOnce(user("free"), NOON), null);
  });
});

for (const tier of ["free", "pro"] as const)
  test(`the dashboard's page of a token counts once an hour (${tier})`, async (t) => {
    await eachDatabase(t, async (_t, { db }) => {
      const quotas = createQuotas({ db });
      const caller = user(tier);
      const used = async (nowMs: number, mint = MINT) =>
        (await quotas.spend(caller, nowMs, { mint })).used;
      const spends = await Promise.all(
        Array.from({ length: 20 }, () => quotas.spend(caller, NOON, { mint: MINT })),
      );
      assert.ok(spends.every(({ allowed }) => allowed));
      assert.equal((await quotas.peek(caller, NOON)).used, 1);
      assert.equal(await used(NOON + 1, OTHER_MINT), 2);
      assert.equal(await used(NOON + 10), 2);
      const nextHour = await quotas.spend(caller, NOON + 3_600_000, { mint: MINT });
      assert.notEqual(nextHour.receipt, null);
    });
  });

test("a refunded page counts when it is opened again", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    for (const tier of ["free", "pro"] as const) {
      const quotas = createQuotas({ db });
      await quotas.refund(await quotas.spend(user(tier), NOON, { mint: MINT }));
      assert.equal((await quotas.peek(user(tier), NOON)).used, 0);
      assert.equal((await quotas.spend(user(tier), NOON, { mint: MINT })).used, 1);
      await db.deleteFrom("daily_usage").execute();
    }
  });
});

test("a page counted before opens although the day is used up", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const quotas = createQuotas({ db });
    await quotas.spend(user("free"), NOON, { mint: MINT });
    for (let call = 0; call < 9; call++) await quotas.spend(user("free"), NOON + 60_000 + call);
    assert.equal((await quotas.spend(user("free"), NOON + 130_000)).allowed, false);
    assert.equal((await quotas.spend(user("free"), NOON + 130_000, { mint: MINT })).allowed, true);
    const fresh = await quotas.spend(user("free"), NOON + 130_000, { mint: OTHER_MINT });
    assert.equal(fresh.allowed, false);
  });
});
