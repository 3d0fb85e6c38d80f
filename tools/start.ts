import { run } from "#src/cli/main.ts";
import { buildWeb } from "./build-web.ts";

// What `npm start` runs: the dashboard is built where its build is missing or old, then all is served.

await buildWeb();
process.exitCode = await run(["serve"]);
