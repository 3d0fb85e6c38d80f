import { createRequire } from "node:module";
import { resolve } from "node:path";
import { beforeEach, suite } from "node:test";
import { markCosts } from "./cost-marks.ts";
import { NO_FILE } from "./file-requests.ts";

// A process of the runner: it asks for one test file after the other and runs each as a suite, until
// none is left. The tests of later files find the product loaded and compiled.

const require = createRequire(import.meta.url);
const { TEST_COSTS_FILE: costsFile } = process.env;
const markLoading = costsFile === undefined ? null : markCosts(costsFile);
let running = "no test";

beforeEach((t) => {
  if ("fullName" in t) running = t.fullName;
});
// node:test does not know the test of an error that no test awaits.
for (const stray of ["uncaughtException", "unhandledRejection"] as const) {
  process.on(stray, (cause: unknown) => {
    console.error(`while ${running} ran:`, cause);
    process.exitCode = 1;
  });
}
process.on("message", (file: string) => {
  if (file === NO_FILE) process.disconnect?.();
  else void run(file);
});
process.send?.("ready");

async function run(file: string): Promise<void> {
  await suite(file, () => {
    markLoading?.(file);
    // Not `import`: the tests of the file belong to the suite only while it is on the stack.
    require(resolve(file));
  });
  process.send?.("ready");
}
