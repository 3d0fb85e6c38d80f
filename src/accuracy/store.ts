import type { Kysely } from "kysely";
import {
  deleteTalliesBefore,
  readMismatches,
  readTallies,
  type StoredMismatch,
  type StoredTally,
  writeMismatches,
  writeTallies,
} from "#src/store/accuracy.ts";
import type { Database } from "#src/store/connection/database.ts";
import { writeJudgedSwaps } from "#src/store/judged-swaps.ts";
import {
  addProgramDeployment,
  readProgramDeployments,
  type StoredDeployment,
} from "#src/store/program-deployments.ts";
import {
  deleteQuotedBefore,
  readQuoted,
  type StoredQuoted,
  writeQuoted,
} from "#src/store/quoted-executed.ts";
import type { Schema } from "#src/store/schema.ts";
import {
  deleteWaitingHeldBefore,
  readWaitingHeld,
  type StoredWaiting,
  writeWaitingHeld,
} from "#src/store/waiting-held.ts";
import { toNumber } from "#src/units/to-number.ts";
import { VENUES } from "#src/venues/all.ts";
import type { JudgedSwap } from "./judged-swap.ts";
import { type Deployment, deployedSlotAt, type ProgramDeployments } from "./program-deployments.ts";
import { ANSWER_AGES, type QuotedExecuted, type QuotedRow } from "./quoted-executed.ts";
import { RecentSwaps } from "./recent-swaps.ts";
import { SPAN_NAMES, SPANS, type Tallies, type TallyRow } from "./tallies.ts";
import type { Tally } from "./tally.ts";
import type { HeldWaitings, WaitingRow } from "./waiting-counts.ts";

/** Mismatches kept with all their accounts. */
const MISMATCHES_KEPT = 1_000;
/** Mismatches per save: an inexact venue fills the record quickly even so. */
const MAX_PER_SAVE = 100;

/** Swaps kept per venue, exact or not. */
const SWAPS_KEPT = 1_000;
/** Swaps stored per venue and save, the newest; all of them are counted. */
const SWAPS_PER_SAVE = 250;

/** The counts and deployments that are stored. */
export type StoredCounts = {
  readonly tallies: Tallies;
  readonly quoted: QuotedExecuted;
  readonly waiting: HeldWaitings;
  readonly programs: Pick<ProgramDeployments, "restore">;
};

/** Stores tallies, mismatches, swaps and deployments in the database. */
export class AccuracyStore {
  readonly #database: Database;
  readonly #mismatches: StoredMismatch[] = [];
  readonly #deployments: Deployment[] = [];
  readonly #swaps = new RecentSwaps(SWAPS_PER_SAVE);

  constructor(database: Database) {
    this.#database = database;
  }

  async restore({ tallies, quoted, waiting, programs }: StoredCounts): Promise<void> {
    const { db } = this.#database;
    tallies.restore((await readTallies(db)).flatMap((row) => parseRow(row) ?? []));
    quoted.restore((await readQuoted(db)).flatMap((row) => parseQuoted(row) ?? []));
    waiting.restore((await readWaitingHeld(db)).map(parseWaiting));
    programs.restore(await readDeployments(this.#database));
  }

  addDeployment(deployment: Deployment): void {
    this.#deployments.push(deployment);
  }

  addMismatch(mismatch: StoredMismatch): void {
    if (this.#mismatches.length < MAX_PER_SAVE) this.#mismatches.push(mismatch);
  }

  addSwaps(swaps: readonly JudgedSwap[]): void {
    for (const swap of swaps) this.#swaps.add(swap);
  }

  /**
   * Stores everything new in one transaction, so that a failure leaves nothing half stored. After a failure
   * the next save stores it; of mismatches at most as many as one save holds.
   */
  async save(
    { tallies, quoted, waiting }: Omit<StoredCounts, "programs">,
    nowMs: number,
  ): Promise<void> {
    const taken = {
      deployments: this.#deployments.splice(0),
      hours: quoted.takeChanged(nowMs),
      waiting: waiting.takeChanged(nowMs),
      tallies: tallies.takeChanged(nowMs),
      mismatches: this.#mismatches.splice(0),
      swaps: this.#swaps.take(),
    };
    if (Object.values(taken).every((part) => part.length === 0)) return;
    try {
      await this.#database.db
        .transaction()
        .execute((transaction) => write(transaction, taken, nowMs));
    } catch (error) {
      this.#deployments.unshift(...taken.deployments);
      quoted.giveBack(taken.hours);
      waiting.giveBack(taken.waiting);
      tallies.giveBack(taken.tallies);
      this.#mismatches.unshift(...taken.mismatches);
      this.addSwaps(taken.swaps);
      throw error;
    }
  }
}

/** What one save stores. */
type Unsaved = {
  readonly deployments: readonly Deployment[];
  readonly hours: readonly QuotedRow[];
  readonly waiting: readonly WaitingRow[];
  readonly tallies: readonly TallyRow[];
  readonly mismatches: readonly StoredMismatch[];
  readonly swaps: readonly JudgedSwap[];
};

/** Writes new rows and drops those that are too old to be kept. */
async function write(db: Kysely<Schema>, unsaved: Unsaved, nowMs: number): Promise<void> {
  for (const deployment of unsaved.deployments) await addProgramDeployment(db, deployment);
  if (unsaved.hours.length > 0) {
    const rows = unsaved.hours.map(({ hour, age, counts }) => ({
      hour,
      ageSeconds: age,
      counts: JSON.stringify(counts),
    }));
    await writeQuoted(db, rows);
    await deleteQuotedBefore(db, Math.floor(nowMs / SPANS.hour.lengthMs) - SPANS.hour.kept);
  }
  if (unsaved.waiting.length > 0) {
    const rows = unsaved.waiting.map(({ hour, counts }) => ({
      hour,
      counts: JSON.stringify(counts),
    }));
    await writeWaitingHeld(db, rows);
    await deleteWaitingHeldBefore(db, Math.floor(nowMs / SPANS.hour.lengthMs) - SPANS.hour.kept);
  }
  if (unsaved.tallies.length > 0) {
    const rows = unsaved.tallies.map(({ tally, ...row }) => ({
      ...row,
      tally: JSON.stringify(tally),
    }));
    await writeTallies(db, rows);
    for (const span of SPAN_NAMES) {
      const { lengthMs, kept } = SPANS[span];
      await deleteTalliesBefore(db, { span, index: Math.floor(nowMs / lengthMs) - kept });
    }
  }
  if (unsaved.mismatches.length > 0) await writeMismatches(db, unsaved.mismatches, MISMATCHES_KEPT);
  await writeJudgedSwaps(db, unsaved.swaps, SWAPS_KEPT);
}

/** Every deployment seen, in that order. */
export async function readDeployments({
  db,
}: Pick<Database, "db">): Promise<readonly Deployment[]> {
  return (await readProgramDeployments(db)).flatMap((row) => parseDeployment(row) ?? []);
}

/**
 * The last mismatches, newest first, as lines that `exitability verify` reads: each with its
 * transaction and the deployed slot of the code that ran (null: unknown).
 */
export async function readMismatchLines(
  database: Pick<Database, "db">,
): Promise<readonly string[]> {
  const deployments = await readDeployments(database);
  const mismatches = await readMismatches(database.db, MISMATCHES_KEPT);
  return mismatches.map(({ venue, signature, execution }) => {
    // Written by this service.
    const line: { readonly slot: number } = JSON.parse(execution);
    const ran = deployments.filter((deployment) => deployment.venue === venue);
    const deployedSlot = deployedSlotAt(ran, BigInt(line.slot));
    const slot = deployedSlot === null ? null : toNumber(deployedSlot);
    return JSON.stringify({ signature, deployedSlot: slot, ...line });
  });
}

/** Null if this version does not know the program. */
function parseDeployment({ venue, ...deployment }: StoredDeployment): Deployment | null {
  const known = VENUES.find(({ id }) => id === venue);
  return known === undefined ? null : { venue: known.id, ...deployment };
}

/** Null if this version does not know the age. */
function parseQuoted({ hour, ageSeconds, counts }: StoredQuoted): QuotedRow | null {
  const age = ANSWER_AGES.find((known) => known === ageSeconds);
  // Written by this service.
  return age === undefined ? null : { hour, age, counts: JSON.parse(counts) };
}

function parseWaiting({ hour, counts }: StoredWaiting): WaitingRow {
  // Written by this service; a cell that this version does not know is never reported.
  return { hour, counts: JSON.parse(counts) };
}

/** Null if this version does not know the program or the span. */
function parseRow(row: StoredTally): TallyRow | null {
  const venue = VENUES.find(({ id }) => id === row.venue);
  const span = SPAN_NAMES.find((known) => known === row.span);
  if (venue === undefined || span === undefined) return null;
  // Written by this service.
  const tally: Tally = JSON.parse(row.tally);
  return { venue: venue.id, span, index: row.index, tally };
}
