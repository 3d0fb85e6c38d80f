#!/usr/bin/env node
// Starts the command line of the installed package (bin/exitability.mjs there).
import nodeModule from "node:module";

const OLDEST_NODE_MAJOR = 22;

if (Number(process.versions.node.split(".")[0]) < OLDEST_NODE_MAJOR) {
  console.error(
    `exitability needs Node ${OLDEST_NODE_MAJOR} or later; this is ${process.versions.node}.`,
  );
  process.exit(1);
}
nodeModule.enableCompileCache?.();
// A reader such as `head` closes the pipe when it has read enough: that ends the command without an error.
process.stdout.on("error", (error) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});
const { run } = await import("../src/cli/main.js");
process.exitCode = await run(process.argv.slice(2));
