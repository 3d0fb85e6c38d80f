import type { Kysely } from "kysely";
import type { Schema } from "./schema.ts";

export type WaitingHeldTables = {
  waiting_held: { hour: bigint; counts: string };
};

/** How often the ranges of what waiting cost held in one hour, serialised by the caller. */
export type StoredWaiting = {
  /** Whole hours since 1970 in UTC. */
  readonly hour: number;
  readonly counts: string;
};

/** Upserts hours. */
export async function writeWaitingHeld(
  db: Kysely<Schema>,
  rows: readonly StoredWaiting[],
): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto("waiting_held")
    .values(rows.map(({ hour, counts }) => ({ hour: BigInt(hour), counts })))
    .onConflict((conflict) =>
      conflict.column("hour").doUpdateSet((eb) => ({ counts: eb.ref("excluded.counts") })),
    )
    .execute();
}

export async function readWaitingHeld(db: Kysely<Schema>): Promise<readonly StoredWaiting[]> {
  const rows = await db.selectFrom("waiting_held").selectAll().execute();
  return rows.map(({ hour, counts }) => ({ hour: Number(hour), counts }));
}

export async function deleteWaitingHeldBefore(db: Kysely<Schema>, hour: number): Promise<void> {
  await db.deleteFrom("waiting_held").where("hour", "<", BigInt(hour)).execute();
}
