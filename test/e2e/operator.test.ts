import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { sql } from "kysely";
import { Closers } from "#src/app/closers.ts";
import { readConfig } from "#src/app/config.ts";
import { openBase, readinessNow } from "#src/app/process-base.ts";
import { createLogger } from "#src/platform/logger.ts";
import { postgresPlace } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { eventually } from "#test/support/eventually.ts";
import { startTestService } from "#test/support/processes/service.ts";
import { temporaryDirectory } from "#test/support/temporary-directory.ts";

const { PATH, HOME } = process.env;

/** Starts the service where it cannot start. @returns the last line of its standard error */
function refusedStart(cwd: string, environment: Readonly<Record<string, string>> = {}): string {
  const { status, stderr } = spawnSync(process.execPath, ["bin/exitability.mjs", "serve"], {
    cwd,
    env: { PATH, HOME, PORT: "0", ...environment },
    encoding: "utf8",
  });
  assert.equal(status, 1, stderr);
  assert.doesNotMatch(stderr, /^ +at /m, "no stack");
  return stderr.trimEnd().split("\n").at(-1) ?? "";
}

test("a damaged database, a directory of others, one that cannot be created and a missing package are refused in a sentence that names the place", (t) => {
  const damaged = temporaryDirectory(t);
  const file = join(damaged, "exitability.db");
  writeFileSync(file, Buffer.alloc(8_192, 7));
  const line = refusedStart(".", { DATA_DIR: damaged });
  assert.ok(line.includes(`${file}: it is damaged, or no database of this service`), line);

  const shared = temporaryDirectory(t);
  writeFileSync(join(shared, "note.txt"), "");
  chmodSync(shared, 0o755);
  assert.match(refusedStart(".", { DATA_DIR: shared }), /set DATA_DIR to a directory of its own$/);

  const nowhere = refusedStart(".", { DATA_DIR: "/proc/exitability/data" });
  assert.match(nowhere, /mkdir '\/proc\/exitability'; no directory can be created there/);

  const checkout = temporaryDirectory(t);
  for (const part of ["bin", "package.json", "src"])
    cpSync(part, join(checkout, part), {
      recursive: true,
      filter: (path) => !/vectors|\.test\.ts$/.test(path),
    });
  const missing = refusedStart(checkout);
  assert.match(
    missing,
    /^exitability: the package "[\w.@/-]+" is not installed\. Run "npm ci" in /,
  );
  assert.ok(missing.includes(checkout));
});

test("a full disk is not ready, and ready again when there is space", async (t) => {
  const config = readConfig({ DATA_DIR: temporaryDirectory(t), LOG_LEVEL: "silent" });
  const closers = new Closers();
  closeAfter(t, () => closers.close());
  const base = await openBase(config, createLogger("silent"), closers);
  const { db } = base.database;
  const state = async () => (await readinessNow(base, null)).database;
  assert.equal(await state(), "ok");
  // SQLite itself reports a full disk when the database may not grow.
  await sql`pragma max_page_count = 1`.execute(db);
  const big = { origen: "x".repeat(1_000_000), created_at_ms: 0n };
  await assert.rejects(
    db
      .insertInto("waitlist")
      .values({ email: "a", ...big })
      .execute(),
  );
  await sql`create table filler as select randomblob(4000000) as bytes`.execute(db).catch(() => 0);
  assert.equal(base.database.storageFault(), "disk_full");
  await sql`pragma max_page_count = 1073741823`.execute(db);
  assert.equal(await state(), "ok", "a write is tried again");
});

test("on Postgres a full disk of DATA_DIR, which has no database, does not keep requests away", async (t) => {
  const place = await postgresPlace(t);
  if (place === null || place.databaseUrl === null) return;
  const { databaseUrl: DATABASE_URL } = place;
  // No byte of this file system is free.
  const config = readConfig({ DATABASE_URL, AUTH_SECRET: "s".repeat(32), DATA_DIR: "/proc" });
  const closers = new Closers();
  closeAfter(t, () => closers.close());
  const base = await openBase(config, createLogger("silent"), closers);
  assert.equal((await readinessNow(base, null)).database, "ok");
});

test("every line on standard output is JSON if it is not a terminal, and says where the service listens", async (t) => {
  const service = await startTestService(t, {
    dialect: "sqlite",
    databaseUrl: null,
    dataDir: temporaryDirectory(t),
  });
  await service.stop();
  const lines = service.lines.map((line) => JSON.parse(line));
  assert.ok(lines.some(({ msg, url }) => url === service.url && msg.includes(service.url)));
});

/** A service started through a shell, as npm and npx start it. */
async function underShell(t: TestContext): Promise<{ url: string; stopShell: () => void }> {
  const command = `"${process.execPath}" bin/exitability.mjs serve; true`;
  const shell = spawn("sh", ["-c", command], {
    env: { PATH, HOME, PORT: "0", DATA_DIR: temporaryDirectory(t), npm_command: "exec" },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  // The whole group, if the test fails before the service has ended.
  closeAfter(t, () => {
    try {
      process.kill(-(shell.pid ?? 0), "SIGKILL");
    } catch {
      // It has ended.
    }
  });
  for await (const line of createInterface({ input: shell.stdout })) {
    const { url } = JSON.parse(line);
    if (url !== undefined) return { url, stopShell: () => void shell.kill("SIGTERM") };
  }
  throw new Error("the service ended");
}

test("SIGTERM to the shell that npm and npx start ends the service too", async (t) => {
  const { url, stopShell } = await underShell(t);
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  stopShell();
  const isGone = () =>
    fetch(`${url}/healthz`).then(
      () => null,
      () => true,
    );
  await eventually("the service has ended", isGone);
});

test("the unit for systemd starts the service, and its signal stops it in order", async (t) => {
  const unit = readFileSync("deploy/exitability.service", "utf8");
  const setting = (name: string): string => {
    const [, value] = new RegExp(`^${name}=(.*)$`, "m").exec(unit) ?? [];
    assert.ok(value !== undefined, name);
    return value;
  };
  const [command = "", ...args] = setting("ExecStart").split(" ");
  assert.equal(command, `${setting("WorkingDirectory")}/node_modules/.bin/node`);
  assert.equal(setting("Environment"), "DATA_DIR=/var/lib/exitability");
  assert.equal(setting("StateDirectory"), "exitability");
  const service = await startTestService(
    t,
    { dialect: "sqlite", databaseUrl: null, dataDir: temporaryDirectory(t) },
    {},
    args,
  );
  assert.equal(setting("KillSignal"), "SIGTERM");
  assert.equal(await service.stop(), 0);
  const verified = spawnSync("systemd-analyze", ["verify", "deploy/exitability.service"], {
    encoding: "utf8",
  });
  // Not installed everywhere; where it is, it names unknown settings. The user and the paths are those of a server.
  if (verified.error === undefined) assert.doesNotMatch(verified.stderr, /Unknown|ignoring/);
});
