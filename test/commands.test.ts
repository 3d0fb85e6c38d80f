import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

const COMMAND = "bench/streams.ts";

function runCommand(...args: readonly string[]) {
  return spawnSync(process.execPath, [COMMAND, ...args], { encoding: "utf8", timeout: 60_000 });
}

test("--help of a measuring command prints its options with meaning and default, and exits with 0", () => {
  for (const word of ["--help", "-h"]) {
    const { status, stdout, stderr } = runCommand("--json", word);
    assert.deepEqual({ status, stderr }, { status: 0, stderr: "" }, word);
    assert.match(stdout, /^usage: node bench\/streams\.ts \[OPTIONS\]\n/);
    assert.match(stdout, /^ {2}--json +print JSON$/m);
    assert.match(stdout, /^ {2}--changes VALUE +events for each commitment; default 60$/m);
  }
});

test("a wrong argument prints the reason and the usage, never a stack, and exits with 2", () => {
  const wrong = [
    [["--no-such-option"], "Unknown option '--no-such-option'"],
    [["--changes"], "Option '--changes <value>' argument missing"],
    [["extra"], "Unexpected argument 'extra'"],
  ] as const;
  for (const [args, reason] of wrong) {
    const { status, stdout, stderr } = runCommand(...args);
    assert.deepEqual({ status, stdout }, { status: 2, stdout: "" }, reason);
    assert.ok(stderr.startsWith(`${reason}\n`) || stderr.startsWith(`${reason}.`), stderr);
    assert.match(stderr, /^usage: node bench\/streams\.ts /m);
    assert.doesNotMatch(stderr, /^ +at /m);
  }
});

test("each measuring command and tool reads its options by the function that prints usages", () => {
  const own = globSync("{bench,tools}/**/*.ts", { exclude: ["**/node_modules/**"] }).filter(
    (file) => /\bparseArgs\b/.test(readFileSync(file, "utf8")),
  );
  assert.deepEqual(own, ["bench/options.ts"]);
});
