import type { Address } from "#src/units/address.ts";
import { TOKEN_PROGRAM, WSOL } from "#src/units/known-addresses.ts";
import type { AccountSet } from "../account-set.ts";
import type { InstructionAccount, UnbuiltSale } from "../venue-sale.ts";

export const readable = (address: Address): InstructionAccount => ({
  address,
  isWritable: false,
  isSigner: false,
});

export const writable = (address: Address): InstructionAccount => ({
  address,
  isWritable: true,
  isSigner: false,
});

/** The seller: signs, and may pay for an account that the program extends. */
export const signer = (address: Address): InstructionAccount => ({
  address,
  isWritable: true,
  isSigner: true,
});

/** Instruction data: the discriminator, then u64 values. */
export function u64Data(discriminator: Uint8Array, ...values: readonly bigint[]): Uint8Array {
  const data = new Uint8Array(discriminator.length + 8 * values.length);
  data.set(discriminator);
  const view = new DataView(data.buffer);
  for (const [index, value] of values.entries()) {
    view.setBigUint64(discriminator.length + 8 * index, value, true);
  }
  return data;
}

/** The token program of a mint: the owner of its account, or what has to be loaded first. */
export function tokenProgramOf(known: AccountSet, mint: Address): Address | UnbuiltSale {
  if (mint === WSOL) return TOKEN_PROGRAM;
  const account = known.get(mint);
  if (account === undefined) return { kind: "needs", addresses: [mint] };
  return account?.owner ?? { kind: "unbuildable", reason: `mint ${mint} does not exist` };
}

/** A placeholder for a token account that holds nothing. */
export function tokenPlaceholder(address: Address, mint: Address, owner: Address) {
  return { kind: "token-account", address, mint, owner } as const;
}
