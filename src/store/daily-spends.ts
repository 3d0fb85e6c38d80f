import Sqlite from "better-sqlite3";
import type { Kysely } from "kysely";
import pg from "pg";
import type { Schema } from "./schema.ts";
import { type DailyQuota, dailyUsages } from "./usage.ts";

/** One use of a daily quota. */
export type DailySpend = DailyQuota & {
  readonly limit: number;
  /** What is paid for once a day, whoever asks for it again; null: this use is for itself. */
  readonly mark: string | null;
};

export type SpentQuota = {
  readonly allowed: boolean;
  readonly used: number;
  /** Whether this use took it: not where it was refused, nor where its mark was paid for already. */
  readonly taken: boolean;
};

export type LimitedQuota = DailyQuota & { readonly limit: number };

/** A quota of which several want one. */
type Wanted = LimitedQuota & {
  readonly wanted: number;
  /** What those who have their answer were told, in the order in which they came. */
  readonly answers: SpentQuota[];
  /** How many there may be left. */
  room: number;
};

/** SQLSTATE classes of a value that the database can't take. */
const DATA_CODES = /^2[23]/;
const SQLITE_DATA_CODES = /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG)/;

/**
 * Takes one from a daily quota for each of `spends` where one is left, as if they came one after the
 * other; in one transaction, which is one statement where nothing is marked and all have one limit.
 * On disk before it returns. Parallel calls, those of other processes too, take exactly `limit`
 * between them, and one for one mark. What is refused changes nothing. Where it fails nothing was
 * taken, unless the connection broke while it committed.
 *
 * Rows are locked in one order by everybody: marks, then subjects by their limit, each by day and
 * name. Two calls never wait for each other while all subjects of one kind have one limit.
 */
export async function spendDailyQuotas(
  db: Kysely<Schema>,
  spends: readonly DailySpend[],
): Promise<readonly SpentQuota[]> {
  const [first] = spends;
  if (spends.every(({ mark, limit }) => mark === null && limit === first?.limit))
    return takeEach(db, spends);
  // Told apart by identity from here on: the same one may have been given twice.
  const each = spends.map((spend) => ({ ...spend }));
  return db.transaction().execute((transaction) => spendMarked(transaction, each));
}

/**
 * Gives one back of each of `quotas`, which did no work; a mark is a quota with a limit of one. The
 * same one may be there several times. Never falls below zero. One statement for those of which as
 * many are given back; it locks rows in the order of `spendDailyQuotas`.
 */
export async function refundDailyQuotas(
  db: Kysely<Schema>,
  quotas: readonly LimitedQuota[],
): Promise<void> {
  const same = [...Map.groupBy(quotas, limitedKeyOf).values()];
  for (const [times, some] of Map.groupBy(same, ({ length }) => length))
    await giveBack(
      db,
      BigInt(times),
      some.flatMap(([quota]) => quota ?? []),
    );
}

/** An upsert, because an update of many rows locks them in no order of ours. */
async function giveBack(
  db: Kysely<Schema>,
  times: bigint,
  quotas: readonly LimitedQuota[],
): Promise<void> {
  const inOrder = quotas.toSorted((a, b) => a.limit - b.limit || byDayAndName(a, b));
  await db
    .insertInto("daily_usage")
    .values(inOrder.map(({ subject, day }) => ({ subject, day: BigInt(day), used: 0n })))
    .onConflict((conflict) =>
      conflict.columns(["subject", "day"]).doUpdateSet((eb) => ({
        used: eb
          .case()
          .when("daily_usage.used", ">", times)
          .then(eb("daily_usage.used", "-", times))
          .else(0n)
          .end(),
      })),
    )
    .execute();
}

/** Whether a failure is about what was to be written: without it the rest can be. */
export function isAboutData(cause: unknown): boolean {
  if (cause instanceof Sqlite.SqliteError) return SQLITE_DATA_CODES.test(cause.code);
  return cause instanceof pg.DatabaseError && DATA_CODES.test(cause.code ?? "");
}

async function spendMarked(
  db: Kysely<Schema>,
  spends: readonly DailySpend[],
): Promise<readonly SpentQuota[]> {
  const marked = spends.filter(({ mark }) => mark !== null);
  // Of two calls with one mark the second waits here until the first is done.
  const marks = await takeEach(db, marked.map(markOf));
  const paidBefore = new Set(marked.filter((_, place) => marks[place]?.taken === false));
  const paying = spends.filter((spend) => !paidBefore.has(spend));
  const paid = await takeEach(db, paying);
  const outcomes = new Map(paying.map((spend, place) => [spend, answerAt(paid, place)]));
  const refused = paying.filter((spend) => outcomes.get(spend)?.allowed === false);
  await forgetMarks(db, refused);
  // Where the mark's payer came in the same call and was refused, so is everybody with that mark.
  const refusedMarks = new Set(refused.map((spend) => keyOf(markOf(spend))));
  const used = await usages(db, [...paidBefore]);
  return spends.map((spend) => {
    const outcome = outcomes.get(spend);
    if (outcome !== undefined) return outcome;
    const allowed = !refusedMarks.has(keyOf(markOf(spend)));
    return { allowed, used: used.get(keyOf(spend)) ?? 0, taken: false };
  });
}

/** A mark is counted like a subject that has one a day. */
function markOf({ mark, day }: DailySpend): LimitedQuota {
  return { subject: mark ?? "", day, limit: 1 };
}

async function forgetMarks(db: Kysely<Schema>, spends: readonly DailySpend[]): Promise<void> {
  for (const [day, some] of Map.groupBy(spends, (spend) => spend.day)) {
    const subjects = some.flatMap(({ mark }) => (mark === null ? [] : [mark]));
    if (subjects.length === 0) continue;
    await db
      .deleteFrom("daily_usage")
      .where("subject", "in", subjects)
      .where("day", "=", BigInt(day))
      .execute();
  }
}

/** One from each of `quotas`; the same one may be there several times. Answers in their order. */
async function takeEach(
  db: Kysely<Schema>,
  quotas: readonly LimitedQuota[],
): Promise<readonly SpentQuota[]> {
  const wanted = new Map(
    [...Map.groupBy(quotas, limitedKeyOf)].map(([key, some]) => [key, wantedOf(some)]),
  );
  const byLimit = Map.groupBy(wanted.values(), ({ limit }) => limit);
  for (const limit of [...byLimit.keys()].sort((a, b) => a - b))
    await takeWanted(db, limit, (byLimit.get(limit) ?? []).sort(byDayAndName));
  const answered = new Map([...wanted].map(([key, { answers }]) => [key, answers.values()]));
  return quotas.map((quota) => {
    const answer = answered.get(limitedKeyOf(quota))?.next().value;
    if (answer === undefined) throw new Error("a use of a daily quota has no answer");
    return answer;
  });
}

function wantedOf(same: readonly LimitedQuota[]): Wanted {
  const [quota] = same;
  if (quota === undefined) throw new Error("nobody wants this quota");
  return { ...quota, wanted: same.length, answers: [], room: quota.limit };
}

/** Answers all of `wanted`, which have one limit. Nobody is refused while there is one left. */
async function takeWanted(db: Kysely<Schema>, limit: number, wanted: readonly Wanted[]) {
  let open = wanted;
  while (open.length > 0) {
    const used = await takeWhereAllFit(db, limit, open);
    for (const quota of open) {
      const times = timesOf(quota);
      const now = used.get(keyOf(quota));
      for (let left = times - 1; now !== undefined && left >= 0; left--)
        quota.answers.push({ allowed: true, used: now - left, taken: true });
    }
    open = open.filter(({ wanted, answers }) => answers.length < wanted);
    const standing = await usages(db, open);
    for (const quota of open) {
      const used = standing.get(keyOf(quota)) ?? 0;
      quota.room = limit - used;
      while (quota.room <= 0 && quota.answers.length < quota.wanted)
        quota.answers.push({ allowed: false, used, taken: false });
    }
    open = open.filter(({ room }) => room > 0);
  }
}

function timesOf({ wanted, answers, room }: Wanted): number {
  return Math.min(wanted - answers.length, room);
}

/**
 * Takes from each what there is room for, all of it or nothing.
 *
 * @returns what is used of those that were taken from
 */
async function takeWhereAllFit(
  db: Kysely<Schema>,
  limit: number,
  quotas: readonly Wanted[],
): Promise<ReadonlyMap<string, number>> {
  const rows = quotas
    .filter(({ room }) => room > 0)
    .map((quota) => ({
      subject: quota.subject,
      day: BigInt(quota.day),
      used: BigInt(timesOf(quota)),
    }));
  if (rows.length === 0) return new Map();
  const taken = await db
    .insertInto("daily_usage")
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(["subject", "day"])
        .doUpdateSet((eb) => ({ used: eb("daily_usage.used", "+", eb.ref("excluded.used")) }))
        .where((eb) =>
          eb(eb("daily_usage.used", "+", eb.ref("excluded.used")), "<=", BigInt(limit)),
        ),
    )
    .returning(["subject", "day", "used"])
    .execute();
  return new Map(taken.map((row) => [keyOf(row), Number(row.used)]));
}

async function usages(
  db: Kysely<Schema>,
  quotas: readonly DailyQuota[],
): Promise<ReadonlyMap<string, number>> {
  const used = new Map<string, number>();
  for (const [day, some] of Map.groupBy(quotas, (quota) => quota.day)) {
    const subjects = [...new Set(some.map(({ subject }) => subject))];
    for (const [subject, count] of await dailyUsages(db, { subjects, day }))
      used.set(keyOf({ subject, day }), count);
  }
  return used;
}

function byDayAndName(a: DailyQuota, b: DailyQuota): number {
  if (a.day !== b.day) return a.day - b.day;
  if (a.subject === b.subject) return 0;
  return a.subject < b.subject ? -1 : 1;
}

function keyOf({ subject, day }: { readonly subject: string; readonly day: number | bigint }) {
  return `${day}/${subject}`;
}

function limitedKeyOf({ limit, ...quota }: LimitedQuota): string {
  return `${limit}/${keyOf(quota)}`;
}

function answerAt(answers: readonly SpentQuota[], place: number): SpentQuota {
  const answer = answers[place];
  if (answer === undefined) throw new Error("a use of a daily quota has no answer");
  return answer;
}
