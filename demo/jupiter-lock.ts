import type { Address } from "#src/units/address.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { PROGRAM_ID, VESTING_ESCROW } from "#src/venues/lockers/jupiter-lock.ts";
import { ByteWriter } from "./byte-writer.ts";

/** An escrow of Jupiter Lock: a cliff, then equal periods. Times are Unix seconds. */
export type NewEscrow = {
  readonly mint: Address;
  readonly recipient: Address;
  readonly creator: Address;
  readonly base: Address;
  readonly startAt: bigint;
  readonly cliffAt: bigint;
  readonly cliffAmount: bigint;
  readonly period: bigint;
  readonly perPeriod: bigint;
  readonly periods: bigint;
  readonly claimed: bigint;
  /** Who may cancel it: 0: no one; 1: the creator; 2: the recipient; 3: both. */
  readonly cancelMode: number;
  readonly slot: bigint;
};

/** Address of the escrow with this base. The escrow owns the account with the tokens. */
export function escrowAddress(base: Address): Address {
  return findProgramAddress(["escrow", { address: base }], PROGRAM_ID);
}

export function escrowAccount(escrow: NewEscrow): Account {
  const { bytes } = new ByteWriter(new Uint8Array(VESTING_ESCROW.length))
    .raw(0, VESTING_ESCROW.discriminator)
    .address(VESTING_ESCROW.recipient, escrow.recipient)
    .address(VESTING_ESCROW.tokenMint, escrow.mint)
    .address(VESTING_ESCROW.creator, escrow.creator)
    .address(VESTING_ESCROW.base, escrow.base)
    .u8(VESTING_ESCROW.cancelMode, escrow.cancelMode)
    .u64(VESTING_ESCROW.cliffTime, escrow.cliffAt)
    .u64(VESTING_ESCROW.frequency, escrow.period)
    .u64(VESTING_ESCROW.cliffUnlockAmount, escrow.cliffAmount)
    .u64(VESTING_ESCROW.amountPerPeriod, escrow.perPeriod)
    .u64(VESTING_ESCROW.numberOfPeriod, escrow.periods)
    .u64(VESTING_ESCROW.totalClaimedAmount, escrow.claimed)
    .u64(VESTING_ESCROW.vestingStartTime, escrow.startAt);
  return { owner: PROGRAM_ID, lamports: 2_950_800n, data: bytes, slot: escrow.slot };
}
