import { parseArgs } from "node:util";
import { readConfig } from "#src/config.ts";
import { openDatabase } from "#src/store/database.ts";
import { migrate } from "#src/store/migrate.ts";
import type { Store } from "#src/store/schema.ts";
import { adminAlerts } from "./admin-alerts.ts";
import { adminFunnel } from "./admin-funnel.ts";
import { adminKey } from "./admin-key.ts";
import { adminMismatches } from "./admin-mismatches.ts";
import { adminUser } from "./admin-user.ts";
import { adminWaitlist } from "./admin-waitlist.ts";
import { type Output, UsageError } from "./output.ts";

export type AdminDeps = {
  readonly store: Store;
  readonly nowMs: number;
  readonly output: Output;
};

export type AdminCall = {
  readonly words: readonly string[];
  readonly flags: {
    readonly json?: boolean;
    readonly yes?: boolean;
    readonly from?: string;
    readonly until?: string;
  };
};

const USAGE = [
  "user find TEXT | user tier USER free|degen|founder|pro | user disable|enable USER",
  "user delete USER --yes: with everything kept about them",
  "key list USER | key revoke KEY_ID",
  "mismatches: the last swaps that the model missed, for exitability verify",
  "waitlist: everybody who waits, as CSV",
  "alerts: how alerts came out, what waits to be sent and what was given up",
  "funnel [--from YYYY-MM-DD] [--until YYYY-MM-DD]: events by step, source and day",
];

const AREAS: Readonly<Record<string, (call: AdminCall, deps: AdminDeps) => Promise<number>>> = {
  user: adminUser,
  key: adminKey,
  mismatches: adminMismatches,
  waitlist: adminWaitlist,
  funnel: adminFunnel,
  alerts: adminAlerts,
};

/** The operator's tasks, on the configured database, beside a running service or without one. */
export async function admin(args: readonly string[], output: Output): Promise<number> {
  const call = readCall(args);
  const nowMs = Date.now();
  const { databaseUrl, dataDir } = readConfig(process.env);
  const database = openDatabase({ databaseUrl, dataDir, access: "visitor", connections: 1 });
  try {
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

/** @throws UsageError, or parseArgs's own error, where it was called wrongly */
export function readCall(args: readonly string[]): AdminCall {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: "boolean" },
      yes: { type: "boolean" },
      from: { type: "string" },
      until: { type: "string" },
    },
  });
  if (positionals.length === 0) throw adminUsage("say what to do");
  return { words: positionals, flags: values };
}

function adminUsage(problem: string): UsageError {
  const lines = USAGE.map((line) => `  exitability admin ${line}`);
  const note = "USER is an e-mail address or an id; --json prints JSON instead.";
  return new UsageError([problem, "", ...lines, "", note].join("\n"));
}
