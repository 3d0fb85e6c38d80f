import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import { ByteReader } from "#src/venues/byte-reader.ts";
import type { Clock } from "#src/venues/venue.ts";

const LENGTH = 40;

/**
 * Decodes the chain's clock from the Clock sysvar; null if the account is not one. Read together with
 * other accounts, it gives the block time of exactly their slot.
 *
 * @see https://github.com/anza-xyz/solana-sdk (clock/src/lib.rs)
 */
export function decodeClock(account: Account | null | undefined): Clock | null {
  if (account === null || account === undefined || account.data.length < LENGTH) return null;
  const reader = new ByteReader(account.data);
  return { slot: reader.u64(0), epoch: reader.u64(16), unixTimestamp: reader.i64(32) };
}

/** The clock among loaded accounts; null if the node did not return it. */
export function clockOf(known: AccountSet): Clock | null {
  return decodeClock(known.get(CLOCK_SYSVAR));
}

/** The block time of a clock, in milliseconds since 1970. */
export function blockTimeMs(clock: Clock): number {
  return toNumber(clock.unixTimestamp) * 1000;
}
