import type { Kysely } from "kysely";
import type { Schema } from "./schema.ts";

/** A token's answer as it stood at a slot, packed by whoever writes it. */
export type StatesTables = {
  states: {
    token_id: bigint;
    slot: bigint;
    day: bigint;
    base_slot: bigint;
    data: Uint8Array;
  };
};

export type StoredState = {
  readonly tokenId: bigint;
  readonly slot: bigint;
  /** Whole days since 1970 in UTC, of the writer's clock. */
  readonly day: number;
  /** The state that is needed to read this one; the slot itself where none is. Never of another day. */
  readonly baseSlot: bigint;
  readonly data: Uint8Array;
};

const ROWS_PER_STATEMENT = 200;

/** Writes states; one that is there already stays as it is. */
export async function writeStates(
  db: Kysely<Schema>,
  states: readonly StoredState[],
): Promise<void> {
  for (let start = 0; start < states.length; start += ROWS_PER_STATEMENT) {
    const rows = states.slice(start, start + ROWS_PER_STATEMENT).map((state) => ({
      token_id: state.tokenId,
      slot: state.slot,
      day: BigInt(state.day),
      base_slot: state.baseSlot,
      data: state.data,
    }));
    await db
      .insertInto("states")
      .values(rows)
      .onConflict((conflict) => conflict.columns(["token_id", "slot"]).doNothing())
      .execute();
  }
}

/** The newest state at or before a slot; null where there is none. */
export async function stateBy(
  db: Kysely<Schema>,
  { tokenId, slot }: { readonly tokenId: bigint; readonly slot: bigint },
): Promise<StoredState | null> {
  const row = await db
    .selectFrom("states")
    .selectAll()
    .where("token_id", "=", tokenId)
    .where("slot", "<=", slot)
    .orderBy("slot", "desc")
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { token_id, base_slot: baseSlot, day, ...rest } = row;
  return { ...rest, tokenId: token_id, baseSlot, day: Number(day) };
}

/** The first slot after `slot` of which the token has a state; null where there is none. */
export async function nextStateSlot(
  db: Kysely<Schema>,
  { tokenId, slot }: { readonly tokenId: bigint; readonly slot: bigint },
): Promise<bigint | null> {
  const row = await db
    .selectFrom("states")
    .select("slot")
    .where("token_id", "=", tokenId)
    .where("slot", ">", slot)
    .orderBy("slot")
    .limit(1)
    .executeTakeFirst();
  return row?.slot ?? null;
}

/** The newest slot of which the token has a state; null where there is none. */
export async function newestStateSlot(db: Kysely<Schema>, tokenId: bigint): Promise<bigint | null> {
  const row = await db
    .selectFrom("states")
    .select("slot")
    .where("token_id", "=", tokenId)
    .orderBy("slot", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.slot ?? null;
}

/** Forgets every state of the days before `day` (whole days since 1970 in UTC). */
export async function dropStatesBefore(db: Kysely<Schema>, day: number): Promise<void> {
  await db.deleteFrom("states").where("day", "<", BigInt(day)).execute();
}
