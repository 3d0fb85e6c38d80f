import type { Kysely } from "kysely";
import type { Schema } from "./schema.ts";

/** The fingerprint of the secret that signs sessions, of each running process. */
export type AuthSecretsTables = {
  auth_secrets: { process: string; fingerprint: string; seen_at_ms: bigint };
};

export type RunningProcess = {
  /** Unique among all processes. */
  readonly process: string;
  readonly fingerprint: string;
};

/**
 * Records that a process runs now. Rows before `sinceMs` are of processes that ended without removing
 * them, and are deleted.
 *
 * @returns whether a process with another secret has run since `sinceMs`
 */
export async function recordAuthSecret(
  db: Kysely<Schema>,
  { process, fingerprint }: RunningProcess,
  { nowMs, sinceMs }: { readonly nowMs: number; readonly sinceMs: number },
): Promise<boolean> {
  const seen = { seen_at_ms: BigInt(nowMs) };
  await db
    .insertInto("auth_secrets")
    .values({ process, fingerprint, ...seen })
    .onConflict((conflict) => conflict.column("process").doUpdateSet(seen))
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

export async function removeAuthSecret(db: Kysely<Schema>, process: string): Promise<void> {
  await db.deleteFrom("auth_secrets").where("process", "=", process).execute();
}
