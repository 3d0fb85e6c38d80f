import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import { ByteReader } from "#src/venues/byte-reader.ts";
import type { Clock } from "#src/venues/venue.ts";

const LENGTH = 40;

/**
 * The chain's clock out of the Clock sysvar, or null where the account is none. Read in one batch
 * with other accounts it tells the block time of exactly the slot at which these stand.
 *
 * @see https://github.com/anza-xyz/solana-sdk (clock/src/lib.rs)
 */
export function decodeClock(account: Account | null | undefined): Clock | null {
  if (account === null || account === undefined || account.data.length < LENGTH) return null;
  const reader = new ByteReader(account.data);
  return { slot: reader.u64(0), epoch: reader.u64(16), unixTimestamp: reader.i64(32) };
}

/** The clock among loaded accounts, or null where it was not delivered. */
export function clockOf(known: AccountSet): Clock | null {
  return decodeClock(known.get(CLOCK_SYSVAR));
}

/** The block time that a clock tells, in milliseconds since 1970. */
export function blockTimeMs(clock: Clock): number {
  return toNumber(clock.unixTimestamp) * 1000;
}
