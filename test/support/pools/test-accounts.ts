import { type Address, addressFromBytes } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";

/** A deterministic address for a number. */
export function testAddress(seed: number): Address {
  const bytes = new Uint8Array(32).fill(201);
  new DataView(bytes.buffer).setUint32(0, seed);
  return addressFromBytes(bytes);
}

export function testAccount(owner: Address, data: Uint8Array | readonly number[]): Account {
  return { owner, lamports: 2_039_280n, data: Uint8Array.from(data), slot: 0n };
}
