import type { SubscribeUpdate, SubscribeUpdateTransaction } from "@triton-one/yellowstone-grpc";

/** A stream's message about a transaction. It is decoded when it is first read: most are of no interest. */
export class UndecodedTransaction {
  /** The whole message, as part of what was read with it. */
  readonly bytes: Buffer;
  readonly #decode: (bytes: Uint8Array) => SubscribeUpdate;
  #decoded: SubscribeUpdate | null = null;

  constructor(bytes: Buffer, decode: (bytes: Uint8Array) => SubscribeUpdate) {
    this.bytes = bytes;
    this.#decode = decode;
  }

  /** @throws RangeError where the bytes are not a protobuf message */
  get message(): SubscribeUpdateTransaction | undefined {
    // A copy: what is decoded shares its bytes, and is kept by those who judge it.
    this.#decoded ??= this.#decode(Buffer.from(this.bytes));
    return this.#decoded.transaction;
  }
}
