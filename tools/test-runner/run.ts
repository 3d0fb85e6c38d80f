import { spawn } from "node:child_process";
import {
  chmodSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { TestOutcome } from "./events-reporter.ts";

/**
 * Runs the tests in two processes for each processor and prints the failures and a summary;
 * skipped tests are grouped by reason. A process takes files in chunks, because loading the
 * product again for every file costs more than most files' tests.
 *
 * Ends with 1 where a test failed, a process died, or a file was left in the temporary folder.
 */

const DEFAULT_FILES = [
  "{src,demo,web/src}/**/*.test.ts",
  "test/!(contract|e2e|real-node)/**/*.test.ts",
  "test/*.test.ts",
];
/** Many tests wait, for sockets and for other processes: the others use the processors meanwhile. */
const PROCESSES_PER_PROCESSOR = 2;
const CHUNKS_PER_PROCESS = 2;
/** A test that takes longer hangs: it fails by name. */
const TEST_TIMEOUT_MS = 180_000;
/** A process that has not ended by then is killed: something that a test opened keeps it alive. */
const PROCESS_TIMEOUT_MS = 900_000;
const REPORTER = "./tools/test-runner/events-reporter.ts";
const SETUP = "./test/support/seeded-properties.ts";
/** What Node and npm themselves keep in the temporary folder. */
const NOT_OURS = ["node-compile-cache"];

const started = performance.now();
const asked = process.argv.slice(2);
const files = globSync(asked.length > 0 ? asked : DEFAULT_FILES).toSorted();
const temporary = mkdtempSync(join(tmpdir(), "exitability-tests-"));
chmodSync(temporary, 0o755); // Some tests start the service as another user.
const processes = Math.min(PROCESSES_PER_PROCESSOR * availableParallelism(), files.length);
const waiting = chunksOf(files, processes * CHUNKS_PER_PROCESS);
const outcomes: TestOutcome[] = [];
const crashes: string[] = [];
/** What processes with failures printed. */
const printed: string[] = [];

await Promise.all(Array.from({ length: processes }, (_, lane) => runLane(lane)));
const leftovers = readdirSync(temporary).filter(
  (name) => !NOT_OURS.includes(name) && !name.startsWith("outcomes-"),
);
rmSync(temporary, { recursive: true, force: true });
process.exitCode = report();

async function runLane(lane: number): Promise<void> {
  for (let chunk = waiting.shift(); chunk !== undefined; chunk = waiting.shift()) {
    await runChunk(chunk, join(temporary, `outcomes-${lane}`));
  }
}

/** Runs the files of one chunk in one process; what they print is shown only if one of them fails. */
async function runChunk(chunk: readonly string[], outcomesFile: string): Promise<void> {
  const child = spawn(
    process.execPath,
    [
      ...["--import", SETUP, "--test", "--test-isolation=none"],
      `--test-timeout=${TEST_TIMEOUT_MS}`,
      ...["--test-reporter", REPORTER, "--test-reporter-destination", outcomesFile],
      ...chunk,
    ],
    {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, TMPDIR: temporary },
      timeout: PROCESS_TIMEOUT_MS,
      killSignal: "SIGKILL",
    },
  );
  const output: Buffer[] = [];
  child.stdout.on("data", (data: Buffer) => output.push(data));
  child.stderr.on("data", (data: Buffer) => output.push(data));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  const own = readOutcomes(outcomesFile);
  outcomes.push(...own);
  const failed = own.some(({ kind }) => kind === "fail");
  if (code === 0 && own.length > 0 && !failed) return;
  const text = Buffer.concat(output).toString().trim();
  if (!failed) crashes.push(`a test process ended with ${code}: ${chunk.join(" ")}\n${text}`);
  else if (text !== "") printed.push(text);
}

function readOutcomes(file: string): readonly TestOutcome[] {
  const text = readFileSync(file, "utf8");
  rmSync(file);
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as TestOutcome);
}

/** Spreads the files so that the chunks hold about as many bytes of tests each, the largest first. */
function chunksOf(all: readonly string[], count: number): string[][] {
  const chunks = Array.from({ length: count }, () => ({ bytes: 0, files: [] as string[] }));
  const bySize = all
    .map((file) => ({ file, bytes: statSync(file).size }))
    .toSorted((a, b) => b.bytes - a.bytes);
  for (const { file, bytes } of bySize) {
    const smallest = chunks.reduce((a, b) => (b.bytes < a.bytes ? b : a));
    smallest.files.push(file);
    smallest.bytes += bytes;
  }
  return chunks.map((chunk) => chunk.files).filter((chunk) => chunk.length > 0);
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
