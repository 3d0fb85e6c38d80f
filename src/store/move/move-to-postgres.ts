import { type Kysely, sql } from "kysely";
import type { Database } from "../connection/database.ts";
import { migrate } from "../connection/migrate.ts";
import type { Schema } from "../schema.ts";
import {
  beginProgress,
  endProgress,
  type MoveProgress,
  readProgress,
  writeProgress,
} from "./move-progress.ts";
import { MoveRefusedError } from "./move-refused-error.ts";
import {
  continueNumbering,
  isNumbered,
  lastNumberGiven,
  lastNumberOfTarget,
} from "./row-numbers.ts";
import { addRows, isSameTally, NO_ROWS, type RowTally } from "./row-tally.ts";
import { insertRows, pagesOf, tallyOf } from "./table-rows.ts";
import { readTableShape, sourceTables, type TableShape } from "./table-shapes.ts";
import { refuseForeignData, refuseOtherEncoding } from "./target-state.ts";

export type ComparedTable = {
  readonly name: string;
  readonly source: RowTally;
  readonly target: RowTally;
  /** The highest row number on either side; null if rows have no number. */
  readonly lastNumber: { readonly source: bigint; readonly target: bigint } | null;
  readonly isSame: boolean;
};

export type MoveOutcome =
  | { readonly kind: "moved"; readonly tables: readonly ComparedTable[] }
  /** Everything was copied, and the target differs from what was copied. */
  | { readonly kind: "different"; readonly tables: readonly ComparedTable[] }
  /** An earlier run moved everything, and the source has not changed since. */
  | { readonly kind: "moved-before"; readonly atMs: number };

export type Move = {
  /** The embedded database, opened as its owner. */
  readonly source: Database;
  readonly target: Database;
  readonly nowMs: number;
  /** Called for each table once it is completely copied. */
  readonly onCopied?: (table: string, rows: number) => void | Promise<void>;
};

type Sides = { readonly source: Kysely<Schema>; readonly target: Kysely<Schema> };

const LOCK_TIMEOUT = "5s";
const LOCK_NOT_AVAILABLE = "55P03";

/**
 * Copies everything from the embedded database to Postgres and compares both. After an interrupted run
 * the next one continues from the last commit. The run holds the source's write lock, so that other
 * processes cannot write to it.
 *
 * @throws MoveRefusedError if the target holds foreign data, or the source changed since the first run
 */
export async function moveToPostgres(move: Move): Promise<MoveOutcome> {
  await migrate(move.source, move.nowMs);
  return move.source.db
    .transaction()
    .execute((source) =>
      move.target.db
        .connection()
        .execute((target) => alone(target, () => moveAll(move, { source, target }))),
    );
}

async function moveAll(move: Move, sides: Sides): Promise<MoveOutcome> {
  const { source, target } = sides;
  const tables = await sourceTables(source);
  const begun = await readProgress(target);
  if (begun === null) {
    await refuseOtherEncoding(target);
    await refuseForeignData(target, tables);
    await beginProgress(target, tables);
  }
  if (begun === null || begun.verifiedAtMs === null)
    await migrate({ ...move.target, db: target }, move.nowMs);
  const shapes: TableShape[] = [];
  for (const table of tables) shapes.push(await readTableShape(sides, table));
  if (begun !== null && begun.verifiedAtMs !== null) {
    await refuseChangedSource(source, shapes, begun);
    return { kind: "moved-before", atMs: begun.verifiedAtMs };
  }
  const compared: ComparedTable[] = [];
  const copied: RowTally[] = [];
  for (const shape of shapes) {
    const tally = await copyTable(sides, shape, begun?.tallies.get(shape.name) ?? NO_ROWS);
    copied.push(tally);
    await move.onCopied?.(shape.name, tally.rows);
  }
  for (const [index, shape] of shapes.entries())
    compared.push(await compareTable(sides, shape, copied[index] ?? NO_ROWS));
  if (!compared.every(({ isSame }) => isSame)) return { kind: "different", tables: compared };
  await endProgress(target, move.nowMs);
  return { kind: "moved", tables: compared };
}

/**
 * Copies a table's remaining rows, one page per transaction. Rows copied earlier are read again in the
 * source and must be unchanged.
 */
async function copyTable(
  { source, target }: Sides,
  shape: TableShape,
  arrivedBefore: RowTally,
): Promise<RowTally> {
  let arrived = arrivedBefore;
  let read = NO_ROWS;
  for await (const page of pagesOf({ db: source, dialect: "sqlite" }, shape)) {
    const known = page.slice(0, Math.max(0, arrived.rows - read.rows));
    const fresh = page.slice(known.length);
    read = addRows(read, known);
    if (fresh.length === 0) continue;
    if (!isSameTally(read, arrived)) throw changedSource(shape.name);
    read = addRows(read, fresh);
    const tally = read;
    await target.transaction().execute(async (transaction) => {
      await insertRows(transaction, shape, fresh);
      await writeProgress(transaction, shape.name, tally);
    });
    arrived = tally;
  }
  if (!isSameTally(read, arrived)) throw changedSource(shape.name);
  if (isNumbered(shape))
    await continueNumbering(target, shape, await lastNumberGiven(source, shape));
  return read;
}

async function compareTable(
  { source, target }: Sides,
  shape: TableShape,
  copied: RowTally,
): Promise<ComparedTable> {
  const arrived = await tallyOf(pagesOf({ db: target, dialect: "postgres" }, shape));
  const lastNumber = isNumbered(shape)
    ? {
        source: await lastNumberGiven(source, shape),
        target: await lastNumberOfTarget(target, shape),
      }
    : null;
  return {
    name: shape.name,
    source: copied,
    target: arrived,
    lastNumber,
    isSame: isSameTally(copied, arrived) && lastNumber?.source === lastNumber?.target,
  };
}

async function refuseChangedSource(
  source: Kysely<Schema>,
  shapes: readonly TableShape[],
  { tallies }: MoveProgress,
): Promise<void> {
  for (const shape of shapes) {
    const tally = await tallyOf(pagesOf({ db: source, dialect: "sqlite" }, shape));
    if (!isSameTally(tally, tallies.get(shape.name) ?? NO_ROWS)) throw changedSource(shape.name);
  }
}

function changedSource(table: string): MoveRefusedError {
  return new MoveRefusedError(
    `table ${table} of the source is not what was moved: it has changed since, or this is another source. ` +
      "To move it as it is now, start again with an empty target",
  );
}

/** One move at a time fills a target; Postgres releases the lock of a killed one. */
async function alone<T>(target: Kysely<Schema>, work: () => Promise<T>): Promise<T> {
  const key = sql`hashtext('exitability.move.' || current_schema())`;
  await setLockTimeout(target, LOCK_TIMEOUT);
  try {
    await sql`select pg_advisory_lock(${key})`.execute(target);
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === LOCK_NOT_AVAILABLE))
      throw cause;
    throw new MoveRefusedError("another move to this target is running");
  }
  await setLockTimeout(target, "0");
  try {
    return await work();
  } finally {
    await sql`select pg_advisory_unlock(${key})`.execute(target);
  }
}

async function setLockTimeout(target: Kysely<Schema>, timeout: string): Promise<void> {
  await sql`select set_config('lock_timeout', ${timeout}, false)`.execute(target);
}
