import { readMismatchLines } from "#src/accuracy/accuracy-store.ts";
import type { AdminCall, AdminDeps } from "./admin.ts";
import { UsageError } from "./output.ts";

/** `admin mismatches`: the swaps that the model missed, the newest first, as lines that `exitability verify` reads. */
export async function adminMismatches(
  { words }: AdminCall,
  { store, output }: AdminDeps,
): Promise<number> {
  if (words.length > 0) throw new UsageError("mismatches takes no further word");
  for (const line of await readMismatchLines(store)) output.out(line);
  return 0;
}
