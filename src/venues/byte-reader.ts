import { type Address, addressFromBytes } from "#src/units/address.ts";

/** A field ends beyond the bytes. A venue's `decode` turns it into an unusable pool. */
export class BytesEnded extends Error {
  constructor(offset: number, length: number) {
    super(`field ends at byte ${offset} of ${length}`);
    this.name = "BytesEnded";
  }
}

const ZERO = 0n;

/** Little-endian fields of account bytes. Every read is checked. */
export class ByteReader {
  readonly length: number;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.length = bytes.length;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u8(offset: number): number {
    this.#need(offset, 1);
    return this.#view.getUint8(offset);
  }

  u16(offset: number): number {
    this.#need(offset, 2);
    return this.#view.getUint16(offset, true);
  }

  u32(offset: number): number {
    this.#need(offset, 4);
    return this.#view.getUint32(offset, true);
  }

  i32(offset: number): number {
    this.#need(offset, 4);
    return this.#view.getInt32(offset, true);
  }

  u64(offset: number): bigint {
    this.#need(offset, 8);
    return sharedZero(this.#view.getBigUint64(offset, true));
  }

  i64(offset: number): bigint {
    this.#need(offset, 8);
    return sharedZero(this.#view.getBigInt64(offset, true));
  }

  u128(offset: number): bigint {
    this.#need(offset, 16);
    return sharedZero(
      this.#view.getBigUint64(offset, true) | (this.#view.getBigUint64(offset + 8, true) << 64n),
    );
  }

  i128(offset: number): bigint {
    return BigInt.asIntN(128, this.u128(offset));
  }

  bool(offset: number): boolean {
    return this.u8(offset) !== 0;
  }

  address(offset: number): Address {
    this.#need(offset, 32);
    return addressFromBytes(this.#bytes, offset);
  }

  /** A text of one byte a character. */
  text(offset: number, length: number): string {
    let text = "";
    for (let at = offset; at < offset + length; at++) text += String.fromCharCode(this.u8(at));
    return text;
  }

  /** Whether the bytes at `offset` are exactly these. False where they end before. */
  has(offset: number, expected: Uint8Array): boolean {
    if (offset + expected.length > this.length) return false;
    for (let index = 0; index < expected.length; index++) {
      if (this.#bytes[offset + index] !== expected[index]) return false;
    }
    return true;
  }

  #need(offset: number, width: number): void {
    if (offset + width > this.length) throw new BytesEnded(offset + width, this.length);
  }
}

/** A read of 64 bits or more makes an object, also of zero, which most fields of a decoded pool are: they share one. */
function sharedZero(value: bigint): bigint {
  return value === 0n ? ZERO : value;
}

/** Eight discriminator bytes from their hex text. @throws where the text is not hex: our own mistake */
export function discriminator(hex: string): Uint8Array {
  if (!/^(?:[0-9a-f]{2})+$/.test(hex)) throw new TypeError(`not hex: ${hex}`);
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
