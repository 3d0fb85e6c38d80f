import { parseArgs } from "node:util";
import { readConfig } from "#src/app/config.ts";
import { parseDay } from "#src/export/export-day.ts";
import { databaseFileExists, openDatabase } from "#src/store/connection/database.ts";
import { migrate } from "#src/store/connection/migrate.ts";
import { refuseHalfMoved } from "#src/store/move/move-progress.ts";
import type { Store } from "#src/store/schema.ts";
import { adminAlerts } from "./admin-alerts.ts";
import { adminBackup } from "./admin-backup.ts";
import { adminExport } from "./admin-export.ts";
import { adminFunnel } from "./admin-funnel.ts";
import { adminKey } from "./admin-key.ts";
import { adminMismatches } from "./admin-mismatches.ts";
import { adminMoveTo } from "./admin-move-to.ts";
import { adminUser } from "./admin-user.ts";
import { adminWaitlist } from "./admin-waitlist.ts";
import { noEmbeddedDatabase } from "./failure-text.ts";
import { type Output, UsageError } from "./output.ts";

export type AdminDeps = {
  readonly store: Store;
  readonly nowMs: number;
  readonly output: Output;
};

/** The input of a task that opens databases itself. */
export type AdminPlaceDeps = {
  readonly dataDir: string;
  /** Null: the embedded database in `dataDir` is the configured one, or --data-dir names it. */
  readonly databaseUrl: string | null;
  readonly nowMs: number;
  readonly output: Output;
};

export type AdminCall = {
  readonly words: readonly string[];
  readonly flags: {
    readonly json?: boolean;
    readonly yes?: boolean;
    /** Days since 1970. */
    readonly fromDay?: number;
    readonly untilDay?: number;
    readonly "data-dir"?: string;
  };
};

const USAGE = [
  "user list: the newest 50 users, with keys and queries of today (-: no daily limit, not counted)",
  "user find TEXT | user tier USER free|degen|founder|pro | user disable|enable USER",
  "user delete USER --yes: with everything kept about them",
  "key list USER | key revoke KEY_ID",
  "mismatches: the last swaps whose modelled amount differs, for exitability verify",
  "waitlist: its entries as CSV",
  "alerts: how alerts came out, what waits to be sent, and abandoned messages",
  "funnel [--from YYYY-MM-DD] [--until YYYY-MM-DD]: events by step, source and day",
  "export history|accuracy YYYY-MM-DD FILE: one UTC day of all tokens as Parquet",
  "backup FILE [--data-dir DIR]: the embedded database as one file, while the service runs or not",
  "move-to DATABASE_URL [--data-dir DIR]: everything in the embedded database, to a Postgres",
];

const AREAS: Readonly<Record<string, (call: AdminCall, deps: AdminDeps) => Promise<number>>> = {
  user: adminUser,
  key: adminKey,
  mismatches: adminMismatches,
  waitlist: adminWaitlist,
  funnel: adminFunnel,
  alerts: adminAlerts,
  export: adminExport,
};

/** Tasks on the whole embedded database, which they open themselves, without a migration. */
const WHOLE_DATABASE_AREAS: Readonly<
  Record<string, (call: AdminCall, deps: AdminPlaceDeps) => Promise<number>>
> = { backup: adminBackup, "move-to": adminMoveTo };

/** The operator's tasks on the configured database. The service may be running. */
export async function admin(args: readonly string[], output: Output): Promise<number> {
  const call = readCall(args);
  const nowMs = Date.now();
  const config = readConfig(process.env);
  const { "data-dir": namedDir } = call.flags;
  const dataDir = namedDir ?? config.dataDir;
  // A directory that is named has an embedded database, whatever the service uses.
  const databaseUrl = namedDir === undefined ? config.databaseUrl : null;
  const [area = "", ...words] = call.words;
  const run = Object.hasOwn(WHOLE_DATABASE_AREAS, area) ? WHOLE_DATABASE_AREAS[area] : undefined;
  if (run !== undefined)
    return run({ words, flags: call.flags }, { databaseUrl, dataDir, nowMs, output });
  if (databaseUrl === null && !databaseFileExists(dataDir)) {
    output.err(`${noEmbeddedDatabase(dataDir)}, or its DATABASE_URL`);
    return 1;
  }
  const database = openDatabase({ databaseUrl, dataDir, access: "visitor", connections: 1 });
  try {
    await refuseHalfMoved(database);
    await migrate(database, nowMs);
    return await runAdmin(call, { store: database, nowMs, output });
  } finally {
    await database.close();
  }
}

/** One task on an open database. @returns the exit code @throws UsageError */
export function runAdmin({ words, flags }: AdminCall, deps: AdminDeps): Promise<number> {
  const [area = "", ...rest] = words;
  const run = Object.hasOwn(AREAS, area) ? AREAS[area] : undefined;
  if (run === undefined) throw adminUsage(`there is no "${area}"`);
  return run({ words: rest, flags }, deps);
}

/** Options that only one area has. */
const OWN_FLAGS = { from: "funnel", until: "funnel", yes: "user" } as const;

/** @throws UsageError, or the error of parseArgs, for wrong arguments */
export function readCall(args: readonly string[]): AdminCall {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: "boolean" },
      yes: { type: "boolean" },
      from: { type: "string" },
      until: { type: "string" },
      "data-dir": { type: "string" },
    },
  });
  const [area] = positionals;
  if (area === undefined) throw adminUsage("say what to do");
  if (!Object.hasOwn(AREAS, area) && !Object.hasOwn(WHOLE_DATABASE_AREAS, area))
    throw adminUsage(`there is no "${area}"`);
  for (const [flag, owner] of Object.entries(OWN_FLAGS))
    if (flag in values && owner !== area) throw adminUsage(`${area} has no option --${flag}`);
  const { from, until, ...flags } = values;
  return {
    words: positionals,
    flags: {
      ...flags,
      ...(from === undefined ? {} : { fromDay: dayArgument(from) }),
      ...(until === undefined ? {} : { untilDay: dayArgument(until) }),
    },
  };
}

function dayArgument(text: string): number {
  const day = parseDay(text);
  if (day === null) throw new UsageError(`"${text}" is not a date like 2026-11-20`);
  return day;
}

function adminUsage(problem: string): UsageError {
  return new UsageError(`${problem}\n\n${adminHelp()}`);
}

/** One line per task; only the tasks of an area where `words` names one. */
export function adminHelp(words: readonly string[] = []): string {
  const [area = ""] = words;
  const own = USAGE.filter(
    (line) => line.startsWith(area) && /^[ :]/.test(line.slice(area.length)),
  );
  const lines = (area === "" || own.length === 0 ? USAGE : own).map(
    (line) => `  exitability admin ${line}`,
  );
  const note = "USER is an e-mail address or an id; --json prints JSON instead.";
  return [...lines, "", note].join("\n");
}
