import { timestamp } from "#src/api/values.ts";
import { readWaitlist } from "#src/store/waitlist.ts";
import { toCsv } from "#src/users/csv.ts";
import type { AdminCall, AdminDeps } from "./admin.ts";
import { UsageError } from "./output.ts";

/** `admin waitlist`: all entries, as CSV or JSON. */
export async function adminWaitlist(
  { words, flags }: AdminCall,
  { store, output }: AdminDeps,
): Promise<number> {
  if (words.length > 0) throw new UsageError("waitlist takes no arguments");
  const entries = (await readWaitlist(store.db)).map(({ email, origin, createdAtMs }) => ({
    email,
    origen: origin,
    created_at: timestamp(createdAtMs),
  }));
  if (flags.json === true) output.out(JSON.stringify(entries));
  else {
    const rows = entries.map(({ email, origen, created_at }) => [email, origen, created_at]);
    output.out(toCsv([["email", "origen", "created_at"], ...rows]).trimEnd());
  }
  return 0;
}
