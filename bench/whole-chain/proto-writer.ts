const CAPACITY = 1 << 20;
const WIRE_VARINT = 0;
const WIRE_BYTES = 2;

/**
 * Writes protobuf messages from their end to their beginning: the length of a nested message is then known
 * when it is written. Fields are added last one first.
 */
export class ProtoWriter {
  readonly #buffer = Buffer.allocUnsafeSlow(CAPACITY);
  #at = CAPACITY;

  /** Where the next nested message ends. */
  get end(): number {
    return this.#at;
  }

  /** The message written since the last call. */
  take(): Buffer {
    const message = Buffer.from(this.#buffer.subarray(this.#at));
    this.#at = CAPACITY;
    return message;
  }

  uint(field: number, value: number): void {
    if (value === 0) return;
    this.#varint(value);
    this.#varint(field * 8 + WIRE_VARINT);
  }

  /** The largest 64-bit number, which no double can hold. */
  largest(field: number): void {
    this.#at -= 10;
    this.#buffer.fill(0xff, this.#at, this.#at + 9);
    this.#buffer[this.#at + 9] = 1;
    this.#varint(field * 8 + WIRE_VARINT);
  }

  bytes(field: number, value: Uint8Array): void {
    this.#at -= value.length;
    this.#buffer.set(value, this.#at);
    this.#varint(value.length);
    this.#varint(field * 8 + WIRE_BYTES);
  }

  /** Text of single-byte characters. */
  text(field: number, value: string): void {
    this.#at -= value.length;
    this.#buffer.write(value, this.#at, "latin1");
    this.#varint(value.length);
    this.#varint(field * 8 + WIRE_BYTES);
  }

  /** Makes what was written since `end` a nested message. */
  nest(field: number, end: number): void {
    this.#varint(end - this.#at);
    this.#varint(field * 8 + WIRE_BYTES);
  }

  #varint(value: number): void {
    let length = 1;
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) length++;
    this.#at -= length;
    let rest = value;
    for (let index = 0; index < length - 1; index++) {
      this.#buffer[this.#at + index] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.#buffer[this.#at + length - 1] = rest;
  }
}
