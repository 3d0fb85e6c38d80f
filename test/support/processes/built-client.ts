import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { temporaryDirectory } from "../temporary-directory.ts";

const CLIENT = join(import.meta.dirname, "..", "..", "..", "clients", "typescript");
const COMPILER = join(
  import.meta.dirname,
  "..",
  "..",
  "..",
  "node_modules",
  "typescript",
  "bin",
  "tsc",
);

/** A project in which the client is installed as npm would install it: its build, and nothing else. */
export type ClientProject = {
  readonly directory: string;
  /** Where the build is. */
  readonly dist: string;
};

export async function installClient(t: TestContext): Promise<ClientProject> {
  const directory = temporaryDirectory(t);
  const installed = join(directory, "node_modules", "exitability-client");
  const dist = join(installed, "dist");
  mkdirSync(installed, { recursive: true });
  cpSync(join(CLIENT, "package.json"), join(installed, "package.json"));
  await compile(["--project", join(CLIENT, "tsconfig.build.json"), "--outDir", dist]);
  return { directory, dist };
}

/** Runs the TypeScript compiler; fails with what it has to say. */
export async function compile(options: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [COMPILER, ...options]).catch((error: unknown) => {
    throw new Error(String((error as { readonly stdout?: unknown }).stdout));
  });
}

export type Example = { readonly language: string; readonly code: string; readonly prints: string };

/** The README's blocks of code, each with what it says that it prints. */
export function readmeExamples(): readonly Example[] {
  const readme = readFileSync(join(CLIENT, "README.md"), "utf8");
  const blocks = [...readme.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
  return blocks.flatMap(([, language = "", code = ""], index) => {
    if (language === "text") return [];
    const [, next, prints = ""] = blocks[index + 1] ?? [];
    if (next !== "text") throw new Error(`nothing says what this prints:\n${code}`);
    return [{ language, code, prints }];
  });
}
