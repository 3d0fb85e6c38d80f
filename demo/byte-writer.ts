import { type Address, addressBytes } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";

const NO_ADDRESS = new Uint8Array(32);
/**
 * Of addresses that were written lately: programs write the same few again and again. A module-level cache,
 * because the bytes are a pure function of the address.
 */
const recentBytes = new Map<Address, Uint8Array>();
const MOST_RECENT = 200_000;

/** The 32 bytes of an address, zeros where the text is not one; not to be changed. */
export function writtenBytes(address: Address): Uint8Array {
  const known = recentBytes.get(address);
  if (known !== undefined) return known;
  const bytes = addressBytes(address) ?? NO_ADDRESS;
  if (recentBytes.size >= MOST_RECENT) recentBytes.clear();
  recentBytes.set(address, bytes);
  return bytes;
}

/** Writes little-endian fields in place: the counterpart of `ByteReader`. */
export class ByteWriter {
  readonly bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u8(offset: number, value: number): this {
    this.#view.setUint8(offset, value);
    return this;
  }

  u16(offset: number, value: number): this {
    this.#view.setUint16(offset, value, true);
    return this;
  }

  u32(offset: number, value: number): this {
    this.#view.setUint32(offset, value, true);
    return this;
  }

  i32(offset: number, value: number): this {
    this.#view.setInt32(offset, value, true);
    return this;
  }

  u64(offset: number, value: bigint): this {
    this.#view.setBigUint64(offset, value, true);
    return this;
  }

  i64(offset: number, value: bigint): this {
    this.#view.setBigInt64(offset, value, true);
    return this;
  }

  u128(offset: number, value: bigint): this {
    return this.u64(offset, BigInt.asUintN(64, value)).u64(offset + 8, value >> 64n);
  }

  address(offset: number, value: Address): this {
    return this.raw(offset, writtenBytes(value));
  }

  raw(offset: number, value: Uint8Array): this {
    this.bytes.set(value, offset);
    return this;
  }
}

/** The account with some fields overwritten. */
export function edited(
  account: Account,
  slot: bigint,
  edit: (writer: ByteWriter) => unknown,
): Account {
  const writer = new ByteWriter(account.data.slice());
  edit(writer);
  return { ...account, data: writer.bytes, slot };
}
