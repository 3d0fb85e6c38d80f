#!/usr/bin/env node
// Starts the command line of the installed package (bin/exitability.mjs there).
import { prepareProcess } from "./process.mjs";

const OLDEST_NODE_MAJOR = 22;

if (Number(process.versions.node.split(".")[0]) < OLDEST_NODE_MAJOR) {
  console.error(
    `exitability needs Node ${OLDEST_NODE_MAJOR} or later; this is ${process.versions.node}.`,
  );
  process.exit(1);
}
prepareProcess();
const { run } = await import("../src/cli/main.js");
process.exitCode = await run(process.argv.slice(2));
