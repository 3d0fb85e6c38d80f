import type { Address } from "#src/units/address.ts";
import type { Account, AccountSet } from "./account-set.ts";

/** A field to overwrite: little-endian, at its offset. */
export type FieldPatch = {
  readonly offset: number;
  readonly value: bigint;
  /** Bytes; 8 by default. */
  readonly width?: 1 | 8 | 16;
};

/** Where a token account holds its amount. */
const TOKEN_AMOUNT = 64;

/** Held accounts with the fields of a swap's event written over them. */
export class PatchedAccounts implements AccountSet {
  readonly #known: AccountSet;
  readonly #patched = new Map<Address, Account>();

  constructor(known: AccountSet) {
    this.#known = known;
  }

  get(address: Address): Account | null | undefined {
    return this.#patched.get(address) ?? this.#known.get(address);
  }

  /** Overwrites fields of a held account; fields that end beyond its data are skipped. */
  patch(address: Address, fields: readonly FieldPatch[]): void {
    const account = this.get(address);
    if (!account) return;
    const data = account.data.slice();
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    for (const { offset, value, width = 8 } of fields) {
      if (offset + width > data.length) continue;
      if (width === 1) view.setUint8(offset, value === 0n ? 0 : 1);
      else view.setBigUint64(offset, BigInt.asUintN(64, value), true);
      if (width === 16) view.setBigUint64(offset + 8, BigInt.asUintN(64, value >> 64n), true);
    }
    this.#patched.set(address, { ...account, data });
  }

  patchTokenAmount(address: Address, amount: bigint): void {
    this.patch(address, [{ offset: TOKEN_AMOUNT, value: amount }]);
  }
}
