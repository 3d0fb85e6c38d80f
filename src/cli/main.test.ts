import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { type TestContext, test } from "node:test";
import { openDatabase } from "#src/store/database.ts";
import { temporaryDirectory } from "#test/support/temporary-directory.ts";
import { run } from "./main.ts";

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
    t.after(() => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    });
  }
}

function emptyFolder(t: TestContext): string {
  const folder = temporaryDirectory(t);
  return folder;
}

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
    [["verify"], /name at least one file/],
    [["verify", "/nowhere/at-all"], /there is no file \/nowhere\/at-all/],
    [["verify", tmpdir()], /there is no file/],
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
  t.after(() => owner.close());
  const second = await call("serve");
  assert.deepEqual([second.code, second.out], [1, ""]);
  assert.match(second.err, /^exitability serve: .* is in use by process \d+\. Stop it, or set/);
  assert.doesNotMatch(second.err, /\n +at /);
});

test("an operator's task never creates a missing database", async (t) => {
  withEnvironment(t, { DATABASE_URL: undefined, DATA_DIR: emptyFolder(t) });
  const { code, err } = await call("admin", "waitlist");
  assert.equal(code, 1);
  assert.match(err, /there is no embedded database in .*DATA_DIR/);
});

async function someDataDir(t: TestContext): Promise<string> {
  const dataDir = emptyFolder(t);
  await openDatabase({ databaseUrl: null, dataDir }).close();
  return dataDir;
}
