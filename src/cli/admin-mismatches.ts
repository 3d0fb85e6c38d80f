import { readMismatchLines } from "#src/accuracy/store.ts";
import type { AdminCall, AdminDeps } from "./admin.ts";
import { UsageError } from "./output.ts";

/** `admin mismatches`: the swaps that did not replay exactly, newest first, as input for `exitability verify`. */
export async function adminMismatches(
  { words }: AdminCall,
  { store, output }: AdminDeps,
): Promise<number> {
  if (words.length > 0) throw new UsageError("mismatches takes no arguments");
  for (const line of await readMismatchLines(store)) output.out(line);
  return 0;
}
