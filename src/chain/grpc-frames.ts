/** Before each message: whether it is compressed, and its length. */
const HEAD = 5;
const LONGEST_MESSAGE = 64 * 1024 * 1024;

/** A message as gRPC sends it: uncompressed, with its length. */
export function grpcFrame(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(HEAD + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, HEAD);
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
  #held = 0;
  /** The bytes that it has, as far as its head is there; else those of the head. */
  #needed = HEAD;

  constructor(onMessage: (bytes: Buffer, start: number, end: number) => void) {
    this.#onMessage = onMessage;
  }

  /** @throws RangeError for a message that is compressed or too long; what the listener throws */
  add(chunk: Buffer): void {
    let at = 0;
    while (this.#held > 0) {
      const end = Math.min(at + this.#needed - this.#held, chunk.length);
      this.#hold(chunk.subarray(at, end));
      at = end;
      if (this.#held < this.#needed) return;
      this.#passWhole();
    }
    while (at < chunk.length) {
      const needed = neededAt(chunk, at);
      if (chunk.length - at < needed) {
        this.#needed = needed;
        this.#hold(chunk.subarray(at));
        return;
      }
      const start = at + HEAD;
      at += needed;
      this.#onMessage(chunk, start, at);
    }
  }

  #hold(part: Buffer): void {
    this.#parts.push(part);
    this.#held += part.length;
  }

  /** Hands on what is held, or learns from its head how much more is needed. */
  #passWhole(): void {
    const bytes = Buffer.concat(this.#parts);
    this.#needed = neededAt(bytes, 0);
    if (bytes.length < this.#needed) {
      this.#parts = [bytes];
      return;
    }
    this.#parts = [];
    this.#held = 0;
    this.#onMessage(bytes, HEAD, bytes.length);
  }
}

/** The bytes of the message that begins there with its head; as far as they are there: of the head alone. */
function neededAt(bytes: Buffer, at: number): number {
  if (bytes.length - at < HEAD) return HEAD;
  if (bytes[at] !== 0) throw new RangeError("the message is compressed");
  const length = bytes.readUInt32BE(at + 1);
  if (length > LONGEST_MESSAGE) throw new RangeError(`the message has ${length} bytes`);
  return HEAD + length;
}
