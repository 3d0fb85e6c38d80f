import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

function run(...args: readonly string[]) {
  return spawnSync(process.execPath, args, { encoding: "utf8", timeout: 60_000 });
}

const runCommand = (...args: readonly string[]) => run("bench/retention.ts", ...args);

test("--help of a measuring command prints its options with meaning and default, and exits with 0", () => {
  for (const word of ["--help", "-h"]) {
    const { status, stdout, stderr } = runCommand("--json", word);
    assert.deepEqual({ status, stderr }, { status: 0, stderr: "" }, word);
    assert.match(stdout, /^usage: node bench\/retention\.ts \[OPTIONS\]\n/);
    assert.match(stdout, /^ {2}--json +print JSON$/m);
    assert.match(stdout, /^ {2}--days VALUE +at least 3; default 30$/m);
  }
});

test("a wrong argument prints the reason and the usage, never a stack, and exits with 2", () => {
  const wrong = [
    [["--no-such-option"], /^Unknown option '--no-such-option'$/],
    [["--days"], /^Option '--days <value>' argument missing$/],
    [["--days", "many"], /^Option '--days' takes a number, not 'many'$/],
    [["--days", "1e999"], /^Option '--days' takes a number, not '1e999'$/],
    [["--database", "mysql"], /^Option '--database' takes sqlite or postgres, not 'mysql'$/],
    [["extra"], /^Unexpected argument 'extra'/],
  ] as const;
  for (const [args, reason] of wrong) {
    const { status, stdout, stderr } = runCommand(...args);
    assert.deepEqual({ status, stdout }, { status: 2, stdout: "" }, String(reason));
    assert.match(stderr.split("\n")[0] ?? "", reason);
    assert.match(stderr, /^usage: node bench\/retention\.ts /m);
    assert.doesNotMatch(stderr, /^ +at /m);
  }
});

test("fewer days than a roll-up needs are refused, not replaced", () => {
  const { status, stdout, stderr } = runCommand("--days", "2");
  assert.deepEqual([status, stdout, stderr], [2, "", "--days must be at least 3\n"]);
});

test("without recorded executions, the fuzzer of accounts says which folder has none, and exits with 2", () => {
  const { status, stdout, stderr } = run("bench/fuzz.ts", "--folder", "no/such/folder");
  assert.deepEqual({ status, stdout }, { status: 2, stdout: "" });
  assert.match(stderr, /^No recorded executions are in no\/such\/folder: [^\n]+\n$/);
});

test("a number too small to measure anything, or no scenario of that name, is refused before anything starts", () => {
  const wrong = [
    ["waiting", "--markets", "0", "Option '--markets' takes a number from 1 on, not '0'"],
    [
      "replicas",
      "--replicas",
      "4,0",
      "Option '--replicas' takes numbers from 1 on and commas, not '4,0'",
    ],
    ["chaos", "--only", "no such part", 'No scenario has "no such part" in its name.'],
  ] as const;
  for (const [command, option, value, reason] of wrong) {
    const { status, stdout, stderr } = run(`bench/${command}.ts`, option, value);
    assert.deepEqual({ status, stdout }, { status: 2, stdout: "" }, command);
    assert.equal(stderr.split("\n")[0], reason);
  }
});

const INTERRUPTED = `import { setTimeout as delay } from "node:timers/promises";
import { closeOnSignal } from "#bench/support/close-on-signal.ts";
import { Endings } from "#test/support/ending.ts";
const endings = new Endings();
closeOnSignal(endings);
endings.after(() => console.log("folder"));
endings.after(() => delay(100).then(() => console.log("service")));
process.kill(process.pid, "SIGTERM");
try {
  await delay(50);
  throw new Error("a part is gone");
} finally {
  await endings.close();
}`;

test("an interrupted measurement ends once every part is closed, with the signal's code", () => {
  const { status, stdout } = run("--input-type=module", "--eval", INTERRUPTED);
  assert.deepEqual({ status, stdout }, { status: 128 + 15, stdout: "service\nfolder\n" });
});

const INTERRUPTED_IN_ITS_SECOND_PART = `import { setTimeout as delay } from "node:timers/promises";
import { closeOnSignal } from "#bench/support/close-on-signal.ts";
import { Endings } from "#test/support/ending.ts";
for (const part of ["first", "second"]) {
  const endings = new Endings();
  closeOnSignal(endings);
  endings.after(() => delay(50).then(() => console.log(part)));
  if (part === "second") process.kill(process.pid, "SIGTERM");
  await delay(part === "first" ? 0 : 1_000);
  await endings.close();
}`;

test("a measurement that is interrupted after one part has ended closes the part that runs", () => {
  const { status, stdout } = run("--input-type=module", "--eval", INTERRUPTED_IN_ITS_SECOND_PART);
  assert.deepEqual({ status, stdout }, { status: 128 + 15, stdout: "first\nsecond\n" });
});

test("a signal to npm reaches a measuring command: the script is replaced by it", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
  const measuring = Object.entries(scripts).filter(([, line]) => String(line).includes("bench/"));
  assert.ok(measuring.length > 20);
  for (const [name, line] of measuring) assert.match(String(line), /^exec node bench\//, name);
});

test("each measuring command and tool reads its options by the function that prints usages", () => {
  const own = globSync("{bench,tools}/**/*.ts", { exclude: ["**/node_modules/**"] }).filter(
    (file) => /\bparseArgs\b/.test(readFileSync(file, "utf8")),
  );
  assert.deepEqual(own, ["bench/support/options.ts"]);
});
