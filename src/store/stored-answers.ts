import { type Kysely, sql } from "kysely";
import { chunksOf } from "#src/platform/chunks.ts";
import { deleteSlice } from "./delete-slice.ts";
import type { Schema } from "./schema.ts";

/** A token's answer at a slot, packed by the caller. */
export type StoredAnswersTables = {
  stored_answers: {
    token_id: bigint;
    slot: bigint;
    day: bigint;
    base_slot: bigint;
    data: Uint8Array;
  };
};

export type StoredAnswer = {
  readonly tokenId: bigint;
  readonly slot: bigint;
  /** Whole days since 1970 in UTC, of the writer's clock. */
  readonly day: number;
  /** The answer of the same day that is needed to unpack this one; its own slot if none is needed. */
  readonly baseSlot: bigint;
  readonly data: Uint8Array;
};

const ROWS_PER_STATEMENT = 200;

/** Inserts answers; one that is stored already is kept unchanged. */
export async function writeStoredAnswers(
  db: Kysely<Schema>,
  answers: readonly StoredAnswer[],
): Promise<void> {
  for (const some of chunksOf(answers, ROWS_PER_STATEMENT)) {
    const rows = some.map((answer) => ({
      token_id: answer.tokenId,
      slot: answer.slot,
      day: BigInt(answer.day),
      base_slot: answer.baseSlot,
      data: answer.data,
    }));
    await db
      .insertInto("stored_answers")
      .values(rows)
      .onConflict((conflict) => conflict.columns(["token_id", "slot"]).doNothing())
      .execute();
  }
}

/** The newest answer at or before a slot; null if there is none. */
export async function storedAnswerAt(
  db: Kysely<Schema>,
  { tokenId, slot }: { readonly tokenId: bigint; readonly slot: bigint },
): Promise<StoredAnswer | null> {
  const row = await db
    .selectFrom("stored_answers")
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

/** The first slot after `slot` with a stored answer of the token; null if there is none. */
export async function nextStoredSlot(
  db: Kysely<Schema>,
  { tokenId, slot }: { readonly tokenId: bigint; readonly slot: bigint },
): Promise<bigint | null> {
  const row = await db
    .selectFrom("stored_answers")
    .select("slot")
    .where("token_id", "=", tokenId)
    .where("slot", ">", slot)
    .orderBy("slot")
    .limit(1)
    .executeTakeFirst();
  return row?.slot ?? null;
}

/** The newest slot with a stored answer of the token; null if there is none. */
export async function newestStoredSlot(
  db: Kysely<Schema>,
  tokenId: bigint,
): Promise<bigint | null> {
  const row = await db
    .selectFrom("stored_answers")
    .select("slot")
    .where("token_id", "=", tokenId)
    .orderBy("slot", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.slot ?? null;
}

/**
 * Deletes at most `limit` answers of the days before `day` (whole days since 1970 in UTC).
 *
 * @returns whether there may be more
 */
export async function deleteStoredAnswersBefore(
  db: Kysely<Schema>,
  { day, limit }: { readonly day: number; readonly limit: number },
): Promise<boolean> {
  return await deleteSlice(db, "stored_answers", {
    key: ["token_id", "slot"],
    where: sql`day < ${BigInt(day)}`,
    limit,
  });
}
