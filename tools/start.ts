import { enableCompileCache } from "node:module";
import { buildWeb } from "./build-web.ts";

// What `npm start` runs: the dashboard is built where its build is missing or old, then all is served.

enableCompileCache();
await buildWeb();
const { run } = await import("#src/cli/main.ts");
process.exitCode = await run(["serve"]);
