import { ByteWriter } from "#demo/byte-writer.ts";
import type { NewEscrow } from "#demo/jupiter-lock.ts";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { CONTRACT, escrowTokensOf, PROGRAM_ID } from "#src/venues/lockers/streamflow.ts";
import { testAddress } from "./raydium-pools.ts";

/** An escrow that opens all at once at `at` for the recipient and cannot be cancelled. */
export function escrowUntil(at: bigint, fields: Partial<NewEscrow>): NewEscrow {
  return {
    mint: testAddress(90),
    recipient: testAddress(91),
    creator: testAddress(92),
    base: testAddress(93),
    startAt: 0n,
    cliffAt: at,
    cliffAmount: 100n,
    period: 0n,
    perPeriod: 0n,
    periods: 0n,
    claimed: 0n,
    cancelMode: 0,
    slot: 0n,
    ...fields,
  };
}

export type NewContract = {
  readonly metadata: Address;
  readonly mint: Address;
  readonly sender: Address;
  readonly recipient: Address;
  readonly cliffAt: bigint;
  readonly cliffAmount: bigint;
  readonly period: bigint;
  readonly perPeriod: bigint;
  readonly deposited: bigint;
  readonly withdrawn: bigint;
  readonly endsAt: bigint;
};

/** A Streamflow contract that cannot be changed. */
export function contractAccount(contract: NewContract): Account {
  const { bytes } = new ByteWriter(new Uint8Array(CONTRACT.length))
    .u64(CONTRACT.amountWithdrawn, contract.withdrawn)
    .u64(CONTRACT.endTime, contract.endsAt)
    .address(CONTRACT.sender, contract.sender)
    .address(CONTRACT.recipient, contract.recipient)
    .address(CONTRACT.mint, contract.mint)
    .address(CONTRACT.escrowTokens, escrowTokensOf(contract.metadata))
    .u64(CONTRACT.startTime, contract.cliffAt)
    .u64(CONTRACT.netAmountDeposited, contract.deposited)
    .u64(CONTRACT.period, contract.period)
    .u64(CONTRACT.amountPerPeriod, contract.perPeriod)
    .u64(CONTRACT.cliff, contract.cliffAt)
    .u64(CONTRACT.cliffAmount, contract.cliffAmount);
  return { owner: PROGRAM_ID, lamports: 1n, data: bytes, slot: 0n };
}
