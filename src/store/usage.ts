import type { Kysely } from "kysely";
import type { Schema } from "./schema.ts";

/** Uses of a daily quota: one row per subject and UTC day. */
export type UsageTables = {
  daily_usage: { subject: string; day: bigint; used: bigint };
};

export type DailyQuota = {
  /** The user or address whose quota it is, as named by `users/caller.ts`. */
  readonly subject: string;
  /** Whole days since 1970 in UTC. */
  readonly day: number;
};

export type DailyLimit = { readonly subject: string; readonly limit: number };

type LimitedQuota = DailyQuota & { readonly limit: number };

export type DailySpend = LimitedQuota & {
  /** Uses with the same mark count once a day. Null: this use counts separately. */
  readonly mark: string | null;
};

export type SpentQuota = {
  readonly allowed: boolean;
  readonly used: number;
  /** Whether this call counted a use: false if refused, or if an earlier use had the same mark. */
  readonly taken: boolean;
};

/**
 * Takes one use from a daily quota if one is left. One statement, so that parallel calls, of other
 * processes too, take exactly `limit` between them; the count is on disk when this resolves. A
 * refused call changes nothing, and reads the count with a second statement.
 *
 * With a mark it is one transaction: parallel calls with one mark take one use between them.
 */
export async function spendDailyQuota(
  db: Kysely<Schema>,
  { mark, ...quota }: DailySpend,
): Promise<SpentQuota> {
  if (mark === null) return spend(db, quota);
  return db.transaction().execute(async (transaction) => {
    const marked = { subject: mark, day: quota.day };
    // Of two parallel calls with one mark, the second waits here until the first has committed.
    if ((await takeOne(transaction, { ...marked, limit: 1 })) === null)
      return { allowed: true, used: await dailyUsage(transaction, quota), taken: false };
    const spent = await spend(transaction, quota);
    if (!spent.allowed) await deleteUsage(transaction, marked);
    return spent;
  });
}

class LimitReached extends Error {
  readonly reached: DailyLimit;

  constructor(reached: DailyLimit) {
    super("a daily limit is reached");
    this.reached = reached;
  }
}

/**
 * Takes one use of each limit, or of none if one of them is reached. Parallel calls name their limits
 * in the same order of kinds, so that none waits for another in a circle.
 *
 * @returns the limit that is reached; null if all uses were taken
 */
export async function spendDailyLimits<Limit extends DailyLimit>(
  db: Kysely<Schema>,
  limits: readonly Limit[],
  day: number,
): Promise<Limit | null> {
  try {
    await db.transaction().execute(async (transaction) => {
      for (const limit of limits)
        if ((await takeOne(transaction, { ...limit, day })) === null) throw new LimitReached(limit);
    });
    return null;
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error;
    return limits.find((limit) => limit === error.reached) ?? null;
  }
}

/** Copies a day's uses of one subject to another that has fewer. */
export async function copyDailyUsage(
  db: Kysely<Schema>,
  { from, to, day }: { readonly from: string; readonly to: string; readonly day: number },
): Promise<void> {
  const used = BigInt(await dailyUsage(db, { subject: from, day }));
  if (used === 0n) return;
  await db
    .insertInto("daily_usage")
    .values({ subject: to, day: BigInt(day), used })
    .onConflict((conflict) =>
      conflict
        .columns(["subject", "day"])
        .doUpdateSet({ used })
        .where("daily_usage.used", "<", used),
    )
    .execute();
}

/** Gives one use back, and the mark it was counted for. The count never falls below zero. */
export async function refundDailyQuota(
  db: Kysely<Schema>,
  { subject, day, mark }: DailyQuota & { readonly mark: string | null },
): Promise<void> {
  if (mark === null) return giveBack(db, { subject, day });
  await db.transaction().execute(async (transaction) => {
    // The mark first, as in spendDailyQuota: the same lock order prevents deadlocks.
    await giveBack(transaction, { subject: mark, day });
    await giveBack(transaction, { subject, day });
  });
}

async function spend(db: Kysely<Schema>, quota: LimitedQuota): Promise<SpentQuota> {
  const used = await takeOne(db, quota);
  return used === null
    ? { allowed: false, used: await dailyUsage(db, quota), taken: false }
    : { allowed: true, used, taken: true };
}

/** @returns the uses counted including this one; null if none was left */
async function takeOne(
  db: Kysely<Schema>,
  { subject, day, limit }: LimitedQuota,
): Promise<number | null> {
  if (limit < 1) return null;
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
  return row === undefined ? null : Number(row.used);
}

async function giveBack(db: Kysely<Schema>, { subject, day }: DailyQuota): Promise<void> {
  await db
    .updateTable("daily_usage")
    .set((eb) => ({ used: eb("used", "-", 1n) }))
    .where("subject", "=", subject)
    .where("day", "=", BigInt(day))
    .where("used", ">", 0n)
    .execute();
}

async function deleteUsage(db: Kysely<Schema>, { subject, day }: DailyQuota): Promise<void> {
  await db
    .deleteFrom("daily_usage")
    .where("subject", "=", subject)
    .where("day", "=", BigInt(day))
    .execute();
}

export async function dailyUsage(
  db: Kysely<Schema>,
  { subject, day }: DailyQuota,
): Promise<number> {
  const used = await dailyUsages(db, { subjects: [subject], day });
  return used.get(subject) ?? 0;
}

/** Uses of a day by subject; a subject without a use has no entry. */
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

/** Writes a row that means nothing: whether the database can be written. */
export async function probeWrite(db: Kysely<Schema>): Promise<void> {
  await db
    .insertInto("daily_usage")
    .values({ subject: "probe", day: 0n, used: 0n })
    .onConflict((conflict) => conflict.columns(["subject", "day"]).doUpdateSet({ used: 0n }))
    .execute();
}

/** Deletes the counts of days before `day`. */
export async function deleteUsageBefore(db: Kysely<Schema>, day: number): Promise<void> {
  await db.deleteFrom("daily_usage").where("day", "<", BigInt(day)).execute();
}
