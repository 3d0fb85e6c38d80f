#!/usr/bin/env node
// The command line.
import { onPinnedRuntime } from "./runtime.mjs";

await onPinnedRuntime(async () => {
  const { run } = await import("../src/cli/main.ts");
  return run(process.argv.slice(2));
});
