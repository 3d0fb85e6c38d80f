import type { Generated, Kysely } from "kysely";
import type { Schema } from "./schema.ts";

export type AlertsTables = {
  alerts: {
    id: Generated<bigint>;
    token_id: bigint;
    detector: string;
    cause: string;
    slot: bigint;
    started_at_ms: bigint;
    ended_at_ms: bigint | null;
    c10_before: number;
    c10_after: number;
    depth_before: number | null;
    depth_after: number | null;
    share: number | null;
  };
};

/** Null: not known at that moment. */
export type AlertFigures = { readonly c10Sol: number; readonly depthSol: number | null };

export type StoredAlert = {
  readonly id: bigint;
  readonly tokenId: bigint;
  readonly detector: string;
  readonly cause: string;
  /** What the cause took of the whole fall, 0 to 1; null where no cause is known, or none was kept. */
  readonly share: number | null;
  /** The slot at which it turned on. */
  readonly slot: bigint;
  readonly startedAtMs: number;
  /** Null while it is on. */
  readonly endedAtMs: number | null;
  readonly before: AlertFigures;
  readonly after: AlertFigures;
};

/** Records an alert that has turned on; on disk before it returns. */
export async function recordAlert(
  db: Kysely<Schema>,
  alert: Omit<StoredAlert, "id" | "endedAtMs">,
): Promise<bigint> {
  const { id } = await db
    .insertInto("alerts")
    .values({
      token_id: alert.tokenId,
      detector: alert.detector,
      cause: alert.cause,
      share: alert.share,
      slot: alert.slot,
      started_at_ms: BigInt(alert.startedAtMs),
      ended_at_ms: null,
      c10_before: alert.before.c10Sol,
      c10_after: alert.after.c10Sol,
      depth_before: alert.before.depthSol,
      depth_after: alert.after.depthSol,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/** Marks the token's alert as turned off; one that is off already stays as it was. */
export async function endAlerts(
  db: Kysely<Schema>,
  ended: { readonly tokenId: bigint; readonly endedAtMs: number },
): Promise<void> {
  await db
    .updateTable("alerts")
    .set({ ended_at_ms: BigInt(ended.endedAtMs) })
    .where("token_id", "=", ended.tokenId)
    .where("ended_at_ms", "is", null)
    .execute();
}

/** Both ends included. */
export type TimeRange = { readonly fromMs: number; readonly toMs: number };

/** The token's alerts that began within the time, any where none is given; the newest first. */
export async function alertsOf(
  db: Kysely<Schema>,
  query: { readonly tokenId: bigint; readonly limit: number; readonly begun?: TimeRange },
): Promise<readonly StoredAlert[]> {
  const { begun } = query;
  const all = db.selectFrom("alerts").selectAll().where("token_id", "=", query.tokenId);
  const found =
    begun === undefined
      ? all
      : all
          .where("started_at_ms", ">=", BigInt(begun.fromMs))
          .where("started_at_ms", "<=", BigInt(begun.toMs));
  const rows = await found
    .orderBy("started_at_ms", "desc")
    .orderBy("id", "desc")
    .limit(query.limit)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    tokenId: row.token_id,
    detector: row.detector,
    cause: row.cause,
    share: row.share,
    slot: row.slot,
    startedAtMs: Number(row.started_at_ms),
    endedAtMs: row.ended_at_ms === null ? null : Number(row.ended_at_ms),
    before: { c10Sol: row.c10_before, depthSol: row.depth_before },
    after: { c10Sol: row.c10_after, depthSol: row.depth_after },
  }));
}
