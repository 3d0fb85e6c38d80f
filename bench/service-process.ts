import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { openDatabase } from "#src/store/database.ts";
import { migrate } from "#src/store/migrate.ts";
import { createUserForEmail, findUserByEmail, setUserTier } from "#src/store/users.ts";
import { AccessFeed } from "#src/users/access-feed.ts";
import { ApiKeys } from "#src/users/api-keys.ts";

/** A service in a process of its own, so that its CPU time is its own. */
export type ServiceProcess = { readonly child: ChildProcess; readonly url: string };

const CLOCK_TICKS_PER_SECOND = 100;

export async function startService(
  environment: Readonly<Record<string, string>>,
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, ["bin/exitability.mjs", "serve"], {
    env: { PATH: process.env.PATH ?? "", PORT: "0", LOG_LEVEL: "error", ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /listens at (\S+)/.exec(line)?.[1];
    if (url !== undefined) return { child, url };
  }
  throw new Error("the service ended before it listened");
}

/** User and system time of a process so far, all of its threads together, as the kernel counts it. */
export function cpuSeconds({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND;
}

/** So many accounts of the largest tier, a key each, in a database that a service then opens. */
export async function makeProKeys(dataDir: string, count: number): Promise<readonly string[]> {
  const store = openDatabase({ databaseUrl: null, dataDir });
  const nowMs = Date.now();
  await migrate(store, nowMs);
  const feed = new AccessFeed({ db: store.db, nowMs: Date.now });
  const apiKeys = new ApiKeys({ store, feed, prefix: "exi", nowMs: Date.now });
  const keys: string[] = [];
  for (let index = 0; index < count; index++) {
    const email = `bench-${index}@example.com`;
    await createUserForEmail(store, email, nowMs);
    const user = await findUserByEmail(store.db, email);
    if (user === null) throw new Error("a user just made is gone");
    await setUserTier(store.db, { userId: user.id, tier: "pro" }, nowMs);
    const issued = await apiKeys.activate(user.id);
    if (issued === null) throw new Error("a new account was given no key");
    keys.push(issued.text);
  }
  await store.close();
  return keys;
}
