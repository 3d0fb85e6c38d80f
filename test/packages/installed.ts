import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildPackages, type PackageName } from "../../tools/packages/build.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const NODE_TYPES = join(ROOT, "node_modules", "@types");

const run = promisify(execFile);

/** The tarball of each package, as `npm publish` would send it. */
export async function packAll(
  directory: string,
): Promise<Readonly<Record<PackageName, { readonly tarball: string; readonly bytes: number }>>> {
  await run(process.execPath, [join(ROOT, "tools", "build-web.ts")]);
  const folders = buildPackages(directory);
  const pack = async (name: PackageName) => {
    const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", directory], {
      cwd: folders[name],
    });
    const [packed] = JSON.parse(stdout) as readonly [{ filename: string; size: number }];
    return { tarball: join(directory, packed.filename), bytes: packed.size };
  };
  const [service, client, core] = await Promise.all([
    pack("exitability"),
    pack("exitability-client"),
    pack("exitability-core"),
  ]);
  return { exitability: service, "exitability-client": client, "exitability-core": core };
}

/** Installs a tarball into an empty folder, with what it depends on. */
export async function installInto(directory: string, tarball: string): Promise<void> {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "package.json"), '{ "type": "module" }');
  const options = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  await run("npm", ["install", ...options, tarball], { cwd: directory });
}

type Compilation = {
  readonly compiler: string;
  readonly files: readonly string[];
  /** `node10`, which reads no `exports`: types are checked, nothing is emitted. */
  readonly resolution?: "nodenext" | "node10";
};

/** Checks the project's files in strict mode, declarations of the package included, and emits JavaScript. */
export async function compileStrictly(
  directory: string,
  { compiler, files, resolution = "nodenext" }: Compilation,
): Promise<void> {
  const compilerOptions = {
    ...(resolution === "nodenext"
      ? { module: "nodenext" }
      : { module: "es2022", moduleResolution: "node10", noEmit: true }),
    target: "es2022",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    typeRoots: [NODE_TYPES],
    types: ["node"],
    rewriteRelativeImportExtensions: true,
    rootDir: ".",
    outDir: ".",
  };
  const config = join(directory, "tsconfig.json");
  writeFileSync(config, JSON.stringify({ compilerOptions, files }));
  await run(process.execPath, [compiler, "--project", config]).catch((error: unknown) => {
    throw new Error(`${compiler}:\n${String((error as { readonly stdout?: unknown }).stdout)}`);
  });
}

/** Runs a script with nothing in its environment but what is given. @returns what it prints */
export async function runScript(
  node: string,
  { script, cwd, environment = {} }: ScriptRun,
): Promise<string> {
  const { stdout } = await run(node, script, { cwd, env: environment });
  return stdout;
}

type ScriptRun = {
  readonly script: readonly string[];
  readonly cwd: string;
  readonly environment?: Readonly<Record<string, string>>;
};
