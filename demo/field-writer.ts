import type { Address } from "#src/units/address.ts";
import { writtenBytes } from "./byte-writer.ts";

/** Most events fit. */
const FIRST_BYTES = 512;

/** Fields one after another, little-endian, as borsh writes events and instructions. */
export class FieldWriter {
  #bytes = new Uint8Array(FIRST_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  raw(bytes: Uint8Array): this {
    const at = this.#reserve(bytes.length);
    this.#bytes.set(bytes, at);
    return this;
  }

  u8(value: number): this {
    const at = this.#reserve(1);
    this.#view.setUint8(at, value);
    return this;
  }

  bool(value: boolean): this {
    return this.u8(value ? 1 : 0);
  }

  u32(value: number): this {
    const at = this.#reserve(4);
    this.#view.setUint32(at, value, true);
    return this;
  }

  /** Any number of u64 in a row. */
  u64(...values: readonly bigint[]): this {
    for (const value of values) {
      const at = this.#reserve(8);
      this.#view.setBigUint64(at, value, true);
    }
    return this;
  }

  i64(value: bigint): this {
    return this.u64(BigInt.asUintN(64, value));
  }

  i32(value: number): this {
    return this.u32(value >>> 0);
  }

  u128(value: bigint): this {
    return this.i128(value);
  }

  i128(value: bigint): this {
    return this.u64(BigInt.asUintN(64, value), BigInt.asUintN(64, value >> 64n));
  }

  /** Any number of addresses in a row. */
  address(...values: readonly Address[]): this {
    for (const value of values) this.raw(writtenBytes(value));
    return this;
  }

  /** Length as u32, then UTF-8. */
  text(value: string): this {
    const bytes = new TextEncoder().encode(value);
    return this.u32(bytes.length).raw(bytes);
  }

  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** Makes room for `length` more bytes. @returns where they begin */
  #reserve(length: number): number {
    const at = this.#length;
    this.#length += length;
    if (this.#length > this.#bytes.length) {
      const grown = new Uint8Array(2 * this.#length);
      grown.set(this.#bytes);
      this.#bytes = grown;
      this.#view = new DataView(grown.buffer);
    }
    return at;
  }
}
