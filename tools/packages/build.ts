import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { compile, filesIn, rewriteImports } from "./compile.ts";

/**
 * Builds the packages that are published, each in a folder of its own: `build/packages/<name>`.
 *
 *   node tools/packages/build.ts [DIRECTORY]     then: npm publish build/packages/<name>
 *
 * The checkout itself is private and needs Node 26; the packages are JavaScript for Node 22 and later.
 */

const ROOT = join(import.meta.dirname, "..", "..");
const CLIENT = join(ROOT, "clients", "typescript");
const REPOSITORY_FIELDS = { license: manifest.license, type: "module" } as const;
/** The oldest Node that the packages are tested on. */
const ENGINES = { node: ">=22" };
/** The runtime of the checkout; an installed package runs on the Node that is there. */
const RUNTIMES = /^node-(?:bin-)?(?:linux|darwin)-/;

export const PACKAGES = ["exitability", "exitability-client", "exitability-core"] as const;
export type PackageName = (typeof PACKAGES)[number];

/** Builds all packages below `directory`; the dashboard must be built already. */
export function buildPackages(directory: string): Readonly<Record<PackageName, string>> {
  const folders = {
    exitability: join(directory, "exitability"),
    "exitability-client": join(directory, "exitability-client"),
    "exitability-core": join(directory, "exitability-core"),
  };
  for (const folder of Object.values(folders)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    cpSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  }
  buildService(folders.exitability);
  buildClient(folders["exitability-client"]);
  buildCore(folders["exitability-core"]);
  return folders;
}

/** The command line, the service and the dashboard, in the folders that they have in the checkout. */
function buildService(folder: string): void {
  compile(join(import.meta.dirname, "tsconfig.json"), folder);
  rewriteImports(folder, { "#src/": "src", "#demo/": "demo" });
  rmSync(join(folder, "src", "core"), { recursive: true });
  cpSync(join(ROOT, "web", "dist"), join(folder, "web", "dist"), { recursive: true });
  cpSync(join(import.meta.dirname, "service-readme.md"), join(folder, "README.md"));
  copyCommand(folder);
  const { name, version, description, dependencies, optionalDependencies } = manifest;
  const optional = Object.entries(optionalDependencies).filter(([name]) => !RUNTIMES.test(name));
  writeManifest(folder, {
    name,
    version,
    description,
    keywords: ["solana", "liquidity", "slippage", "mcp", "exitability"],
    ...REPOSITORY_FIELDS,
    engines: ENGINES,
    bin: { exitability: "bin/exitability.mjs" },
    files: ["bin", "demo", "src", "web"],
    dependencies,
    optionalDependencies: Object.fromEntries(optional),
  });
}

/** What starts `src/cli/main.js` of the package. */
export function copyCommand(folder: string): void {
  const bin = join(folder, "bin");
  cpSync(join(import.meta.dirname, "start-service.mjs"), join(bin, "exitability.mjs"));
  cpSync(join(ROOT, "bin", "process.mjs"), join(bin, "process.mjs"));
}

function buildClient(folder: string): void {
  compile(join(CLIENT, "tsconfig.build.json"), join(folder, "dist"));
  rewriteImports(join(folder, "dist"), {});
  cpSync(join(CLIENT, "README.md"), join(folder, "README.md"));
  const { devDependencies, scripts, private: isPrivate, ...published } = readManifest(CLIENT);
  writeManifest(folder, published);
}

/** The measurement alone. The one function that it takes from a package is copied in, with its licence. */
function buildCore(folder: string): void {
  const lib = join(folder, "lib");
  compile(join(import.meta.dirname, "tsconfig.core.json"), lib);
  const hashes = join(ROOT, "node_modules", "@noble", "hashes");
  const vendored = join(lib, "noble-hashes");
  for (const file of ["LICENSE", "sha2.js", "_md.js", "_u64.js", "utils.js"]) {
    cpSync(join(hashes, file), join(vendored, file));
  }
  rewriteImports(lib, { "#src/": ".", "@noble/hashes/": "noble-hashes" });
  cpSync(join(import.meta.dirname, "core-readme.md"), join(folder, "README.md"));
  writeManifest(folder, {
    name: "exitability-core",
    version: manifest.version,
    description:
      "Exact quotes and exit costs of Solana tokens from the account bytes of their pools",
    keywords: ["solana", "amm", "quote", "slippage", "exitability"],
    ...REPOSITORY_FIELDS,
    sideEffects: false,
    engines: ENGINES,
    main: "./lib/core/exitability-core.js",
    types: "./lib/core/exitability-core.d.ts",
    exports: {
      ".": {
        types: "./lib/core/exitability-core.d.ts",
        default: "./lib/core/exitability-core.js",
      },
    },
    files: ["lib"],
  });
}

function readManifest(folder: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

function writeManifest(folder: string, fields: Readonly<Record<string, unknown>>): void {
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(fields, null, 2)}\n`);
}

if (import.meta.main) {
  execFileSync(process.execPath, [join(ROOT, "tools", "build-web.ts")], { stdio: "inherit" });
  const folders = buildPackages(process.argv[2] ?? join(ROOT, "build", "packages"));
  for (const folder of Object.values(folders)) {
    console.log(`${relative(process.cwd(), folder)}: ${filesIn(folder).length} files`);
  }
}
