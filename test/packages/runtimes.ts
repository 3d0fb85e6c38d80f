import { existsSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";

const TOOLS = join(import.meta.dirname, "tools", "node_modules");

/** A Node that the published packages must run on. */
export type Runtime = { readonly name: string; readonly path: string };

/**
 * Node 22, 24 and the one that runs the tests. The two older ones come from npm for Linux on x64; on
 * other machines the test reports that they were left out. In CI they are always there.
 */
export function runtimes(t: TestContext): readonly Runtime[] {
  const own = { name: `Node ${process.versions.node}`, path: process.execPath };
  const older = ["22", "24"].flatMap((major) => {
    const path = join(TOOLS, `node-${major}`, "bin", "node");
    if (existsSync(path)) return [{ name: `Node ${major}`, path }];
    if (process.env.CI)
      throw new Error("CI must have it: npm install --no-save --prefix test/packages/tools");
    t.diagnostic(
      `not on Node ${major}: npm install --no-save --prefix test/packages/tools installs it`,
    );
    return [];
  });
  return [...older, own];
}

type Compiler = { readonly compiler: string; readonly resolution: "nodenext" | "node10" };

/** The TypeScript compilers and module resolutions whose users must be able to read the declarations. */
export function compilers(t: TestContext): readonly Compiler[] {
  const tsc = join(import.meta.dirname, "..", "..", "node_modules", "typescript", "bin", "tsc");
  const own = { compiler: tsc, resolution: "nodenext" } as const;
  const older = join(TOOLS, "typescript", "bin", "tsc");
  if (existsSync(older)) {
    // nodenext comes last, because the scripts of the last one are run.
    return [{ compiler: older, resolution: "node10" }, { ...own, compiler: older }, own];
  }
  if (process.env.CI)
    throw new Error("CI must have it: npm install --no-save --prefix test/packages/tools");
  t.diagnostic(
    "not with TypeScript 5: npm install --no-save --prefix test/packages/tools installs it",
  );
  return [own];
}
