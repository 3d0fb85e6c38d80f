import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, sep } from "node:path";

const COMPILER = join(
  dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
  "bin",
  "tsc",
);

/** Where an import in the compiled text leads instead: `#src/units/address.ts` to a relative `.js`. */
export type ImportRoots = Readonly<Record<string, string>>;

/** Compiles a TypeScript project to readable JavaScript: one file a module, comments kept. */
export function compile(project: string, outDir: string): void {
  execFileSync(process.execPath, [COMPILER, "--project", project, "--outDir", outDir], {
    stdio: ["ignore", "inherit", "inherit"],
  });
}

/**
 * Rewrites the imports that the compiler keeps: of `#src/...` and of packages named in `roots`, in the
 * code and in its declarations, and the files that code starts by `new URL("./x.ts", import.meta.url)`.
 */
export function rewriteImports(directory: string, roots: ImportRoots): void {
  for (const file of filesIn(directory)) {
    if (!/\.(?:js|d\.ts)$/.test(file)) continue;
    const text = readFileSync(file, "utf8");
    const rewritten = text
      .replaceAll(/(?<=\b(?:from|import)\s*\(?\s*)"([^"\n]+)"/g, (quoted, target: string) => {
        const found = targetOf(target, { file, directory, roots });
        return found === null ? quoted : `"${found}"`;
      })
      .replaceAll(/(?<=new URL\("\.[^"]*)\.ts(?=", import\.meta\.url\))/g, ".js");
    if (rewritten !== text) writeFileSync(file, rewritten);
  }
}

function targetOf(
  target: string,
  { file, directory, roots }: { file: string; directory: string; roots: ImportRoots },
): string | null {
  if (target.startsWith(".")) return target.endsWith(".ts") ? scriptName(target) : null;
  const prefix = Object.keys(roots).find((root) => target.startsWith(root));
  if (prefix === undefined) return null;
  const path = join(directory, roots[prefix] ?? "", target.slice(prefix.length));
  const from = relative(dirname(file), path).split(sep).join("/");
  return scriptName(from.startsWith(".") ? from : `./${from}`);
}

function scriptName(path: string): string {
  return path.replace(/\.ts$/, ".js");
}

export function filesIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
