import type { TestContext } from "node:test";
import type { VmProgram } from "#src/proof/vm/vm-messages.ts";
import type { Address } from "#src/units/address.ts";
import { LOADER_V3 } from "#src/units/known-addresses.ts";
import { programFile } from "../../../tools/program-files.ts";

/**
 * Compiled programs, or null after the test was marked as skipped. CI fetches those of one crate
 * (`tools/fetch-programs.ts`): their absence fails there, unless only PROGRAMS_DIR can have them.
 */
export function compiledPrograms(
  t: TestContext,
  programIds: readonly Address[],
): readonly VmProgram[] | null {
  const found = programIds.map((programId) => ({ programId, code: programFile(programId) }));
  const missing = found.find(({ code }) => code === null);
  if (missing !== undefined) {
    if (process.env.CI) throw new Error(`CI must fetch the program ${missing.programId}`);
    t.skip(`the compiled program ${missing.programId} is not here`);
    return null;
  }
  return found.flatMap(({ programId, code }) =>
    code === null ? [] : [{ programId, loader: LOADER_V3, code }],
  );
}
