import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Fetches the compiled programs that the maintainers of pump publish in their crate, through cargo
 * and its registry, into .cache/programs. Nothing is built, and nothing of it is committed.
 */

const CRATE = { name: "pump-rust-client", version: "0.5.0" } as const;
const PROGRAMS = ["pump.so", "pump_amm.so", "pump_fees.so", "raydium_amm_v4.so"] as const;
const CACHE = new URL("../.cache/programs", import.meta.url).pathname;

if (PROGRAMS.every((name) => existsSync(join(CACHE, name)))) {
  console.log(`programs are in ${CACHE}`);
} else {
  fetchPrograms();
}

function fetchPrograms(): void {
  const folder = mkdtempSync(join(tmpdir(), "programs-"));
  try {
    mkdirSync(join(folder, "src"));
    writeFileSync(join(folder, "src/lib.rs"), "");
    writeFileSync(
      join(folder, "Cargo.toml"),
      `[package]\nname = "programs"\nversion = "0.0.0"\nedition = "2021"\n\n[dependencies]\n${CRATE.name} = "=${CRATE.version}"\n`,
    );
    execFileSync("cargo", ["fetch", "--quiet"], { cwd: folder, stdio: "inherit" });
    const metadata = execFileSync("cargo", ["metadata", "--format-version", "1", "--offline"], {
      cwd: folder,
      maxBuffer: 64 * 1024 * 1024,
    });
    const { packages }: { packages: readonly { name: string; manifest_path: string }[] } =
      JSON.parse(metadata.toString());
    const crate = packages.find(({ name }) => name === CRATE.name);
    if (crate === undefined) throw new Error(`cargo did not fetch ${CRATE.name}`);
    mkdirSync(CACHE, { recursive: true });
    for (const name of PROGRAMS) {
      copyFileSync(join(crate.manifest_path, "../artifacts", name), join(CACHE, name));
    }
    console.log(`fetched ${PROGRAMS.length} programs into ${CACHE}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
