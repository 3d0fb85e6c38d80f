import { fetchPumpCrate, PROGRAM_CACHE } from "../../tools/pump-crate.ts";

export type ProgramFolder =
  | { readonly kind: "here"; readonly folder: string }
  | { readonly kind: "absent"; readonly reason: string };

/** The folder with pump's programs and IDLs; fetched with cargo the first time. */
export async function pumpPrograms(): Promise<ProgramFolder> {
  try {
    await fetchPumpCrate();
    return { kind: "here", folder: PROGRAM_CACHE };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    return { kind: "absent", reason: `pump's programs could not be fetched with cargo: ${reason}` };
  }
}
