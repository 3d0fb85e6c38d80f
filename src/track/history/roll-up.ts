import { setImmediate as nextTurn } from "node:timers/promises";
import { dayOf } from "#src/platform/clock.ts";
import type { Database } from "#src/store/connection/database.ts";
import {
  dropRolledBefore,
  type RolledDay,
  readRolledDay,
  replaceByRolled,
} from "#src/store/rolled-samples.ts";
import {
  dropSampleDay,
  oldestSampleDay,
  readDayHours,
  type SampleHour,
  type TokenRange,
  tokensAfter,
} from "#src/store/samples.ts";
import { deleteStoredAnswersBefore } from "#src/store/stored-answers.ts";
import { firstFineDay, mergeBuckets, ROLLED_GRID } from "./bucket.ts";
import { packDay, unpackDay } from "./rolled-day.ts";
import { rollHour } from "./sample-block.ts";

/** Tokens in one transaction of the roll-up: another writer waits for one transaction at most. */
const TOKENS_PER_SLICE = 20;
const ROWS_PER_SLICE = 500;
/** Longest time of work without a pause for other work. */
const LONGEST_TURN_MS = 8;

export type RollUpDeps = {
  readonly database: Database;
  /** Number of days for which rolled samples are kept. */
  readonly historyDays: number;
  /** Number of days, today included, for which answers are kept; 0: none. */
  readonly stateDays: number;
};

/** Position in the day that is being rolled up. */
type Place = { readonly day: number; readonly afterId: bigint; readonly rolledTokens: number };

/**
 * Rolls up the samples of earlier days and deletes expired data, in slices of some tokens. A slice is one
 * transaction. Repeating a slice changes nothing, because its result is combined with the stored result.
 * So after a kill the roll-up continues with the samples that are left.
 */
export class RollUp {
  readonly #deps: RollUpDeps;
  #place: Place | null = null;
  /** The days for which the work is done. */
  #doneFor = "";

  constructor(deps: RollUpDeps) {
    this.#deps = deps;
  }

  /**
   * Does one slice of the work that is due.
   *
   * @returns whether more is due now
   */
  async slice(nowMs: number): Promise<boolean> {
    const fineDay = firstFineDay(nowMs);
    const today = dayOf(nowMs);
    const due = `${fineDay} ${today}`;
    if (due === this.#doneFor) return false;
    if (await this.#rollUp(fineDay, today)) return true;
    if (await this.#deleteOld(today)) return true;
    this.#doneFor = due;
    return false;
  }

  async #rollUp(fineDay: number, today: number): Promise<boolean> {
    const { database, historyDays } = this.#deps;
    const day = this.#place?.day ?? (await oldestSampleDay(database));
    if (day === null || day >= fineDay) return false;
    const place = this.#place ?? { day, afterId: 0n, rolledTokens: 0 };
    if (day < today - historyDays) return await this.#drop(day);
    const { afterId } = place;
    const tokens = await tokensAfter(database.db, { afterId, limit: TOKENS_PER_SLICE });
    const last = tokens.at(-1);
    if (last !== undefined) {
      const rolled = await this.#rollUpTokens(day, { afterId, toId: last.id });
      this.#place = { day, afterId: last.id, rolledTokens: place.rolledTokens + rolled };
      return true;
    }
    // On SQLite only samples written meanwhile are left: another round rolls them up.
    if (database.dialect === "postgres" || place.rolledTokens === 0) return await this.#drop(day);
    this.#place = null;
    return true;
  }

  /**
   * Drops a day of samples, on SQLite a part of it. Where that fails, since a backup reads the table for example,
   * it is tried again without rolling up the day again.
   */
  async #drop(day: number): Promise<true> {
    while (await dropSampleDay(this.#deps.database, { day, limit: ROWS_PER_SLICE }))
      await nextTurn();
    this.#place = null;
    return true;
  }

  /** @returns the number of tokens that had samples */
  async #rollUpTokens(day: number, range: TokenRange): Promise<number> {
    const { database } = this.#deps;
    const hours = await readDayHours(database.db, day, range);
    if (hours.size === 0) return 0;
    const before = await readRolledDay(database.db, day, range);
    const rows: Omit<RolledDay, "day">[] = [];
    let sinceMs = performance.now();
    for (const [tokenId, ofToken] of hours) {
      rows.push({ tokenId, data: rolledData(day, ofToken, before.get(tokenId)) });
      if (performance.now() - sinceMs < LONGEST_TURN_MS) continue;
      await nextTurn();
      sinceMs = performance.now();
    }
    await replaceByRolled(database, { day, range, rows });
    return rows.length;
  }

  async #deleteOld(today: number): Promise<boolean> {
    const { database, historyDays, stateDays } = this.#deps;
    const limit = ROWS_PER_SLICE;
    return (
      (await dropRolledBefore(database, { day: today - historyDays, limit })) ||
      (await deleteStoredAnswersBefore(database.db, { day: today + 1 - stateDays, limit }))
    );
  }
}

/** The packed day of a token, from the hours of its samples and the earlier rolled day, if there is one. */
export function rolledData(
  day: number,
  hours: readonly SampleHour[],
  before?: Uint8Array,
): Uint8Array {
  const rolled = before === undefined ? [] : unpackDay(day, before);
  const added = hours.flatMap(({ hour, data }) => rollHour(hour, data, ROLLED_GRID));
  return packDay(day, mergeBuckets([...rolled, ...added]));
}
