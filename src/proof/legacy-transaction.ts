import { type Address, bytesOf } from "#src/units/address.ts";
import type { SaleInstruction } from "#src/venues/venue-sale.ts";
import type { VmMessage } from "./vm/vm-messages.ts";

type AccountRole = { isSigner: boolean; isWritable: boolean };

/**
 * A legacy transaction with empty signatures, for a VM that checks none. It is not valid on any chain.
 *
 * @see https://solana.com/docs/core/transactions
 */
export function legacyTransaction(feePayer: Address, instruction: SaleInstruction): VmMessage {
  const roles = rolesOf(feePayer, instruction);
  const rank = ([, { isSigner, isWritable }]: readonly [Address, AccountRole]): number =>
    (isSigner ? 0 : 2) + (isWritable ? 0 : 1);
  const ordered = [...roles].sort((a, b) => rank(a) - rank(b));
  const addresses = ordered.map(([address]) => address);
  const places = new Map(addresses.map((address, index) => [address, index]));
  const signers = ordered.filter(([, { isSigner }]) => isSigner);
  const bytes = Uint8Array.from([
    ...compactLength(signers.length),
    ...new Uint8Array(64 * signers.length),
    signers.length,
    signers.filter(([, { isWritable }]) => !isWritable).length,
    ordered.filter(([, { isSigner, isWritable }]) => !isSigner && !isWritable).length,
    ...compactLength(addresses.length),
    ...addresses.flatMap((address) => [...bytesOf(address)]),
    ...new Uint8Array(32),
    ...compactLength(1),
    places.get(instruction.programId) ?? 0,
    ...compactLength(instruction.accounts.length),
    ...instruction.accounts.map(({ address }) => places.get(address) ?? 0),
    ...compactLength(instruction.data.length),
    ...instruction.data,
  ]);
  return { bytes, addresses };
}

/** Each address once, with the most that any mention of it asks for; the fee payer is the first. */
function rolesOf(
  feePayer: Address,
  { programId, accounts }: SaleInstruction,
): Map<Address, AccountRole> {
  const roles = new Map<Address, AccountRole>([[feePayer, { isSigner: true, isWritable: true }]]);
  const mentioned = [...accounts, { address: programId, isSigner: false, isWritable: false }];
  for (const { address, isSigner, isWritable } of mentioned) {
    const role = roles.get(address) ?? { isSigner: false, isWritable: false };
    role.isSigner ||= isSigner;
    role.isWritable ||= isWritable;
    roles.set(address, role);
  }
  return roles;
}

/** Seven bits a byte, the lowest first. */
function compactLength(length: number): readonly number[] {
  return length < 0x80 ? [length] : [(length & 0x7f) | 0x80, length >> 7];
}
