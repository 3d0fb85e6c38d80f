// What `npm start` runs: the dashboard is built where its build is missing or old, then all is served.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { onPinnedRuntime } from "../bin/runtime.mjs";

await onPinnedRuntime(async () => {
  const { isWebBuilt } = await import("./build-web.ts");
  if (!isWebBuilt()) {
    // In a process of its own: the service does not carry the bundler's memory.
    spawnSync(process.execPath, [join(import.meta.dirname, "build-web.ts")], {
      stdio: ["ignore", 2, 2],
    });
  }
  const { run } = await import("#src/cli/main.ts");
  return run(["serve"]);
});
