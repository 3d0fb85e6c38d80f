import type { Generated, Kysely } from "kysely";
import type { Schema } from "./schema.ts";

export type ProgramDeploymentsTables = {
  program_deployments: {
    id: Generated<bigint>;
    venue: string;
    deployed_slot: bigint;
    seen_at_ms: bigint;
  };
};

/** An observed deployment of a venue's program. */
export type StoredDeployment = {
  readonly venue: string;
  readonly slot: bigint;
  readonly seenAtMs: number;
};

export async function addProgramDeployment(
  db: Kysely<Schema>,
  { venue, slot, seenAtMs }: StoredDeployment,
): Promise<void> {
  await db
    .insertInto("program_deployments")
    .values({ venue, deployed_slot: slot, seen_at_ms: BigInt(seenAtMs) })
    .execute();
}

/** Every observed deployment, in the order of observation. */
export async function readProgramDeployments(
  db: Kysely<Schema>,
): Promise<readonly StoredDeployment[]> {
  const rows = await db.selectFrom("program_deployments").selectAll().orderBy("id").execute();
  return rows.map(({ venue, deployed_slot, seen_at_ms }) => ({
    venue,
    slot: deployed_slot,
    seenAtMs: Number(seen_at_ms),
  }));
}
