import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, symlinkSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import Sqlite from "better-sqlite3";
import { readConfig } from "#src/app/config.ts";
import { openDatabase } from "#src/store/connection/database.ts";
import { fakeNode, refuse } from "#test/support/chain/fake-rpc-node.ts";
import { closeAfter } from "#test/support/ending.ts";
import { temporaryDirectory } from "#test/support/temporary-directory.ts";
import { failureText } from "./failure-text.ts";
import { run } from "./main.ts";
import { paintFor } from "./output.ts";

const COMMANDS = ["serve", "measure", "watch", "record", "verify", "mcp", "admin"];
const MINT = "DemoThree1111111111111111111111111111111111";

async function call(...args: readonly string[]) {
  const written = { out: "", err: "" };
  const code = await run(args, {
    out: (text) => {
      written.out += `${text}\n`;
    },
    err: (text) => {
      written.err += `${text}\n`;
    },
  });
  return { code, ...written };
}

function withEnvironment(t: TestContext, values: Readonly<Record<string, string | undefined>>) {
  for (const [name, value] of Object.entries(values)) {
    const before = process.env[name];
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
    closeAfter(t, () => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    });
  }
}

function emptyFolder(t: TestContext): string {
  const folder = temporaryDirectory(t);
  return folder;
}

const LOADED = `import { registerHooks } from "node:module";
const loaded = [];
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
const { run } = await import("#src/cli/main.ts");
const output = { out() {}, err() {} };
for (const args of [["--help"], ["serve", "--help"], ["--version"]]) await run(args, output);
console.log(loaded.filter((url) => url.startsWith("file:")).join("\\n"));`;

test("help and the version are printed without loading the service or a package", () => {
  const args = ["--input-type=module", "--eval", LOADED];
  const { stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
  const heavy = /\/(node_modules|src\/(app\/config\.ts|store\/|venues\/))/;
  const lines = stdout.trim().split("\n");
  assert.ok(lines.length > 1, stdout);
  assert.deepEqual(
    lines.filter((url) => heavy.test(url)),
    [],
  );
});

test("help lists every command, and each command has its own help", async () => {
  const { code, out } = await call("--help");
  assert.equal(code, 0);
  for (const name of COMMANDS) {
    assert.match(out, new RegExp(`^  ${name} `, "m"));
    for (const args of [
      [name, "--help"],
      ["help", name],
    ]) {
      const own = await call(...args);
      assert.equal(own.code, 0, args.join(" "));
      assert.match(own.out, new RegExp(`^usage: exitability ${name}`));
    }
  }
  assert.match((await call("admin", "--help")).out, /admin move-to DATABASE_URL/);
});

test("a command's help states units, defaults, environment and exit codes", async () => {
  const { out } = await call("measure", "--help");
  assert.match(out, /--size SOL +position to sell, worth at mid, 0\.01 to 1000 SOL; default 1$/m);
  assert.match(out, /^ {2}SOLANA_RPC_URL +/m);
  assert.match(out, /^Exit codes:\n {2}0 +measured\n {2}1 .*\n {2}2 /m);
  const { out: own } = await call("admin", "user", "--help");
  assert.match(own, /user tier USER/);
  assert.doesNotMatch(own, /admin backup/);
});

test("help names exactly the variables that the configuration reads and its page lists", async () => {
  const read = new Set<string>();
  readConfig(
    new Proxy<Record<string, string | undefined>>(
      {},
      {
        get(_, name) {
          read.add(String(name));
          return undefined;
        },
      },
    ),
  );
  const { out } = await call("serve", "--help");
  const helped = [...out.matchAll(/^ {2}([A-Z_]+) {2,}/gm)].map(([, name = ""]) => name);
  // Read only where other variables are set.
  const dependent = ["REDIS_URL", "SOLANA_WS_URL", "GEYSER_TOKEN", "ACCURACY"];
  assert.deepEqual([...new Set([...read, ...dependent])].toSorted(), helped.toSorted());
  const page = readFileSync("docs/configuration.md", "utf8");
  for (const name of helped) assert.match(page, new RegExp(`^\\| .*\\b${name}\\b`, "m"), name);
});

test("a terminal shows colours unless NO_COLOR is set; a pipe never does", () => {
  const shows = { isTTY: true, hasColors: () => true };
  assert.equal(paintFor(shows)("text", "bad"), "\u001b[31mtext\u001b[39m");
  assert.equal(paintFor({ ...shows, hasColors: () => false })("text", "bad"), "text");
  assert.equal(paintFor({ ...shows, isTTY: false })("text", "bad"), "text");
});

test("wrong arguments end with 2 and one sentence that names the right ones", async (t) => {
  withEnvironment(t, { DATABASE_URL: undefined, SOLANA_RPC_URL: undefined });
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [["sell"], /there is no command "sell"/],
    [["help", "sell"], /there is no command "sell"/],
    [["toString"], /there is no command "toString"/],
    [["measure"], /name one mint: exitability measure MINT/],
    [["measure", "abc"], /"abc" is not a Solana address/],
    [["measure", "So11111111111111111111111111111111111111112"], /is SOL itself/],
    [["measure", MINT, "--size", "0"], /--size must be/],
    [
      ["measure", MINT, "--amount", "1"],
      /Unknown option '--amount'; see exitability measure --help/,
    ],
    [["watch", "abc"], /"abc" is not a Solana address/],
    [["record", MINT], /exitability record MINT DIR/],
    [["record", MINT, "--json"], /Unknown option '--json'; see exitability record --help/],
    [["verify"], /name at least one file/],
    [["verify", "/nowhere/at-all"], /there is no file \/nowhere\/at-all/],
    [["verify", tmpdir()], /is a folder; name its files/],
    [["mcp", "--url", "nowhere"], /--url must be/],
    [["serve", "now"], /serve takes no arguments/],
    [["admin"], /say what to do/],
    [["admin", "sell"], /there is no "sell"/],
  ];
  withEnvironment(t, { DATA_DIR: await someDataDir(t) });
  for (const [args, message] of wrong) {
    const { code, err } = await call(...args);
    assert.equal(code, 2, args.join(" "));
    assert.match(err, message);
    assert.doesNotMatch(err, /\n +at /);
  }
});

test("a folder without a recording is a wrong argument", async (t) => {
  withEnvironment(t, {
    ACCOUNTS_DIR: emptyFolder(t),
    SOLANA_RPC_URL: undefined,
    DATABASE_URL: undefined,
  });
  const { code, err } = await call("measure", MINT);
  assert.equal(code, 2);
  assert.match(err, /no account files/);
});

test("a failure outside the program ends with 1 and one sentence, without a stack", async (t) => {
  const dataDir = await someDataDir(t);
  withEnvironment(t, { DATABASE_URL: undefined, DATA_DIR: dataDir, LOG_LEVEL: "silent" });
  const owner = openDatabase({ databaseUrl: null, dataDir });
  closeAfter(t, () => owner.close());
  const second = await call("serve");
  assert.deepEqual([second.code, second.out], [1, ""]);
  assert.match(second.err, /^exitability serve: .* is in use by process \d+\. Stop it, or set/);
  assert.doesNotMatch(second.err, /\n +at /);
});

test("an error of SQLite that is about its file is a sentence with what to do, and any other is a bug", async (t) => {
  const file = join(emptyFolder(t), "a.db");
  const holder = new Sqlite(file);
  closeAfter(t, () => holder.close());
  const visitor = new Sqlite(file, { timeout: 0 });
  closeAfter(t, () => visitor.close());
  holder.exec("create table a (a); begin exclusive");
  assert.match(textOf(visitor, "select * from a") ?? "", /another process holds it: wait/);
  holder.exec("commit; pragma max_page_count = 2");
  assert.match(
    textOf(holder, "insert into a select randomblob(100000)") ?? "",
    /the disk is full: free some space/,
  );
  assert.equal(textOf(holder, "select * from nothing"), null);
});

test("a node that refuses the key or does not listen is named with what to correct", async (t) => {
  const refusing = async (status: number) =>
    (await fakeNode(t, (_, response) => response.writeHead(status).end())).httpUrl;
  const inside = await fakeNode(t, (request, response) =>
    refuse(response, request, -32_401, "missing api key"),
  );
  const port = await closedPort();
  for (const [url, reason] of [
    [
      await refusing(401),
      /the node refuses the key \(HTTP 401\): correct the key in SOLANA_RPC_URL/,
    ],
    [await refusing(403), /the node refuses the key \(HTTP 403\)/],
    [await refusing(404), /returned HTTP 404: check the address and the key in SOLANA_RPC_URL/],
    [inside.httpUrl, /missing api key: check the address and the key in SOLANA_RPC_URL/],
    [`http://127.0.0.1:${port}`, /\(ECONNREFUSED\): correct SOLANA_RPC_URL, or start the node/],
  ] as const) {
    withEnvironment(t, { SOLANA_RPC_URL: url, DATABASE_URL: undefined });
    const { code, err } = await call("measure", MINT);
    assert.equal(code, 1, url);
    assert.match(err, reason);
    assert.doesNotMatch(err, /try again/);
  }
});

test("a database that can't be reached is named with the reason and what to correct", async (t) => {
  const databaseUrl = `postgres://127.0.0.1:${await closedPort()}/x`;
  withEnvironment(t, { DATABASE_URL: databaseUrl, AUTH_SECRET: "s".repeat(32) });
  const { code, err } = await call("admin", "waitlist");
  assert.equal(code, 1);
  assert.match(
    err,
    /can't be reached: connect ECONNREFUSED 127\.0\.0\.1:\d+; start it, or correct its address\n$/,
  );
});

test("a port that this user may not have is named as one", () => {
  const refused = { code: "EACCES", syscall: "listen" };
  const error = Object.assign(new Error("listen EACCES: permission denied 0.0.0.0:80"), refused);
  assert.match(
    failureText(error) ?? "",
    /0\.0\.0\.0:80; set PORT \(or METRICS_PORT\) to 1024 or above/,
  );
});

test("a recording names a missing mint, a wrong limit, and a folder that can't be written", async (t) => {
  withEnvironment(t, { DATABASE_URL: undefined, SOLANA_RPC_URL: undefined });
  const folder = emptyFolder(t);
  for (const [args, reason] of [
    [[folder], /name a folder and 1 to 200 mints/],
    [[folder, "nobody"], /not a Solana address/],
    [[folder, MINT, "--max-mb", "0"], /--max-mb: 1 to 100000/],
    [["package.json", MINT], /^exitability record: package.json: can't be created/],
  ] as const) {
    const { code, err } = await call("record", "--follow", ...args);
    assert.equal(code, 2);
    assert.match(err, reason);
  }
});

test("an operator's task never creates a missing database", async (t) => {
  withEnvironment(t, { DATABASE_URL: undefined, DATA_DIR: emptyFolder(t) });
  for (const args of [["waitlist"], ["backup", "b.db"], ["move-to", "postgres://127.0.0.1:1/x"]]) {
    const { code, err } = await call("admin", ...args);
    assert.equal(code, 1);
    assert.match(err, /there is no embedded database in .*: name the service's own by DATA_DIR/);
  }
});

test("an operator's task on a directory that is named leaves the configured Postgres alone", async (t) => {
  const databaseUrl = "postgres://127.0.0.1:1/x";
  withEnvironment(t, { DATABASE_URL: databaseUrl, AUTH_SECRET: "s".repeat(32) });
  const named = await call("admin", "waitlist", "--json", "--data-dir", await someDataDir(t));
  assert.deepEqual(named, { code: 0, out: "[]\n", err: "" });
  const missing = await call("admin", "waitlist", "--data-dir", emptyFolder(t));
  assert.equal(missing.code, 1);
  assert.match(missing.err, /there is no embedded database in /);
});

test("a directory that can't be read is not reported as one without a database", async (t) => {
  const loop = join(emptyFolder(t), "loop");
  symlinkSync(loop, loop);
  withEnvironment(t, { DATABASE_URL: undefined, DATA_DIR: loop });
  for (const args of [["waitlist"], ["backup", "b.db"], ["move-to", "postgres://127.0.0.1:1/x"]]) {
    const { code, err } = await call("admin", ...args);
    assert.equal(code, 1);
    assert.match(err, /^exitability admin: ELOOP: .*loop/);
  }
});

/** A port on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** What is printed for the error of a statement. */
function textOf(connection: Sqlite.Database, statement: string): string | null {
  try {
    connection.exec(statement);
  } catch (error) {
    return failureText(error);
  }
  throw new Error("the statement succeeded");
}

async function someDataDir(t: TestContext): Promise<string> {
  const dataDir = emptyFolder(t);
  await openDatabase({ databaseUrl: null, dataDir }).close();
  return dataDir;
}

test("a key of the tool server that no header can have is refused by name, and not printed", async (t) => {
  for (const key of ["exi_a\nb", "exi_\u043a", "exi a"]) {
    withEnvironment(t, { DATABASE_URL: undefined, EXITABILITY_API_KEY: key });
    const { code, err } = await call("mcp");
    assert.equal(code, 2, err);
    assert.match(err, /^exitability mcp: EXITABILITY_API_KEY is malformed: .*copy it again/);
    assert.ok(!err.includes(key));
  }
});
