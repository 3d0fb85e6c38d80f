// What `npm test` runs: the tests on the pinned runtime, or one sentence where `npm ci` has not run.
import { onPinnedRuntime } from "../bin/runtime.mjs";

await onPinnedRuntime(async () => {
  await import("./test-runner/run.ts");
  return process.exitCode;
});
