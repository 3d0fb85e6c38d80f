import type { Kysely } from "kysely";
import type { Schema } from "./schema.ts";

/** How often a subject used a daily quota: one row per subject and UTC day. */
export type UsageTables = {
  daily_usage: { subject: string; day: bigint; used: bigint };
};

export type DailyQuota = {
  /** Whose quota it is: a user or an address, in the words of whoever counts. */
  readonly subject: string;
  /** Whole days since 1970 in UTC. */
  readonly day: number;
};

export type SpentQuota = { readonly allowed: boolean; readonly used: number };

/**
 * Takes one from a daily quota where one is left. One statement, so that parallel calls take
 * exactly `limit` between them; on disk before it returns. A refused call changes nothing.
 */
export async function spendDailyQuota(
  db: Kysely<Schema>,
  { subject, day, limit }: DailyQuota & { readonly limit: number },
): Promise<SpentQuota> {
  if (limit > 0) {
    const row = await db
      .insertInto("daily_usage")
      .values({ subject, day: BigInt(day), used: 1n })
      .onConflict((conflict) =>
        conflict
          .columns(["subject", "day"])
          .doUpdateSet((eb) => ({ used: eb("daily_usage.used", "+", 1n) }))
          .where("daily_usage.used", "<", BigInt(limit)),
      )
      .returning("used")
      .executeTakeFirst();
    if (row !== undefined) return { allowed: true, used: Number(row.used) };
  }
  return { allowed: false, used: await dailyUsage(db, { subject, day }) };
}

/**
 * Takes one from a daily quota, unless that was done before today for the same `mark`: parallel
 * calls with one mark take one between them, and all are allowed where that one is.
 *
 * @returns `taken`: whether this call took it
 */
export async function spendDailyQuotaOnce(
  db: Kysely<Schema>,
  { mark, ...quota }: DailyQuota & { readonly limit: number; readonly mark: string },
): Promise<SpentQuota & { readonly taken: boolean }> {
  return db.transaction().execute(async (transaction) => {
    const marked = { subject: mark, day: quota.day };
    // Of two calls at once the second waits here until the first is done.
    if (!(await spendDailyQuota(transaction, { ...marked, limit: 1 })).allowed)
      return { allowed: true, used: await dailyUsage(transaction, quota), taken: false };
    const spent = await spendDailyQuota(transaction, quota);
    if (!spent.allowed) await forgetMark(transaction, marked);
    return { ...spent, taken: spent.allowed };
  });
}

async function forgetMark(db: Kysely<Schema>, { subject, day }: DailyQuota): Promise<void> {
  await db
    .deleteFrom("daily_usage")
    .where("subject", "=", subject)
    .where("day", "=", BigInt(day))
    .execute();
}

/** Gives one back that did no work. Never falls below zero. */
export async function refundDailyQuota(
  db: Kysely<Schema>,
  { subject, day }: DailyQuota,
): Promise<void> {
  await db
    .updateTable("daily_usage")
    .set((eb) => ({ used: eb("used", "-", 1n) }))
    .where("subject", "=", subject)
    .where("day", "=", BigInt(day))
    .where("used", ">", 0n)
    .execute();
}

export async function dailyUsage(
  db: Kysely<Schema>,
  { subject, day }: DailyQuota,
): Promise<number> {
  const row = await db
    .selectFrom("daily_usage")
    .select("used")
    .where("subject", "=", subject)
    .where("day", "=", BigInt(day))
    .executeTakeFirst();
  return row === undefined ? 0 : Number(row.used);
}

/** How much of a day's quota subjects have used; those that used nothing are left out. */
export async function dailyUsages(
  db: Kysely<Schema>,
  { subjects, day }: { readonly subjects: readonly string[]; readonly day: number },
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom("daily_usage")
    .select(["subject", "used"])
    .where("subject", "in", subjects)
    .where("day", "=", BigInt(day))
    .execute();
  return new Map(rows.map(({ subject, used }) => [subject, Number(used)]));
}

/** Drops the counters of days before `day`. */
export async function forgetUsageBefore(db: Kysely<Schema>, day: number): Promise<void> {
  await db.deleteFrom("daily_usage").where("day", "<", BigInt(day)).execute();
}
