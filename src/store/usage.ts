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
