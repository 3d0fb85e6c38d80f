/** Before each message: whether it is compressed, and its length. */
const HEAD_BYTES = 5;
const MOST_BYTES = 64 * 1024 * 1024;

/** A message as gRPC sends it: uncompressed, with its length. */
export function grpcFrame(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(HEAD_BYTES + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, HEAD_BYTES);
  return frame;
}

/**
 * Divides the bytes of a gRPC stream into messages, which it hands on where they are. Only a message that two chunks
 * share is copied.
 */
export class GrpcFrames {
  readonly #onMessage: (bytes: Buffer, start: number, end: number) => void;
  /** The parts of a message that is not whole yet. */
  #parts: Buffer[] = [];
  #heldBytes = 0;
  /** The bytes that it has, as far as its head is there; else those of the head. */
  #neededBytes = HEAD_BYTES;

  constructor(onMessage: (bytes: Buffer, start: number, end: number) => void) {
    this.#onMessage = onMessage;
  }

  /** @throws RangeError for a message that is compressed or too long; what the listener throws */
  add(chunk: Buffer): void {
    let at = 0;
    while (this.#heldBytes > 0) {
      const end = Math.min(at + this.#neededBytes - this.#heldBytes, chunk.length);
      this.#hold(chunk.subarray(at, end));
      at = end;
      if (this.#heldBytes < this.#neededBytes) return;
      this.#passWhole();
    }
    while (at < chunk.length) {
      const needed = neededAt(chunk, at);
      if (chunk.length - at < needed) {
        this.#neededBytes = needed;
        this.#hold(chunk.subarray(at));
        return;
      }
      const start = at + HEAD_BYTES;
      at += needed;
      this.#onMessage(chunk, start, at);
    }
  }

  #hold(part: Buffer): void {
    this.#parts.push(part);
    this.#heldBytes += part.length;
  }

  /** Hands on what is held, or reads from its head how much more is needed. */
  #passWhole(): void {
    const bytes = Buffer.concat(this.#parts);
    this.#neededBytes = neededAt(bytes, 0);
    if (bytes.length < this.#neededBytes) {
      this.#parts = [bytes];
      return;
    }
    this.#parts = [];
    this.#heldBytes = 0;
    this.#onMessage(bytes, HEAD_BYTES, bytes.length);
  }
}

/** The bytes of the message that begins there with its head; as far as they are there: of the head alone. */
function neededAt(bytes: Buffer, at: number): number {
  if (bytes.length - at < HEAD_BYTES) return HEAD_BYTES;
  if (bytes[at] !== 0) throw new RangeError("the message is compressed");
  const length = bytes.readUInt32BE(at + 1);
  if (length > MOST_BYTES) throw new RangeError(`the message has ${length} bytes`);
  return HEAD_BYTES + length;
}
