import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeDirectory } from "#src/platform/make-directory.ts";
import type { Address } from "#src/units/address.ts";
import { hashOf, type ProgramCode } from "./program-code.ts";

/** Program code on disk: a file for each deployment, named by program, slot and hash. */
export class CodeFiles {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The code of this deployment; null if it is not on disk, or damaged. */
  async read(
    programId: Address,
    place: Pick<ProgramCode, "loader" | "deployedSlot">,
  ): Promise<ProgramCode | null> {
    const name = (await this.#names()).find((file) => file.startsWith(startOf(programId, place)));
    if (name === undefined) return null;
    const code = await readFile(join(this.#directory, name));
    const hash = hashOf(code);
    return name.endsWith(`-${hash}.so`) ? { programId, ...place, hash, code } : null;
  }

  /** Replaces the program's earlier deployments. */
  async write(program: ProgramCode): Promise<void> {
    const { programId, hash, code } = program;
    makeDirectory(this.#directory);
    const name = `${startOf(programId, program)}${hash}.so`;
    const path = join(this.#directory, name);
    await writeFile(`${path}.part`, code);
    await rename(`${path}.part`, path);
    const older = (await this.#names()).filter(
      (file) => file.startsWith(`${programId}-`) && file !== name,
    );
    for (const file of older) await rm(join(this.#directory, file), { force: true });
  }

  async #names(): Promise<readonly string[]> {
    return readdir(this.#directory).catch(() => []);
  }
}

function startOf(programId: Address, { deployedSlot }: Pick<ProgramCode, "deployedSlot">): string {
  return `${programId}-${deployedSlot ?? "immutable"}-`;
}
