/** Wire types of protobuf. */
const VARINT = 0;
const FIXED64 = 1;
const DELIMITED = 2;
const FIXED32 = 5;

const WIRE_TYPE_BITS = 3;
const WIRE_TYPES = (1 << WIRE_TYPE_BITS) - 1;
const VARINT_BITS = 7;
const CONTINUES = 1 << VARINT_BITS;
const LONGEST_VARINT = 10;
/** A varint is kept as two safe integers: its lowest 28 bits, and the rest. */
const LOW_BITS = 28;
const LOW_BYTES = LOW_BITS / VARINT_BITS;

/**
 * Reads the fields of a protobuf message one after another. It is kept and used again: of thousands of messages a
 * second none takes an object.
 */
export class ProtoFields {
  /** Of the last field that was read. */
  field = 0;
  /** Its content, if it has a length: [start, end) of the bytes; both 0 where it has none. */
  start = 0;
  end = 0;
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;
  #limit = 0;
  #low = 0;
  #high = 0;

  /** Begins with a message that is at [start, end) of the bytes. */
  enter(bytes: Uint8Array, start: number, end: number): void {
    this.#bytes = bytes;
    this.#at = start;
    this.#limit = end;
  }

  /** @returns whether there was another field. @throws RangeError where the bytes are not a protobuf message */
  next(): boolean {
    if (this.#at >= this.#limit) return false;
    this.#readVarint();
    const tag = this.number;
    this.field = Math.floor(tag / (WIRE_TYPES + 1));
    this.start = 0;
    this.end = 0;
    this.#readContent(tag & WIRE_TYPES);
    return true;
  }

  /** The varint of the last field, 0 if it is another; exact below 2^53. */
  get number(): number {
    return this.#high * 2 ** LOW_BITS + this.#low;
  }

  /** The same modulo 2^64. */
  get u64(): bigint {
    const { number } = this;
    if (number <= Number.MAX_SAFE_INTEGER) return BigInt(number);
    return BigInt.asUintN(64, (BigInt(this.#high) << BigInt(LOW_BITS)) | BigInt(this.#low));
  }

  #readContent(wireType: number): void {
    switch (wireType) {
      case VARINT:
        this.#readVarint();
        return;
      case FIXED64:
        this.#skip(8);
        break;
      case FIXED32:
        this.#skip(4);
        break;
      case DELIMITED:
        this.#readVarint();
        this.start = this.#at;
        this.#skip(this.number);
        this.end = this.#at;
        break;
      default:
        throw new RangeError(`a field has the unknown wire type ${wireType}`);
    }
    this.#low = 0;
    this.#high = 0;
  }

  #skip(length: number): void {
    if (length > this.#limit - this.#at) throw new RangeError("a field is longer than its message");
    this.#at += length;
  }

  #readVarint(): void {
    let low = 0;
    let high = 0;
    for (let place = 0; place < LONGEST_VARINT; place++) {
      if (this.#at >= this.#limit) throw new RangeError("a number ends before its last byte");
      const byte = this.#bytes[this.#at++] ?? 0;
      const bits = byte & (CONTINUES - 1);
      if (place < LOW_BYTES) low |= bits << (place * VARINT_BITS);
      else high += bits * 2 ** ((place - LOW_BYTES) * VARINT_BITS);
      if (byte < CONTINUES) {
        this.#low = low;
        this.#high = high;
        return;
      }
    }
    throw new RangeError("a number is longer than 64 bits");
  }
}
