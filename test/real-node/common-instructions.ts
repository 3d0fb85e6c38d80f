import { type Address, address } from "#src/units/address.ts";
import {
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WSOL,
} from "#src/units/known-addresses.ts";
import {
  ASSOCIATED_TOKEN_PROGRAM,
  associatedTokenAddress,
} from "#src/venues/shared/token/associated-token.ts";
import type { AccountMeta, Instruction } from "./transaction.ts";

const COMPUTE_BUDGET = address("ComputeBudget111111111111111111111111111111");
const MOST_COMPUTE_UNITS = 1_400_000;

/** Coins are made by create_v2, which makes them with Token-2022. */
export function tokenProgramOf(mint: Address): Address {
  return mint === WSOL ? TOKEN_PROGRAM : TOKEN_2022_PROGRAM;
}

export function readable(address: Address): AccountMeta {
  return { address, isSigner: false, isWritable: false };
}

export function writable(address: Address): AccountMeta {
  return { address, isSigner: false, isWritable: true };
}

/** A limit of its own for each transaction: two that are equal count as one. */
export function computeLimit(number: number): Instruction {
  const data = Buffer.alloc(5);
  data.writeUInt8(2);
  data.writeUInt32LE(MOST_COMPUTE_UNITS - number, 1);
  return { programId: COMPUTE_BUDGET, accounts: [], data };
}

export function createTokenAccount(of: {
  readonly payer: Address;
  readonly owner: Address;
  readonly mint: Address;
  readonly program: Address;
}): Instruction {
  const { payer, owner, mint, program } = of;
  return {
    programId: ASSOCIATED_TOKEN_PROGRAM,
    accounts: [
      { address: payer, isSigner: true, isWritable: true },
      writable(associatedTokenAddress(owner, mint, program)),
      readable(owner),
      readable(mint),
      readable(SYSTEM_PROGRAM),
      readable(program),
    ],
    // Idempotent: it may exist.
    data: Uint8Array.of(1),
  };
}

export function transferSol(from: Address, to: Address, lamports: bigint): Instruction {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2);
  data.writeBigUInt64LE(lamports, 4);
  return {
    programId: SYSTEM_PROGRAM,
    accounts: [{ address: from, isSigner: true, isWritable: true }, writable(to)],
    data,
  };
}

export function syncNative(account: Address): Instruction {
  return { programId: TOKEN_PROGRAM, accounts: [writable(account)], data: Uint8Array.of(17) };
}
