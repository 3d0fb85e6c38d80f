import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeAfter, type Ending } from "../ending.ts";
import { freePort } from "./free-port.ts";

const INSTALLED = "/usr/lib/postgresql";
const CONNECTIONS = 300;

/** A Postgres of one's own, in a directory that is removed at the end, to be broken off and started again. */
export type OwnPostgres = {
  readonly url: string;
  readonly start: () => Promise<void>;
  /** As a crash: nothing is finished, and what was not on disk is gone. */
  readonly breakOff: () => Promise<void>;
};

/** @throws Error where no Postgres is installed */
export async function startOwnPostgres(ending: Ending): Promise<OwnPostgres> {
  const bin = binaries();
  const directory = mkdtempSync(join(tmpdir(), "exitability-postgres-"));
  const who = ownerOf(directory);
  const data = join(directory, "data");
  const port = await freePort();
  const run = async (command: string, args: readonly string[]) => {
    const child = spawn(join(bin, command), args, { ...who, stdio: "ignore" });
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`${command} ended with ${String(code)}`);
  };
  const options = [
    `-p ${port}`,
    "-c listen_addresses=127.0.0.1",
    `-c unix_socket_directories=${directory}`,
    `-c max_connections=${CONNECTIONS}`,
  ].join(" ");
  const control = ["-D", data, "-w", "-l", join(directory, "log")];
  const start = () => run("pg_ctl", [...control, "-o", options, "start"]);
  const breakOff = () => run("pg_ctl", [...control, "-m", "immediate", "stop"]);
  await run("initdb", ["-D", data, "-A", "trust", "-U", "postgres"]);
  await start();
  closeAfter(ending, async () => {
    await breakOff().catch(() => undefined);
    rmSync(directory, { recursive: true, force: true });
  });
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, start, breakOff };
}

function binaries(): string {
  const versions = existsSync(INSTALLED) ? readdirSync(INSTALLED) : [];
  const newest = versions.map(Number).sort((a, b) => b - a)[0];
  if (newest === undefined) throw new Error(`there is no Postgres in ${INSTALLED}`);
  return join(INSTALLED, String(newest), "bin");
}

/** Postgres refuses to run as root: then its own user has the directory. */
function ownerOf(directory: string): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) =>
    Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout);
  const who = { uid: idOf("-u"), gid: idOf("-g") };
  chownSync(directory, who.uid, who.gid);
  return who;
}
