import type { Generated, Kysely } from "kysely";
import type { CauseShares } from "#src/measure/series/losses.ts";
import type { Address } from "#src/units/address.ts";
import { lastFollowedAtMs } from "./known-pools.ts";
import type { Schema } from "./schema.ts";
import { upsertTokens } from "./tokens.ts";

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
    withdrawn_share: number | null;
    sold_share: number | null;
    fees_share: number | null;
    paused_share: number | null;
  };
};

/** How both tables of alerts hold these shares; all are null where none was kept. */
export type CauseShareColumns = {
  readonly withdrawn_share: number | null;
  readonly sold_share: number | null;
  readonly fees_share: number | null;
  readonly paused_share: number | null;
};

export function causeShareColumns(causes: CauseShares | null): CauseShareColumns {
  return {
    withdrawn_share: causes?.withdrawn ?? null,
    sold_share: causes?.sold ?? null,
    fees_share: causes?.fees ?? null,
    paused_share: causes?.paused ?? null,
  };
}

export function causeSharesOf(row: CauseShareColumns): CauseShares | null {
  const { withdrawn_share: withdrawn, sold_share: sold } = row;
  const { fees_share: fees, paused_share: paused } = row;
  if (withdrawn === null || sold === null || fees === null || paused === null) return null;
  return { withdrawn, sold, fees, paused };
}

/** Null: not known at that moment. */
export type AlertFigures = { readonly c10Sol: number; readonly depthSol: number | null };

export type StoredAlert = {
  readonly id: bigint;
  readonly tokenId: bigint;
  readonly detector: string;
  readonly cause: string;
  /** What the cause took of the whole fall, 0 to 1; null where no cause is known, or none was kept. */
  readonly share: number | null;
  /** Null where none was kept. */
  readonly causes: CauseShares | null;
  /** The slot at which it turned on. */
  readonly slot: bigint;
  readonly startedAtMs: number;
  /** Null while it is on. */
  readonly endedAtMs: number | null;
  readonly before: AlertFigures;
  readonly after: AlertFigures;
};

export type NewAlert = Omit<StoredAlert, "id" | "tokenId" | "endedAtMs"> & {
  readonly mint: Address;
};

/**
 * Records an alert that turned on. The second record of the same start changes nothing, so that a
 * write whose outcome is unknown can be repeated; it is on again if it had ended, as where its slot was
 * dropped and the same fall came in the next one. An earlier alert of the token that was left on ends where this one
 * begins: its end was not seen, as where the database was away when the token was loaded. Only the process that
 * tracks writes alerts.
 */
export async function recordAlert(db: Kysely<Schema>, alert: NewAlert): Promise<void> {
  // Locks no known token: the archive locks many at a time, in another order.
  const tokenId = (await tokenIdOf(db, alert.mint)) ?? (await newTokenId(db, alert));
  const row = {
    token_id: tokenId,
    detector: alert.detector,
    cause: alert.cause,
    share: alert.share,
    ...causeShareColumns(alert.causes),
    slot: alert.slot,
    started_at_ms: BigInt(alert.startedAtMs),
    ended_at_ms: null,
    c10_before: alert.before.c10Sol,
    c10_after: alert.after.c10Sol,
    depth_before: alert.before.depthSol,
    depth_after: alert.after.depthSol,
  };
  const known = await db
    .updateTable("alerts")
    .set(row)
    .where("token_id", "=", tokenId)
    .where("started_at_ms", "=", row.started_at_ms)
    .returning("id")
    .executeTakeFirst();
  if (known !== undefined) return;
  await db
    .updateTable("alerts")
    .set({ ended_at_ms: row.started_at_ms })
    .where("token_id", "=", tokenId)
    .where("ended_at_ms", "is", null)
    .where("started_at_ms", "<", row.started_at_ms)
    .execute();
  await db.insertInto("alerts").values(row).execute();
}

/** The token's record may not be open yet, where the database was away when it was loaded. */
async function newTokenId(db: Kysely<Schema>, { mint, startedAtMs }: NewAlert): Promise<bigint> {
  const seen = { mint, name: null, symbol: null, nowMs: startedAtMs };
  const tokenId = (await upsertTokens(db, [seen])).get(mint);
  if (tokenId === undefined) throw new Error(`the database returned no id for token ${mint}`);
  return tokenId;
}

/** Ends the token's alert, if one is on. */
export async function endAlerts(
  db: Kysely<Schema>,
  { mint, endedAtMs }: { readonly mint: Address; readonly endedAtMs: number },
): Promise<void> {
  const tokenId = await tokenIdOf(db, mint);
  if (tokenId === null) return;
  await db
    .updateTable("alerts")
    .set({ ended_at_ms: BigInt(endedAtMs) })
    .where("token_id", "=", tokenId)
    .where("ended_at_ms", "is", null)
    .execute();
}

/** Null for a token that was never tracked. */
async function tokenIdOf(db: Kysely<Schema>, mint: Address): Promise<bigint | null> {
  const row = await db
    .selectFrom("tokens")
    .select("id")
    .where("mint", "=", mint)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** An alert that is on, with the token that it is about. */
export type OpenTokenAlert = Pick<StoredAlert, "cause" | "startedAtMs" | "before" | "after"> & {
  readonly mint: string;
  readonly name: string | null;
  readonly symbol: string | null;
};

/**
 * The alerts that are on and began after `sinceMs`, the newest first, of all tokens but those that were followed and
 * have not been for `followedWithinMs` before the newest note of a followed token: whether their alerts are still on
 * is not known.
 */
export async function openAlerts(
  db: Kysely<Schema>,
  {
    sinceMs,
    followedWithinMs,
    limit,
  }: { readonly sinceMs: number; readonly followedWithinMs: number; readonly limit: number },
): Promise<readonly OpenTokenAlert[]> {
  // Not the present time: until a new process has restored its tokens, they have the time of the earlier process.
  const followedSinceMs = ((await lastFollowedAtMs(db)) ?? 0) - followedWithinMs;
  const rows = await db
    .selectFrom("alerts")
    .innerJoin("tokens", "tokens.id", "alerts.token_id")
    .leftJoin("known_pools", (join) =>
      join.onRef("known_pools.mint", "=", "tokens.mint").on("known_pools.is_hop", "=", 0n),
    )
    .select(["tokens.mint", "name", "symbol", "cause", "started_at_ms"])
    .select(["c10_before", "c10_after", "depth_before", "depth_after"])
    .where("ended_at_ms", "is", null)
    .where("started_at_ms", ">", BigInt(sinceMs))
    .where((eb) =>
      eb.or([
        eb("followed_at_ms", "is", null),
        eb("followed_at_ms", ">=", BigInt(followedSinceMs)),
      ]),
    )
    .orderBy("started_at_ms", "desc")
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    mint: row.mint,
    name: row.name,
    symbol: row.symbol,
    cause: row.cause,
    startedAtMs: Number(row.started_at_ms),
    before: { c10Sol: row.c10_before, depthSol: row.depth_before },
    after: { c10Sol: row.c10_after, depthSol: row.depth_after },
  }));
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
    causes: causeSharesOf(row),
    slot: row.slot,
    startedAtMs: Number(row.started_at_ms),
    endedAtMs: row.ended_at_ms === null ? null : Number(row.ended_at_ms),
    before: { c10Sol: row.c10_before, depthSol: row.depth_before },
    after: { c10Sol: row.c10_after, depthSol: row.depth_after },
  }));
}
