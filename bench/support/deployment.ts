import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { systemClock } from "#src/platform/clock.ts";
import { openDatabase } from "#src/store/connection/database.ts";
import { migrate } from "#src/store/connection/migrate.ts";
import type { Store } from "#src/store/schema.ts";
import type { UserId } from "#src/store/user-id.ts";
import { createUserForEmail, findUserByEmail } from "#src/store/users.ts";
import { AccessCacheSync } from "#src/users/access-cache-sync.ts";
import { ApiKeys } from "#src/users/api-keys.ts";
import type { UserTier } from "#src/users/tiers.ts";
import { ownSchema } from "#test/support/databases/postgres-schemas.ts";
import { Endings } from "#test/support/ending.ts";
import { startRedis } from "#test/support/processes/redis.ts";
import { closeOnSignal } from "./close-on-signal.ts";

/** A process that listens. */
export type Server = { readonly child: ChildProcess; readonly url: string };

/** What one or more processes of the service share. */
export type Place = {
  readonly dataDir: string;
  /** Null: the embedded database. */
  readonly databaseUrl: string | null;
  readonly environment: Readonly<Record<string, string>>;
};

export type Key = { readonly text: string; readonly keyId: string; readonly userId: UserId };

const CLOCK_TICKS_PER_SECOND = 100;
const SECRET = "a secret for measuring that is long enough";

/** Everything that a measurement started, to be ended in reverse order. */
export class Deployment extends Endings {
  readonly dataDir = mkdtempSync(join(tmpdir(), "exitability-bench-"));

  constructor() {
    super();
    closeOnSignal(this);
    this.after(() => rmSync(this.dataDir, { recursive: true, force: true }));
  }

  /** One process with the embedded database. */
  alone(): Place {
    const environment = { DATA_DIR: this.dataDir, LOG_LEVEL: "error" };
    return { dataDir: this.dataDir, databaseUrl: null, environment };
  }

  /** A schema of its own in the Postgres of DATABASE_URL, and a Redis of its own. */
  async shared(): Promise<Place & { readonly databaseUrl: string; readonly redisUrl: string }> {
    const { DATABASE_URL: postgres = "" } = process.env;
    if (postgres === "") throw new Error("set DATABASE_URL to a Postgres: processes share one");
    const databaseUrl = await ownSchema(this, postgres);
    const { redisUrl } = await this.redis();
    const environment = {
      DATA_DIR: this.dataDir,
      LOG_LEVEL: "error",
      AUTH_SECRET: SECRET,
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
    };
    return { dataDir: this.dataDir, databaseUrl, redisUrl, environment };
  }

  /** A Redis of its own. */
  async redis(): Promise<{ readonly redisUrl: string }> {
    const { url } = await startRedis(this);
    return { redisUrl: url };
  }

  /** Starts a process of the service, which is stopped at the end. */
  async serve(place: Place, environment: Readonly<Record<string, string>>): Promise<Server> {
    return this.start(["bin/exitability.mjs", "serve"], { ...place.environment, ...environment });
  }

  /** Starts a process of ours that says where it listens; `onLine` gets each line that it prints. */
  async start(
    args: readonly string[],
    environment: Readonly<Record<string, string>>,
    onLine: (line: string) => void = () => undefined,
  ): Promise<Server> {
    const child = spawn(process.execPath, args, {
      env: { PATH: process.env["PATH"] ?? "", PORT: "0", ...environment },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "exit");
    this.after(async () => {
      child.kill("SIGTERM");
      await ended;
    });
    const lines = createInterface({ input: child.stdout });
    const url = await new Promise<string | null>((resolve) => {
      lines.on("line", (line) => {
        onLine(line);
        const [, found] = /listens at ([^\s"]+)/.exec(line) ?? [];
        if (found !== undefined) resolve(found);
      });
      lines.on("close", () => resolve(null));
    });
    if (url === null) throw new Error(`${args.join(" ")} ended before it listened`);
    return { child, url };
  }

  /** A frozen market: the bench measures answering, not trading. */
  async recorded(mint: string): Promise<Readonly<Record<string, string>>> {
    const directory = join(this.dataDir, "accounts");
    const child = spawn(process.execPath, ["bin/exitability.mjs", "record", mint, directory], {
      env: { PATH: process.env["PATH"] ?? "" },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`recording ${mint} ended with ${code}`);
    return { ACCOUNTS_DIR: directory };
  }
}

/** Users of a tier with a key each, made while no process of the service runs. */
export async function makeKeys(
  place: Place,
  { count, tier, name }: { readonly count: number; readonly tier: UserTier; readonly name: string },
): Promise<readonly Key[]> {
  const database = openDatabase(place);
  try {
    const nowMs = Date.now();
    await migrate(database, nowMs);
    const { dialect } = database;
    return await database.db
      .transaction()
      .execute((db) => makeKeysIn({ db, dialect }, { count, tier, name }, nowMs));
  } finally {
    await database.close();
  }
}

async function makeKeysIn(
  store: Store,
  { count, tier, name }: { readonly count: number; readonly tier: UserTier; readonly name: string },
  nowMs: number,
): Promise<readonly Key[]> {
  const cacheSync = new AccessCacheSync({ db: store.db, clock: systemClock, log: null });
  const apiKeys = new ApiKeys({
    store,
    cacheSync,
    prefix: "exi",
    clock: systemClock,
    log: null,
  });
  const keys: Key[] = [];
  for (let index = 0; index < count; index++) {
    const email = `${name}-${index}@example.com`;
    await createUserForEmail(store, email, nowMs);
    const user = await findUserByEmail(store.db, email);
    const issued = user === null ? null : await apiKeys.activate(user.id);
    if (user === null || issued === null) throw new Error("a user just made is gone");
    keys.push({ text: issued.text, keyId: issued.id, userId: user.id });
  }
  await store.db
    .updateTable("users")
    .set({ tier })
    .where("email", "like", `${name}-%@example.com`)
    .execute();
  return keys;
}

/** User and system time of processes so far, as the kernel counts it. */
export function cpuSeconds(children: readonly Pick<ChildProcess, "pid">[]): number {
  return children.reduce((sum, { pid }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return sum + (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND;
  }, 0);
}

export function residentBytes({ pid }: Pick<ChildProcess, "pid">): number {
  return statusBytes(pid, "VmRSS");
}

/** The most that was resident since the process began. */
export function peakResidentBytes({ pid }: Pick<ChildProcess, "pid">): number {
  return statusBytes(pid, "VmHWM");
}

function statusBytes(pid: number | undefined, name: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const [, kilobytes] = new RegExp(`${name}:\\s+(\\d+)`).exec(status) ?? [];
  return Number(kilobytes) * 1_024;
}

/** Asks once with each key, so that every process knows all of them and the token is warm. */
export async function warmUp(
  url: string,
  path: string,
  keys: readonly Pick<Key, "text">[],
): Promise<Buffer> {
  let body = Buffer.alloc(0);
  for (let start = 0; start < keys.length; start += 50) {
    const answers = keys.slice(start, start + 50).map(async ({ text }) => {
      const response = await fetch(url + path, { headers: { "x-api-key": text } });
      if (response.status !== 200) throw new Error(`warming up: HTTP ${response.status}`);
      return Buffer.from(await response.arrayBuffer());
    });
    body = (await Promise.all(answers))[0] ?? body;
  }
  return body;
}
