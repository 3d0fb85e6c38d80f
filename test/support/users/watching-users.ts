import assert from "node:assert/strict";
import { addChannel, type Channel, type ChannelKind } from "#src/store/channels.ts";
import type { Store } from "#src/store/schema.ts";
import type { UserId } from "#src/store/user-id.ts";
import { createUserForEmail, findUserByEmail } from "#src/store/users.ts";
import { addWatchlistEntry } from "#src/store/watchlist.ts";
import type { Address } from "#src/units/address.ts";

/** A user with an account, made on the spot. */
export async function someUser(store: Store, email: string): Promise<UserId> {
  await createUserForEmail(store, email, 0);
  const user = await findUserByEmail(store.db, email);
  assert.ok(user);
  return user.id;
}

/** Watches a token at a size in SOL. @returns the entry's id */
export async function watch(
  store: Store,
  userId: UserId,
  { mint, sizeSol = 1 }: { readonly mint: Address; readonly sizeSol?: number },
): Promise<bigint> {
  const sizeLamports = BigInt(Math.round(sizeSol * 1e9));
  const limits = { limitOfTier: () => 1_000_000, nowMs: 0 };
  const added = await addWatchlistEntry(store, { userId, mint, sizeLamports }, limits);
  assert.ok(added.kind === "added");
  return added.id;
}

/** A channel that is verified already. */
export async function verifiedChannel(
  store: Store,
  userId: UserId,
  { kind, target }: { readonly kind: ChannelKind; readonly target: string },
): Promise<Channel> {
  const channel = {
    userId,
    kind,
    target,
    language: "en",
    nonce: target,
    isVerified: true,
  } as const;
  const added = await addChannel(store, channel, { limit: 100, nowMs: 0 });
  assert.ok(added.kind === "added");
  return added.channel;
}
