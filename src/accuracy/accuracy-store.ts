import {
  dropTalliesBefore,
  readTallies,
  type StoredMismatch,
  writeMismatches,
  writeTallies,
} from "#src/store/accuracy.ts";
import type { Database } from "#src/store/database.ts";
import { VENUE_IDS } from "#src/venues/venue.ts";
import { SPANS, type Span, type Tallies, type TallyRow } from "./tallies.ts";
import type { Tally } from "./tally.ts";

/** The last mismatches are kept whole. */
export const MISMATCHES_KEPT = 1_000;
/** A venue that is off altogether fills the record soon enough at this rate. */
const MAX_PER_SAVE = 100;

/** Keeps tallies and mismatches in the database; without one they live as long as the process. */
export class AccuracyStore {
  readonly #database: Database;
  readonly #mismatches: StoredMismatch[] = [];

  constructor(database: Database) {
    this.#database = database;
  }

  async restore(tallies: Tallies): Promise<void> {
    const rows = await readTallies(this.#database.db);
    tallies.restore(rows.flatMap((row) => parseRow(row) ?? []));
  }

  addMismatch(mismatch: StoredMismatch): void {
    if (this.#mismatches.length < MAX_PER_SAVE) this.#mismatches.push(mismatch);
  }

  async save(tallies: Tallies, nowMs: number): Promise<void> {
    const { db } = this.#database;
    const rows = tallies.takeChanged(nowMs);
    await writeTallies(
      db,
      rows.map(({ tally, ...row }) => ({ ...row, tally: JSON.stringify(tally) })),
    );
    const mismatches = this.#mismatches.splice(0);
    if (mismatches.length > 0) await writeMismatches(db, mismatches, MISMATCHES_KEPT);
    if (rows.length === 0) return;
    for (const span of ["minute", "hour"] as const) {
      const { lengthMs, kept } = SPANS[span];
      await dropTalliesBefore(db, { span, index: Math.floor(nowMs / lengthMs) - kept });
    }
  }
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
