import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";

/** The Rust client of pump's maintainers (MIT): it carries compiled programs and their IDLs. */
const CRATE = { name: "pump-rust-client", version: "0.5.0" } as const;
const FETCH_WITHIN_MS = 120_000;

/** Compiled programs of the crate, and whatever else PROGRAMS_DIR may hold. Ignored by git: no binary is committed. */
export const PROGRAM_CACHE = new URL("../.cache/programs", import.meta.url).pathname;

const FILES = [
  "artifacts/pump.so",
  "artifacts/pump_amm.so",
  "artifacts/pump_fees.so",
  "artifacts/mayhem_program.so",
  "artifacts/mpl_token_metadata.so",
  "artifacts/raydium_amm_v4.so",
  "idls/pump.json",
  "idls/pump_amm.json",
] as const;

/**
 * Fetches the crate with cargo, unless its files are here, and puts them into PROGRAM_CACHE.
 *
 * @throws if cargo or its registry is absent
 */
export async function fetchPumpCrate(): Promise<void> {
  if (await isComplete()) return;
  const work = await mkdtemp(join(tmpdir(), "pump-crate-"));
  try {
    const crate = await crateFolder(work);
    await mkdir(PROGRAM_CACHE, { recursive: true });
    for (const file of FILES) {
      const copy = join(work, basename(file));
      await copyFile(join(crate, file), copy);
      await place(copy, join(PROGRAM_CACHE, basename(file)));
    }
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function isComplete(): Promise<boolean> {
  const sizes = await Promise.all(
    FILES.map((file) => stat(join(PROGRAM_CACHE, basename(file))).catch(() => null)),
  );
  return sizes.every((found) => found !== null && found.size > 0);
}

/** Fetches the crate into cargo's own cache, by a manifest that is thrown away. */
async function crateFolder(work: string): Promise<string> {
  await mkdir(join(work, "src"));
  await writeFile(join(work, "src/lib.rs"), "");
  await writeFile(
    join(work, "Cargo.toml"),
    `[package]\nname = "programs"\nversion = "0.0.0"\nedition = "2021"\n\n[dependencies]\n${CRATE.name} = "=${CRATE.version}"\n`,
  );
  const run = promisify(execFile);
  const options = { cwd: work, timeout: FETCH_WITHIN_MS, maxBuffer: 64 * 1024 * 1024 };
  await run("cargo", ["fetch", "--quiet"], options);
  const { stdout } = await run(
    "cargo",
    ["metadata", "--format-version", "1", "--offline"],
    options,
  );
  const { packages }: { packages: readonly { name: string; manifest_path: string }[] } =
    JSON.parse(stdout);
  const crate = packages.find(({ name }) => name === CRATE.name);
  if (crate === undefined) throw new Error(`cargo did not fetch ${CRATE.name}`);
  return join(crate.manifest_path, "..");
}

/** A file is whole or absent, also where two processes fetch at once or the folders are on two disks. */
async function place(from: string, to: string): Promise<void> {
  const whole = `${to}.${process.pid}`;
  await copyFile(from, whole);
  await rename(whole, to);
}
