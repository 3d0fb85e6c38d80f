import type { Address } from "#src/units/address.ts";
import { writtenBytes } from "./byte-writer.ts";

/** Fields one after another, little-endian, as borsh writes events and instructions. */
export class FieldWriter {
  readonly #parts: Uint8Array[] = [];

  raw(bytes: Uint8Array): this {
    this.#parts.push(bytes);
    return this;
  }

  u8(value: number): this {
    return this.raw(Uint8Array.of(value));
  }

  bool(value: boolean): this {
    return this.u8(value ? 1 : 0);
  }

  u32(value: number): this {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setUint32(0, value, true);
    return this.raw(bytes);
  }

  /** Any number of u64 in a row. */
  u64(...values: readonly bigint[]): this {
    const bytes = new Uint8Array(8 * values.length);
    const view = new DataView(bytes.buffer);
    for (const [index, value] of values.entries()) view.setBigUint64(8 * index, value, true);
    return this.raw(bytes);
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
    const joined = new Uint8Array(this.#parts.reduce((sum, { length }) => sum + length, 0));
    let offset = 0;
    for (const part of this.#parts) {
      joined.set(part, offset);
      offset += part.length;
    }
    return joined;
  }
}
