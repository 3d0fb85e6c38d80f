import { addChannel } from "#src/store/channels.ts";
import { openDatabase } from "#src/store/connection/database.ts";
import { addWatchlistEntry } from "#src/store/watchlist.ts";
import type { Address } from "#src/units/address.ts";
import { tierLimits } from "#src/users/tiers.ts";
import { type Key, makeKeys, type Place } from "../support/deployment.ts";

const SIZE_LAMPORTS = 500_000_000n;

/**
 * As many users as the largest tier needs for these entries, each with a key, a mailbox and a webhook.
 * Entries take turns among the users: withdrawals come in the entries' order, and a user who gets five
 * messages within a minute gets the next ones nine seconds apart.
 */
export async function makeWatchingUsers(
  place: Place,
  watched: readonly Address[],
  webhookPort: number,
): Promise<readonly Key[]> {
  const perUser = tierLimits("pro").watchlistTokens;
  const count = Math.ceil(watched.length / perUser);
  const keys = await makeKeys(place, { count, tier: "pro", name: "whole-chain" });
  const database = openDatabase(place);
  try {
    const nowMs = Date.now();
    for (const [number, { userId }] of keys.entries()) {
      for (const mint of watched.filter((_, place) => place % count === number)) {
        const entry = { userId, mint, sizeLamports: SIZE_LAMPORTS };
        await addWatchlistEntry(database, entry, { limitOfTier: () => perUser, nowMs });
      }
      const email = `whole-chain-${number}@example.com`;
      const webhook = `http://127.0.0.1:${webhookPort}/${number}`;
      const common = { userId, language: "en", nonce: email, isVerified: true } as const;
      const limits = { limit: 2, nowMs };
      await addChannel(database, { ...common, kind: "email", target: email }, limits);
      await addChannel(database, { ...common, kind: "webhook", target: webhook }, limits);
    }
  } finally {
    await database.close();
  }
  return keys;
}
