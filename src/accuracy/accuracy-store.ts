import {
  dropTalliesBefore,
  readMismatches,
  readTallies,
  type StoredMismatch,
  writeMismatches,
  writeTallies,
} from "#src/store/accuracy.ts";
import type { Database } from "#src/store/database.ts";
import { writeJudgedSwaps } from "#src/store/judged-swaps.ts";
import {
  addProgramDeployment,
  readProgramDeployments,
  type StoredDeployment,
} from "#src/store/program-deployments.ts";
import {
  dropQuotedBefore,
  readQuoted,
  type StoredQuoted,
  writeQuoted,
} from "#src/store/quoted-executed.ts";
import { toNumber } from "#src/units/to-number.ts";
import { VENUE_IDS } from "#src/venues/venue.ts";
import type { JudgedSwap } from "./judged-swap.ts";
import { type Deployment, deployedSlotAt, type ProgramWatch } from "./program-watch.ts";
import { ANSWER_AGES, type QuotedExecuted, type QuotedRow } from "./quoted-executed.ts";
import { RecentSwaps } from "./recent-swaps.ts";
import { SPANS, type Span, type Tallies, type TallyRow } from "./tallies.ts";
import type { Tally } from "./tally.ts";

/** The last mismatches are kept whole. */
export const MISMATCHES_KEPT = 1_000;
/** A venue that is off altogether fills the record soon enough at this rate. */
const MAX_PER_SAVE = 100;

/** Swaps of each venue that are kept, exact or not. */
const SWAPS_KEPT = 1_000;
/** Of a venue that has more, the newest of each save are stored: the others are counted, as ever. */
const SWAPS_PER_SAVE = 250;

/** What is counted, and when programs were deployed. */
export type Kept = {
  readonly tallies: Tallies;
  readonly quoted: QuotedExecuted;
  readonly programs: Pick<ProgramWatch, "restore">;
};

/** Keeps tallies and mismatches in the database; without one they live as long as the process. */
export class AccuracyStore {
  readonly #database: Database;
  readonly #mismatches: StoredMismatch[] = [];
  readonly #deployments: Deployment[] = [];
  readonly #swaps = new RecentSwaps(SWAPS_PER_SAVE);

  constructor(database: Database) {
    this.#database = database;
  }

  async restore({ tallies, quoted, programs }: Kept): Promise<void> {
    const { db } = this.#database;
    tallies.restore((await readTallies(db)).flatMap((row) => parseRow(row) ?? []));
    quoted.restore((await readQuoted(db)).flatMap((row) => parseQuoted(row) ?? []));
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
   * Stores what is new. Where the database refuses, what was not stored stays new for the next time;
   * of mismatches as many as one save may hold.
   */
  async save({ tallies, quoted }: Pick<Kept, "tallies" | "quoted">, nowMs: number): Promise<void> {
    await this.#saveDeployments();
    await this.#saveQuoted(quoted, nowMs);
    await this.#saveTallies(tallies, nowMs);
    await this.#saveMismatches();
    await writeJudgedSwaps(this.#database.db, this.#swaps.take(), SWAPS_KEPT);
  }

  async #saveDeployments(): Promise<void> {
    for (let [first] = this.#deployments; first !== undefined; [first] = this.#deployments) {
      await addProgramDeployment(this.#database.db, first);
      this.#deployments.shift();
    }
  }

  async #saveQuoted(quoted: QuotedExecuted, nowMs: number): Promise<void> {
    const { db } = this.#database;
    const hours = quoted.takeChanged(nowMs);
    if (hours.length === 0) return;
    const rows = hours.map(({ hour, age, counts }) => ({
      hour,
      ageSeconds: age,
      counts: JSON.stringify(counts),
    }));
    try {
      await writeQuoted(db, rows);
    } catch (error) {
      quoted.giveBack(hours);
      throw error;
    }
    await dropQuotedBefore(db, Math.floor(nowMs / SPANS.hour.lengthMs) - SPANS.hour.kept);
  }

  async #saveTallies(tallies: Tallies, nowMs: number): Promise<void> {
    const { db } = this.#database;
    const changed = tallies.takeChanged(nowMs);
    if (changed.length === 0) return;
    const rows = changed.map(({ tally, ...row }) => ({ ...row, tally: JSON.stringify(tally) }));
    try {
      await writeTallies(db, rows);
    } catch (error) {
      tallies.giveBack(changed);
      throw error;
    }
    for (const span of ["minute", "hour"] as const) {
      const { lengthMs, kept } = SPANS[span];
      await dropTalliesBefore(db, { span, index: Math.floor(nowMs / lengthMs) - kept });
    }
  }

  async #saveMismatches(): Promise<void> {
    const mismatches = this.#mismatches.splice(0);
    if (mismatches.length === 0) return;
    try {
      await writeMismatches(this.#database.db, mismatches, MISMATCHES_KEPT);
    } catch (error) {
      this.#mismatches.unshift(...mismatches);
      throw error;
    }
  }
}

/** Every deployment that was seen, in that order. */
export async function readDeployments({
  db,
}: Pick<Database, "db">): Promise<readonly Deployment[]> {
  return (await readProgramDeployments(db)).flatMap((row) => parseDeployment(row) ?? []);
}

/**
 * The last mismatches, the newest first, as lines that `exitability verify` reads: each with its
 * transaction and the deployed slot of the code that ran (null: not known).
 */
export async function readMismatchLines(
  database: Pick<Database, "db">,
): Promise<readonly string[]> {
  const deployments = await readDeployments(database);
  const mismatches = await readMismatches(database.db, MISMATCHES_KEPT);
  return mismatches.map(({ venue, signature, execution }) => {
    // Our own writing.
    const line: { readonly slot: number } = JSON.parse(execution);
    const ran = deployments.filter((deployment) => deployment.venue === venue);
    const deployedSlot = deployedSlotAt(ran, BigInt(line.slot));
    const slot = deployedSlot === null ? null : toNumber(deployedSlot);
    return JSON.stringify({ signature, deployedSlot: slot, ...line });
  });
}

/** Null where the row is of a program that this version does not know. */
function parseDeployment({ venue, ...deployment }: StoredDeployment): Deployment | null {
  const known = VENUE_IDS.find((id) => id === venue);
  return known === undefined ? null : { venue: known, ...deployment };
}

/** Null where the row is of an age that this version does not know. */
function parseQuoted({ hour, ageSeconds, counts }: StoredQuoted): QuotedRow | null {
  const age = ANSWER_AGES.find((known) => known === ageSeconds);
  // Our own writing.
  return age === undefined ? null : { hour, age, counts: JSON.parse(counts) };
}

/** Null where the row is of a program or a span that this version does not know. */
function parseRow(row: {
  readonly venue: string;
  readonly span: string;
  readonly index: number;
  readonly tally: string;
}): TallyRow | null {
  const venue = VENUE_IDS.find((id) => id === row.venue);
  const span = (["minute", "hour"] as const satisfies readonly Span[]).find(
    (known) => known === row.span,
  );
  if (venue === undefined || span === undefined) return null;
  // Our own writing.
  const tally: Tally = JSON.parse(row.tally);
  return { venue, span, index: row.index, tally };
}
