import type { Kysely } from "kysely";
import type { Schema } from "./schema.ts";

/** One row for each secret that signs sessions in a running process, by its fingerprint. */
export type AuthSecretsTables = {
  auth_secrets: { fingerprint: string; seen_at_ms: bigint };
};

/**
 * Records that a process with this secret runs now. Rows before `sinceMs` are of processes that ended
 * without removing them, and are deleted.
 *
 * @returns whether a process with another secret has run since `sinceMs`
 */
export async function recordAuthSecret(
  db: Kysely<Schema>,
  { fingerprint, nowMs, sinceMs }: { fingerprint: string; nowMs: number; sinceMs: number },
): Promise<boolean> {
  const seen = { seen_at_ms: BigInt(nowMs) };
  await db
    .insertInto("auth_secrets")
    .values({ fingerprint, ...seen })
    .onConflict((conflict) => conflict.column("fingerprint").doUpdateSet(seen))
    .execute();
  await db.deleteFrom("auth_secrets").where("seen_at_ms", "<", BigInt(sinceMs)).execute();
  const others = await db
    .selectFrom("auth_secrets")
    .select("fingerprint")
    .where("fingerprint", "!=", fingerprint)
    .limit(1)
    .execute();
  return others.length > 0;
}

/** Other running processes with the same secret record it again. */
export async function removeAuthSecret(db: Kysely<Schema>, fingerprint: string): Promise<void> {
  await db.deleteFrom("auth_secrets").where("fingerprint", "=", fingerprint).execute();
}
