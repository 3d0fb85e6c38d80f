import { timestamp } from "#src/api/values.ts";
import { type Database, databaseFileExists, openDatabase } from "#src/store/connection/database.ts";
import { DirectoryInUseError } from "#src/store/connection/directory-lock.ts";
import { MoveRefusedError } from "#src/store/move/move-refused-error.ts";
import {
  type ComparedTable,
  type MoveOutcome,
  moveToPostgres,
} from "#src/store/move/move-to-postgres.ts";
import { checksumText } from "#src/store/move/row-tally.ts";
import type { AdminCall, AdminPlaceDeps } from "./admin.ts";
import { noEmbeddedDatabase } from "./failure-text.ts";
import { formatTable, type Output, UsageError } from "./output.ts";

/** The part of a checksum that is printed; `--json` has all of it. */
const CHECKSUM_SHOWN = 16;

/**
 * `admin move-to`: copies the embedded database to a Postgres database.
 *
 * @returns 0 if the target holds the same content afterwards, else 1
 */
export async function adminMoveTo(
  { words, flags }: AdminCall,
  { dataDir, nowMs, output }: AdminPlaceDeps,
): Promise<number> {
  const [databaseUrl, ...rest] = words;
  if (databaseUrl === undefined || rest.length > 0 || !isPostgresUrl(databaseUrl))
    throw new UsageError(
      "move-to DATABASE_URL [--data-dir DIR]; DATABASE_URL starts with postgres://",
    );
  if (!databaseFileExists(dataDir)) {
    output.err(noEmbeddedDatabase(dataDir));
    return 1;
  }
  try {
    const outcome = await move({ databaseUrl, dataDir, nowMs, output });
    if (flags.json === true) output.out(JSON.stringify(outcomeBody(outcome)));
    else for (const text of outcomeTexts(outcome, dataDir)) output.out(text);
    return outcome.kind === "different" ? 1 : 0;
  } catch (error) {
    if (error instanceof DirectoryInUseError) output.err(`${error.fact}. Stop it before the move.`);
    else if (error instanceof MoveRefusedError) output.err(error.message);
    else throw error;
    return 1;
  }
}

async function move(order: {
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly nowMs: number;
  readonly output: Output;
}): Promise<MoveOutcome> {
  const { databaseUrl, dataDir, nowMs, output } = order;
  const opened: Database[] = [];
  const open = (url: string | null): Database => {
    const database = openDatabase({ databaseUrl: url, dataDir, connections: 1 });
    opened.push(database);
    return database;
  };
  try {
    return await moveToPostgres({
      source: open(null),
      target: open(databaseUrl),
      nowMs,
      onCopied: (table, rows) => output.err(`${table}: ${rows} rows are there`),
    });
  } finally {
    for (const database of opened.reverse()) await database.close();
  }
}

function isPostgresUrl(text: string): boolean {
  return URL.canParse(text) && ["postgres:", "postgresql:"].includes(new URL(text).protocol);
}

function outcomeTexts(outcome: MoveOutcome, dataDir: string): readonly string[] {
  switch (outcome.kind) {
    case "moved-before":
      return [
        `done already: everything was moved and compared at ${timestamp(outcome.atMs)}, and the source has not changed since`,
      ];
    case "moved":
      return [
        comparison(outcome.tables),
        "",
        "Everything is there, and the same. Start the service with DATABASE_URL, and with AUTH_SECRET",
        `as it was (the content of ${dataDir}/auth-secret, where it was never set): sessions and the`,
        "signatures of webhooks depend on it.",
      ];
    case "different":
      return [
        comparison(outcome.tables),
        "",
        "The target is NOT the same as the source: don't use it. Empty it and move again.",
      ];
  }
}

function comparison(tables: readonly ComparedTable[]): string {
  const shown = (checksum: bigint) => checksumText(checksum).slice(0, CHECKSUM_SHOWN);
  const number = (value: bigint | undefined) => (value === undefined ? "" : String(value));
  const rows = tables.map(({ name, source, target, lastNumber, isSame }) => [
    name,
    source.rows,
    target.rows,
    shown(source.checksum),
    shown(target.checksum),
    number(lastNumber?.source),
    number(lastNumber?.target),
    isSame ? "same" : "DIFFERENT",
  ]);
  const heading = ["table", "rows", "there", "checksum", "there", "last id", "there", ""];
  return formatTable([heading, ...rows]);
}

function outcomeBody(outcome: MoveOutcome) {
  if (outcome.kind === "moved-before")
    return { status: "moved-before", at: timestamp(outcome.atMs), tables: null };
  const side = (of: "source" | "target", { lastNumber, ...table }: ComparedTable) => ({
    rows: table[of].rows,
    checksum: checksumText(table[of].checksum),
    last_id: lastNumber === null ? null : String(lastNumber[of]),
  });
  const tables = outcome.tables.map((table) => ({
    table: table.name,
    source: side("source", table),
    target: side("target", table),
    same: table.isSame,
  }));
  return { status: outcome.kind, tables };
}
