import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** The maintainers' Rust client (MIT): it carries the programs and their IDLs. */
const CRATE = { name: "pump-rust-client", version: "0.5.0" } as const;
const FETCH_WITHIN_MS = 120_000;

/** Ignored by git: compiled programs are never committed. */
const CACHE = new URL("../../build/pump-programs/", import.meta.url).pathname;

const FILES = [
  ["artifacts", "pump.so"],
  ["artifacts", "pump_amm.so"],
  ["artifacts", "pump_fees.so"],
  ["artifacts", "mayhem_program.so"],
  ["artifacts", "mpl_token_metadata.so"],
  ["idls", "pump.json"],
  ["idls", "pump_amm.json"],
] as const;

export type ProgramFolder =
  | { readonly kind: "here"; readonly folder: string }
  | { readonly kind: "absent"; readonly reason: string };

/** The folder with pump's programs; fetched with cargo the first time. */
export async function pumpPrograms(): Promise<ProgramFolder> {
  if (await isComplete(CACHE)) return { kind: "here", folder: CACHE };
  const work = await mkdtemp(join(tmpdir(), "pump-programs-"));
  try {
    await fetchCrate(work);
    const crate = await crateFolder();
    const filled = join(work, "filled");
    await mkdir(filled);
    for (const [folder, file] of FILES)
      await copyFile(join(crate, folder, file), join(filled, file));
    await mkdir(join(CACHE, ".."), { recursive: true });
    await rm(CACHE, { recursive: true, force: true });
    // Complete or absent, also where two tests fetch at once.
    await rename(filled, CACHE).catch(async () => {
      await mkdir(CACHE, { recursive: true });
      for (const [, file] of FILES) await copyFile(join(filled, file), join(CACHE, file));
    });
    return { kind: "here", folder: CACHE };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    return { kind: "absent", reason: `pump's programs could not be fetched with cargo: ${reason}` };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function isComplete(folder: string): Promise<boolean> {
  const sizes = await Promise.all(
    FILES.map(async ([, file]) => (await stat(join(folder, file)).catch(() => null))?.size ?? 0),
  );
  return sizes.every((size) => size > 0);
}

/** Fetches the crate into cargo's own cache, by a manifest that is thrown away. */
async function fetchCrate(folder: string): Promise<void> {
  const manifest = `[package]
name = "fetch-pump-programs"
version = "0.0.0"
edition = "2021"

[lib]
path = "lib.rs"

[dependencies]
${CRATE.name} = "=${CRATE.version}"
`;
  await writeFile(join(folder, "Cargo.toml"), manifest);
  await writeFile(join(folder, "lib.rs"), "");
  const options = { cwd: folder, timeout: FETCH_WITHIN_MS };
  await promisify(execFile)("cargo", ["fetch", "--quiet"], options);
}

async function crateFolder(): Promise<string> {
  const sources = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "registry", "src");
  for (const registry of await readdir(sources)) {
    const folder = join(sources, registry, `${CRATE.name}-${CRATE.version}`);
    if ((await stat(folder).catch(() => null)) !== null) return folder;
  }
  throw new Error(`${CRATE.name} is not in cargo's cache after cargo fetch`);
}
