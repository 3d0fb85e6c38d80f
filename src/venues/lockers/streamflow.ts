import { type Address, address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM } from "#src/units/known-addresses.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { Account } from "../account-set.ts";
import { ByteReader } from "../byte-reader.ts";
import type { ProgramFilter } from "../venue.ts";
import type { LockTerms } from "./lock-terms.ts";

export const PROGRAM_ID = address("strmRqUCoQUgGUan5YhzUZa6KqdzwX5L6FpUxfmKg5m");

/** Offsets in Contract, which has no discriminator; names are the program's own. */
export const CONTRACT = {
  length: 1_104,
  amountWithdrawn: 17,
  canceledAt: 25,
  endTime: 33,
  sender: 49,
  recipient: 113,
  mint: 177,
  escrowTokens: 209,
  startTime: 409,
  netAmountDeposited: 417,
  period: 425,
  amountPerPeriod: 433,
  cliff: 441,
  cliffAmount: 449,
  cancelableBySender: 457,
  cancelableByRecipient: 458,
  pausable: 539,
  canUpdateRate: 540,
  closed: 671,
  currentPauseStart: 672,
  pauseCumulative: 680,
  lastRateChangeTime: 688,
  fundsUnlockedAtLastRateChange: 696,
  oldMetadata: 714,
  feePartner: 779,
  cancelRequestTime: 811,
} as const;

/** Finds the contract whose tokens are in this account, which is its own owner. */
export function contractOf(escrowTokens: Address): ProgramFilter {
  return {
    programId: PROGRAM_ID,
    dataSize: CONTRACT.length,
    memcmp: [{ offset: CONTRACT.escrowTokens, bytes: escrowTokens }],
  };
}

/** Address of the account with a contract's tokens. */
export function escrowTokensOf(metadata: Address): Address {
  return findProgramAddress(["strm", { address: metadata }], PROGRAM_ID);
}

/**
 * The terms of a contract (`available_to_claim`). Its dates do not bind if it can be cancelled (also by a fee
 * partner's request), if its rate can change, or if it was paused: the tokens that have not opened then count
 * for the sender. Null if the account is not the contract of these tokens: a contract has no discriminator, so the address of the
 * tokens must be derived from the contract's own address.
 */
export function decodeContract(
  metadata: Address,
  account: Account,
  escrowTokens: Address,
): LockTerms | null {
  const reader = new ByteReader(account.data);
  if (account.owner !== PROGRAM_ID || reader.length !== CONTRACT.length) return null;
  const old = reader.address(CONTRACT.oldMetadata);
  const derived = escrowTokensOf(old === SYSTEM_PROGRAM ? metadata : old);
  if (derived !== escrowTokens || reader.address(CONTRACT.escrowTokens) !== escrowTokens)
    return null;
  if (reader.bool(CONTRACT.closed) || reader.u64(CONTRACT.canceledAt) !== 0n) return null;
  const cliff = reader.u64(CONTRACT.cliff);
  return {
    locker: "streamflow",
    mint: reader.address(CONTRACT.mint),
    recipient: reader.address(CONTRACT.recipient),
    vesting: {
      counts: "seconds",
      cliffAt: cliff > 0n ? cliff : reader.u64(CONTRACT.startTime),
      cliffAmount: reader.u64(CONTRACT.cliffAmount),
      period: reader.u64(CONTRACT.period),
      perPeriod: reader.u64(CONTRACT.amountPerPeriod),
      total: reader.u64(CONTRACT.netAmountDeposited),
      endsAt: reader.u64(CONTRACT.endTime),
      released: reader.u64(CONTRACT.amountWithdrawn),
    },
    revocableTo: canChange(reader) ? reader.address(CONTRACT.sender) : null,
  };
}

function canChange(reader: ByteReader): boolean {
  return (
    reader.bool(CONTRACT.cancelableBySender) ||
    reader.bool(CONTRACT.cancelableByRecipient) ||
    reader.bool(CONTRACT.canUpdateRate) ||
    reader.u64(CONTRACT.currentPauseStart) !== 0n ||
    reader.u64(CONTRACT.pauseCumulative) !== 0n ||
    reader.u64(CONTRACT.lastRateChangeTime) !== 0n ||
    reader.address(CONTRACT.feePartner) !== SYSTEM_PROGRAM ||
    reader.u64(CONTRACT.cancelRequestTime) !== 0n
  );
}
