import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import type { DatabasePlace } from "../databases/databases.ts";
import { closeAfter, type Ending } from "../ending.ts";

/** A service in a process of its own, as an operator starts it. */
export type RunningService = {
  readonly url: string;
  readonly dataDir: string;
  /** Every line it has written. */
  readonly lines: readonly string[];
  /** Like a power failure: at once, without shutdown. */
  readonly kill: () => Promise<void>;
  /** Freezes the process, with its sockets open, until it is thawed. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** Sends any other signal. */
  readonly signal: (name: NodeJS.Signals) => void;
  /** As an operator does: it may finish what it has begun. @returns its exit code */
  readonly stop: () => Promise<number | null>;
  /** Its exit code, once it has ended; null: a signal ended it. */
  readonly ended: Promise<number | null>;
};

const TEST_SECRET = "a secret for tests that is long enough";

/** One account that is not a pool: a recording may not be empty. */
const EMPTY_ACCOUNT = {
  pubkey: "SysvarRent111111111111111111111111111111111",
  account: {
    lamports: 1,
    data: ["", "base64"],
    owner: "11111111111111111111111111111111",
    executable: false,
    rentEpoch: 0,
    space: 0,
  },
};

/** Starts the service on a place for a database, over a chain without a single pool unless one is named. */
export async function startTestService(
  ending: Ending,
  place: DatabasePlace,
  environment: Readonly<Record<string, string>> = {},
  args: readonly string[] = ["bin/exitability.mjs", "serve"],
): Promise<RunningService> {
  const child = spawn(process.execPath, args, {
    env: { ...environmentOf(place), ...chainOf(place, environment), PORT: "0", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return whenListening(ending, child, place.dataDir);
}

/** A service that was just started, once it says where it listens; killed after the test. */
export async function whenListening(
  ending: Ending,
  child: ChildProcess,
  dataDir: string,
): Promise<RunningService> {
  const ended = once(child, "exit").then(([code]) => (typeof code === "number" ? code : null));
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  // A child that can't be spawned never exits: `listeningUrl` reports why.
  ended.catch(() => undefined);
  closeAfter(ending, kill);
  const lines: string[] = [];
  const url = await listeningUrl(child, lines);
  return {
    url,
    ended,
    dataDir,
    lines,
    kill,
    freeze: () => void child.kill("SIGSTOP"),
    thaw: () => void child.kill("SIGCONT"),
    signal: (name) => void child.kill(name),
    async stop() {
      child.kill("SIGTERM");
      return ended;
    },
  };
}

function chainOf(
  { dataDir }: DatabasePlace,
  { SOLANA_RPC_URL }: Readonly<Record<string, string>>,
): NodeJS.ProcessEnv {
  if (SOLANA_RPC_URL !== undefined) return {};
  const accountsDir = join(dataDir, "no-accounts");
  mkdirSync(accountsDir, { recursive: true });
  writeFileSync(join(accountsDir, "an-account.json"), JSON.stringify(EMPTY_ACCOUNT));
  return { ACCOUNTS_DIR: accountsDir };
}

/** Runs one command of the command line on the same place. */
export function runCommand(place: DatabasePlace, args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["bin/exitability.mjs", ...args], {
    env: environmentOf(place),
    encoding: "utf8",
  });
  return { code: status, out: stdout, err: stderr };
}

/** Like `runCommand`, but does not block this process, so that it notices when a service closes its connections. */
export async function awaitCommand(place: DatabasePlace, args: readonly string[]) {
  const child = spawn(process.execPath, ["bin/exitability.mjs", ...args], {
    env: environmentOf(place),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  return { code: code as number | null, out, err };
}

function environmentOf({ databaseUrl, dataDir }: DatabasePlace): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  const database = databaseUrl === null ? {} : { DATABASE_URL: databaseUrl };
  return { PATH, HOME, DATA_DIR: dataDir, AUTH_SECRET: TEST_SECRET, ...database };
}

function listeningUrl(child: ChildProcess, lines: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on("line", (line) => {
        lines.push(line);
        const [, url] = /listens at (http:\/\/[^\s"]+)/.exec(line) ?? [];
        if (url !== undefined) resolve(url);
      });
    }
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`ended with ${code}:\n${lines.join("\n")}`)));
  });
}
