import { fork } from "node:child_process";
import {
  chmodSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { readOptions } from "#bench/support/options.ts";
import type { TestOutcome } from "./events-reporter.ts";
import { NO_FILE } from "./file-requests.ts";
import { slowestLines, type TestCost } from "./slowest.ts";

/**
 * Runs the tests in two processes for each processor and prints the failures and a summary;
 * skipped tests are grouped by reason. A process takes one file after the other, because loading the
 * product again for every file costs more than most files' tests.
 *
 * `--slowest N` adds the N tests and files that took longest.
 *
 * Ends with 1 where a test failed, a process died, or a file was left in the temporary folder.
 */

const DEFAULT_FILES = [
  "{src,demo,web/src}/**/*.test.ts",
  "test/!(contract|differential|e2e|fuzz|packages|real-node|simulation)/**/*.test.ts",
  "test/*.test.ts",
];
/** Many tests wait, for sockets and for other processes: the others use the processors meanwhile. */
const PROCESSES_PER_PROCESSOR = 2;
/** Files that mostly wait, as `--slowest` shows. Half of the processes begin with them, and the others end with them. */
const MOSTLY_WAITING = [
  "src/store/move/move-to-postgres.test.ts",
  "src/store/connection/watched-client.test.ts",
  "test/simulation/accuracy/program-upgrade.test.ts",
  "test/simulation/accuracy/accuracy-mode.test.ts",
  "test/simulation/accuracy/replaying-thread.test.ts",
  "src/cli/doctor.test.ts",
  "src/api/mcp/mcp.test.ts",
  "test/simulation/demo-market.test.ts",
  "src/track/loading/token-restore-failures.test.ts",
  "src/proof/proofs.test.ts",
  "src/chain/geyser/geyser-losses.test.ts",
  "test/simulation/chaos/chaos.test.ts",
  "src/relay/redis-link.test.ts",
  "src/track/pools/pump-chains.test.ts",
  "src/track/answers/executed-answers.test.ts",
  "src/relay/lost-messages.test.ts",
];
/** Tests allocate much that is soon unused: with Node's default young generation they take 5 % more CPU time. */
const SEMI_SPACE_MB = 64;
/** A test that takes longer hangs: it fails by name. */
const TEST_TIMEOUT_MS = 180_000;
/** A process that still runs this long after its last file is killed: a test has left something open. */
const ENDING_TIMEOUT_MS = 30_000;
const WORKER = "./tools/test-runner/worker.ts";
const REPORTER = "./tools/test-runner/events-reporter.ts";
const WITHOUT_PROMISE_HOOKS = "./tools/test-runner/without-promise-hooks.ts";
const SETUP = "./test/support/seeded-properties.ts";
/** Compiled modules, which all processes of all runs share. */
const COMPILE_CACHE = join(tmpdir(), "node-compile-cache");
/** Linux keeps files of this folder in memory, so that a commit of SQLite waits for no disk. */
const MEMORY_FOLDER = "/dev/shm";
const MEMORY_BYTES = 2 ** 31;
/** What Node and npm themselves keep in the temporary folder. */
const NOT_OURS = ["node-compile-cache"];

const started = performance.now();
const { positionals: asked, values: options } = readOptions(
  "Runs the tests, or only those of FILES.",
  { slowest: { type: "string", help: "adds the VALUE tests and files that took longest" } },
  { operands: "[FILES]" },
);
const files = globSync(asked.length > 0 ? asked : DEFAULT_FILES).toSorted();
const temporary = mkdtempSync(join(tmpdir(), "exitability-tests-"));
chmodSync(temporary, 0o755); // Some tests start the service as another user.
const databases = folderInMemory() ?? temporary;
const processes = Math.min(PROCESSES_PER_PROCESSOR * availableParallelism(), files.length);
const mostlyWaiting = MOSTLY_WAITING.filter((file) => files.includes(file));
/** The largest files first, so that only short ones are left at the end. */
const others = files
  .filter((file) => !mostlyWaiting.includes(file))
  .map((file) => ({ file, bytes: statSync(file).size }))
  .toSorted((a, b) => b.bytes - a.bytes)
  .map(({ file }) => file);
const outcomes: TestOutcome[] = [];
const costs: TestCost[] = [];
const crashes: string[] = [];
/** What processes with failures printed. */
const printed: string[] = [];

await Promise.all(Array.from({ length: processes }, (_, lane) => runLane(lane)));
const notRun = mostlyWaiting.length + others.length;
if (notRun > 0) crashes.push(`${notRun} files were not run: no test process could start`);
const leftovers = [...new Set([temporary, databases])].flatMap((folder) => {
  const names = readdirSync(folder);
  rmSync(folder, { recursive: true, force: true });
  return names.filter((name) => !NOT_OURS.includes(name) && !name.startsWith("outcomes-"));
});
process.exitCode = report();

/** A folder in memory for the tests' databases; null if the machine has none, or little memory. */
function folderInMemory(): string | null {
  if (!existsSync(MEMORY_FOLDER)) return null;
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
  return bavail * bsize < MEMORY_BYTES
    ? null
    : mkdtempSync(join(MEMORY_FOLDER, "exitability-tests-"));
}

/** Runs files until none is left; replaces a process that died, but not one that could not start. */
async function runLane(lane: number): Promise<void> {
  const queues = lane % 2 === 0 ? [mostlyWaiting, others] : [others, mostlyWaiting];
  while (queues.some(({ length }) => length > 0)) {
    const hasStarted = await runProcess(join(temporary, `outcomes-${lane}`), queues);
    if (!hasStarted) return;
  }
}

/**
 * Runs files in one process, until none is left; their output is shown only if one of them fails.
 *
 * @returns false if the process ended before it requested a file
 */
async function runProcess(outcomesFile: string, queues: readonly string[][]): Promise<boolean> {
  const costsFile = `${outcomesFile}-costs`;
  const child = fork(WORKER, {
    execArgv: [
      ...["--import", WITHOUT_PROMISE_HOOKS, "--import", SETUP],
      `--max-semi-space-size=${SEMI_SPACE_MB}`,
      `--test-timeout=${TEST_TIMEOUT_MS}`,
      ...["--test-reporter", REPORTER, "--test-reporter-destination", outcomesFile],
    ],
    silent: true,
    env: {
      ...process.env,
      TMPDIR: temporary,
      TEST_DATABASES_DIR: databases,
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      ...(options.slowest === undefined ? {} : { TEST_COSTS_FILE: costsFile }),
    },
  });
  const output: Buffer[] = [];
  child.stdout?.on("data", (data: Buffer) => output.push(data));
  child.stderr?.on("data", (data: Buffer) => output.push(data));
  let hasStarted = false;
  let current: string | undefined;
  let ending: NodeJS.Timeout | undefined;
  child.on("message", () => {
    hasStarted = true;
    current = queues.find(({ length }) => length > 0)?.shift();
    child.send(current ?? NO_FILE);
    if (current !== undefined) return;
    ending = setTimeout(() => child.kill("SIGKILL"), ENDING_TIMEOUT_MS);
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  clearTimeout(ending);
  if (existsSync(costsFile)) costs.push(...readCosts(costsFile));
  const own = existsSync(outcomesFile) ? readOutcomes(outcomesFile) : [];
  outcomes.push(...own);
  const text = Buffer.concat(output).toString().trim();
  const failed = own.some(({ kind }) => kind === "fail");
  if (!hasStarted || current !== undefined || code === null || (code !== 0 && !failed)) {
    const place = hasStarted ? placeOf(current) : "before its first file";
    crashes.push(`a test process ended with ${code} ${place}\n${text}`);
  } else if (failed && text !== "") printed.push(text);
  return hasStarted;
}

function placeOf(file: string | undefined): string {
  return file === undefined ? "after its last file" : `in ${file}`;
}

function readCosts(file: string): readonly TestCost[] {
  const text = readFileSync(file, "utf8");
  rmSync(file);
  return JSON.parse(text) as TestCost[];
}

function readOutcomes(file: string): readonly TestOutcome[] {
  const text = readFileSync(file, "utf8");
  rmSync(file);
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as TestOutcome);
}

function report(): number {
  for (const outcome of outcomes) {
    if (outcome.kind !== "fail") continue;
    console.log(`✖ ${outcome.name}\n  ${relative(process.cwd(), outcome.place)}`);
    console.log(`${outcome.text.replaceAll(/^/gm, "  ")}\n`);
  }
  for (const text of printed) console.log(`printed by a process with failures:\n${text}\n`);
  for (const crash of crashes) console.log(`✖ ${crash}\n`);
  for (const name of leftovers) console.log(`✖ left in the temporary folder: ${name}`);
  if (options.slowest !== undefined) {
    for (const line of slowestLines(costs, Number(options.slowest))) console.log(line);
  }
  const count = (kind: TestOutcome["kind"]) => outcomes.filter((one) => one.kind === kind).length;
  const reasons = Map.groupBy(
    outcomes.filter((outcome) => outcome.kind === "skip"),
    ({ reason }) => reason,
  );
  for (const [reason, skipped] of reasons) console.log(`skipped ${skipped.length}: ${reason}`);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${files.length} files in ${seconds} s, ${processes} at a time`);
  const failed = count("fail") + crashes.length + leftovers.length;
  console.log(`${count("pass")} passed, ${failed} failed, ${count("skip")} skipped`);
  return failed > 0 || outcomes.length === 0 ? 1 : 0;
}
