import { spawnSync } from "node:child_process";
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { isWebBuilt } from "./build-web.ts";

// What `npm start` runs: the dashboard is built where its build is missing or old, then all is served.

enableCompileCache();
if (!isWebBuilt()) {
  // In a process of its own: the service does not carry the bundler's memory.
  spawnSync(process.execPath, [join(import.meta.dirname, "build-web.ts")], { stdio: "inherit" });
}
const { run } = await import("#src/cli/main.ts");
process.exitCode = await run(["serve"]);
