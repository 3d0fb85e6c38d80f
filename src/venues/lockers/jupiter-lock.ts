import { address } from "#src/units/address.ts";
import type { Account } from "../account-set.ts";
import { ByteReader, discriminator } from "../byte-reader.ts";
import type { LockTerms } from "./lock-terms.ts";

export const PROGRAM_ID = address("LocpQgucEQHbqNABEYvBvwoxCPsSbG91A1QaQhQQqjn");

/** Offsets in VestingEscrow, the owner of the locked tokens' account; names are the program's own. */
export const VESTING_ESCROW = {
  discriminator: discriminator("f477b704497487c3"),
  length: 296,
  recipient: 8,
  tokenMint: 40,
  creator: 72,
  base: 104,
  escrowBump: 136,
  updateRecipientMode: 137,
  cancelMode: 138,
  tokenProgramFlag: 139,
  cliffTime: 144,
  frequency: 152,
  cliffUnlockAmount: 160,
  amountPerPeriod: 168,
  numberOfPeriod: 176,
  totalClaimedAmount: 184,
  vestingStartTime: 192,
  cancelledAt: 200,
} as const;

/** Neither creator nor recipient may cancel. */
const CANCEL_BY_NOBODY = 0;
const LARGEST_MODE = 3;

/**
 * The terms of an escrow (`get_max_unlocked_amount`). If it can be cancelled, the creator gets the tokens
 * that have not opened. Null if the account is not an escrow, or was cancelled.
 */
export function decodeEscrow(account: Account): LockTerms | null {
  const reader = new ByteReader(account.data);
  const { length, discriminator: magic } = VESTING_ESCROW;
  if (account.owner !== PROGRAM_ID || reader.length !== length || !reader.has(0, magic))
    return null;
  const cancelMode = reader.u8(VESTING_ESCROW.cancelMode);
  if (reader.u64(VESTING_ESCROW.cancelledAt) !== 0n || cancelMode > LARGEST_MODE) return null;
  const cliffAmount = reader.u64(VESTING_ESCROW.cliffUnlockAmount);
  const period = reader.u64(VESTING_ESCROW.frequency);
  const perPeriod = reader.u64(VESTING_ESCROW.amountPerPeriod);
  return {
    locker: "jupiter-lock",
    mint: reader.address(VESTING_ESCROW.tokenMint),
    recipient: reader.address(VESTING_ESCROW.recipient),
    vesting: {
      counts: "seconds",
      cliffAt: reader.u64(VESTING_ESCROW.cliffTime),
      cliffAmount,
      period,
      perPeriod,
      total: cliffAmount + perPeriod * reader.u64(VESTING_ESCROW.numberOfPeriod),
      endsAt: null,
      released: reader.u64(VESTING_ESCROW.totalClaimedAmount),
    },
    revocableTo: cancelMode === CANCEL_BY_NOBODY ? null : reader.address(VESTING_ESCROW.creator),
  };
}
