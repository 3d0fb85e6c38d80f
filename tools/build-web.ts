import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const WEB = join(import.meta.dirname, "..", "web");
const DIST = join(WEB, "dist");
const STAMP = join(DIST, "built-from.txt");
const COMPRESSED = /\.(?:html|js|css|svg|json)$/;

/** Whether the dashboard's build was made from its present sources. */
export function isWebBuilt(): boolean {
  return existsSync(STAMP) && readFileSync(STAMP, "utf8") === sourceHash();
}

/** Builds the dashboard where its build is missing or older than its sources. */
async function buildWeb(): Promise<"built" | "up to date"> {
  if (isWebBuilt()) return "up to date";
  const { build } = await import("vite");
  await build({ configFile: join(WEB, "vite.config.ts"), logLevel: "warn" });
  compress();
  writeFileSync(STAMP, sourceHash());
  return "built";
}

if (import.meta.main) {
  try {
    console.log(`The dashboard is ${await buildWeb()}.`);
  } catch (error) {
    console.error(`The dashboard was not built, the API is served without it: ${reasonOf(error)}`);
    process.exitCode = 1;
  }
}

/** One sentence for what an operator can correct; the whole error otherwise. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error) || !("code" in error)) return inspect(error);
  switch (error.code) {
    case "ERR_MODULE_NOT_FOUND":
      return 'its builder is not installed. Run "npm ci" without --omit=dev, or copy web/dist from a machine that has built it.';
    case "EROFS":
    case "EACCES":
      return `${DIST} cannot be written. Build it where it can be ("npm run build:web"), and copy web/dist.`;
    case "ENOSPC":
      return "the disk is full.";
    default:
      return inspect(error);
  }
}

/** One hash over everything that the build reads. */
function sourceHash(): string {
  const hash = createHash("sha256");
  const files = readdirSync(WEB, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(DIST))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const file of [...files, join(WEB, "..", "package-lock.json")]) {
    hash.update(file.slice(WEB.length)).update("\0").update(readFileSync(file)).update("\0");
  }
  return hash.digest("hex");
}

/** Beside each text file its brotli and gzip form, so that serving costs no compression. */
function compress(): void {
  for (const entry of readdirSync(DIST, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !COMPRESSED.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    const parameters = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: parameters }));
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
  }
}
