import type { Kysely } from "kysely";
import type { Schema } from "./schema.ts";

/** Codes that were mailed and not used yet: one for each address and asker. */
export type SignInCodesTables = {
  sign_in_codes: {
    email: string;
    /** Keyed hash of the browser, or the address, that asked for the code. */
    asker: string;
    code_hash: string;
    guesses: bigint;
    expires_at_ms: bigint;
  };
};

type CodeOwner = { readonly email: string; readonly asker: string };

/** Stores a code in place of the asker's earlier one. */
export async function setSignInCode(
  db: Kysely<Schema>,
  { email, asker }: CodeOwner,
  { codeHash, expiresAtMs }: { readonly codeHash: string; readonly expiresAtMs: number },
): Promise<void> {
  const code = { code_hash: codeHash, guesses: 0n, expires_at_ms: BigInt(expiresAtMs) };
  await db
    .insertInto("sign_in_codes")
    .values({ email, asker, ...code })
    .onConflict((conflict) => conflict.columns(["email", "asker"]).doUpdateSet(code))
    .execute();
}

/**
 * Uses a code up. Each guess counts against the codes of these askers alone; of parallel calls with
 * the right code one succeeds.
 *
 * @returns whether the code was right
 */
export async function guessSignInCode(
  db: Kysely<Schema>,
  guess: {
    readonly email: string;
    readonly askers: readonly string[];
    readonly codeHash: string;
    readonly mostGuesses: number;
  },
  nowMs: number,
): Promise<boolean> {
  const { email, askers, codeHash, mostGuesses } = guess;
  const guessed = await db
    .updateTable("sign_in_codes")
    .set((eb) => ({ guesses: eb("guesses", "+", 1n) }))
    .where("email", "=", email)
    .where("asker", "in", askers)
    .where("guesses", "<", BigInt(mostGuesses))
    .where("expires_at_ms", ">", BigInt(nowMs))
    .returning(["asker", "code_hash"])
    .execute();
  // The comparison needs no constant time: what is compared is an HMAC under our secret.
  const right = guessed.find(({ code_hash }) => code_hash === codeHash);
  if (right === undefined) return false;
  const used = await db
    .deleteFrom("sign_in_codes")
    .where("email", "=", email)
    .where("asker", "=", right.asker)
    .where("code_hash", "=", codeHash)
    .executeTakeFirst();
  return used.numDeletedRows > 0n;
}

export async function deleteExpiredCodes(db: Kysely<Schema>, nowMs: number): Promise<void> {
  await db.deleteFrom("sign_in_codes").where("expires_at_ms", "<=", BigInt(nowMs)).execute();
}
