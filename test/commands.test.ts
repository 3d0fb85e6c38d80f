import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

function run(...args: readonly string[]) {
  return spawnSync(process.execPath, args, { encoding: "utf8", timeout: 60_000 });
}

function runText(script: string, args: readonly string[]) {
  const inputArgs = ["--input-type=module", "-", ...args];
  const options = { encoding: "utf8", input: script, timeout: 60_000 } as const;
  return spawnSync(process.execPath, inputArgs, options);
}

test("--help of a measuring command prints its options with meaning and default, and exits with 0", () => {
  const { status, stdout, stderr } = run("bench/retention.ts", "--json", "--help");
  assert.deepEqual({ status, stderr }, { status: 0, stderr: "" });
  assert.match(stdout, /^usage: node bench\/retention\.ts \[OPTIONS\]\n/);
  assert.match(stdout, /^ {2}--json +print JSON$/m);
  assert.match(stdout, /^ {2}--days VALUE +at least 3; default 30$/m);
});

test("a wrong argument prints the reason and the usage, never a stack, and exits with 2", () => {
  // Only what reads the options of every measuring command: a whole one loads the service.
  const command = `
    import { readOptions } from "#bench/options.ts";
    readOptions("Measures nothing.", {
      days: { type: "string", default: "30", help: "at least 3" },
      database: { type: "string", default: "sqlite", choices: ["sqlite", "postgres"] },
    });`;
  const wrong = [
    [["--no-such-option"], /^Unknown option '--no-such-option'$/],
    [["--days"], /^Option '--days <value>' argument missing$/],
    [["--days", "many"], /^Option '--days' takes a number, not 'many'$/],
    [["--database", "mysql"], /^Option '--database' takes sqlite or postgres, not 'mysql'$/],
    [["extra"], /^Unexpected argument 'extra'/],
  ] as const;
  for (const [args, reason] of wrong) {
    const ran = runText(command, args);
    assert.deepEqual({ status: ran.status, stdout: ran.stdout }, { status: 2, stdout: "" });
    assert.match(ran.stderr.split("\n")[0] ?? "", reason);
    assert.match(ran.stderr, /^usage: node .*\[OPTIONS\]$/m);
    assert.doesNotMatch(ran.stderr, /^ +at /m);
  }
});

test("without recorded executions, the fuzzer of accounts says which folder has none, and exits with 2", () => {
  const { status, stdout, stderr } = run("bench/fuzz.ts", "--folder", "no/such/folder");
  assert.deepEqual({ status, stdout }, { status: 2, stdout: "" });
  assert.match(stderr, /^No recorded executions are in no\/such\/folder: [^\n]+\n$/);
});

test("each measuring command and tool reads its options by the function that prints usages", () => {
  const own = globSync("{bench,tools}/**/*.ts", { exclude: ["**/node_modules/**"] }).filter(
    (file) => /\bparseArgs\b/.test(readFileSync(file, "utf8")),
  );
  assert.deepEqual(own, ["bench/options.ts"]);
});
