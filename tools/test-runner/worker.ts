import { createRequire } from "node:module";
import { resolve } from "node:path";
import { beforeEach, suite } from "node:test";
import { markCosts } from "./cost-marks.ts";
import { NO_FILE } from "./file-requests.ts";

// A process of the runner: it requests one test file after the other and runs each as a suite, until
// none is left. For later files the product is already loaded and compiled.

const require = createRequire(import.meta.url);
const { TEST_COSTS_FILE: costsFile } = process.env;
const markLoading = costsFile === undefined ? null : markCosts(costsFile);
let running = "no test";

beforeEach((t) => {
  if ("fullName" in t) running = t.fullName;
});
// node:test cannot name the test of an error that no test awaits.
for (const stray of ["uncaughtException", "unhandledRejection"] as const) {
  process.on(stray, (cause: unknown) => {
    console.error(`while ${running} ran:`, cause);
    process.exitCode = 1;
  });
}
let isEnding = false;
process.on("message", (file: string) => {
  isEnding = file === NO_FILE;
  if (isEnding) process.disconnect?.();
  else void run(file);
});
// The runner was killed: nothing reads the outcomes.
process.on("disconnect", () => {
  if (!isEnding) process.exit(1);
});
process.send?.("ready");

async function run(file: string): Promise<void> {
  await suite(file, () => {
    markLoading?.(file);
    // Not `import`: tests belong to the suite only if they are registered synchronously within it.
    require(resolve(file));
  });
  process.send?.("ready");
}
