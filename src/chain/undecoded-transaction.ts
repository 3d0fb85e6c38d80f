import type { SubscribeUpdate, SubscribeUpdateTransaction } from "@triton-one/yellowstone-grpc";

/** An update of a stream. A transaction is decoded when it is first read: most are of no interest. */
export type GeyserUpdate = Omit<SubscribeUpdate, "transaction"> & {
  readonly transaction?: SubscribeUpdateTransaction | undefined;
  /** The whole message of a transaction, not decoded; absent: it is another update. */
  readonly transactionBytes?: Buffer;
};

/** Fields of SubscribeUpdate in geyser.proto. */
const FILTERS = 1;
const TRANSACTION = 4;
/** Wire type of text, bytes and messages: a length, then so many bytes. */
const LENGTH_DELIMITED = 2;
const WIRE_TYPE_BITS = 3;

type Decode = (bytes: Uint8Array) => SubscribeUpdate;

/** The update in these bytes; `decode` of a transaction may throw later, when it is read. */
export function updateOf(bytes: Buffer, decode: Decode): GeyserUpdate {
  return isTransaction(bytes) ? new UndecodedTransaction(bytes, decode) : decode(bytes);
}

/** Servers write fields in their order: the names of filters, then the update. Any other order is decoded at once. */
function isTransaction(bytes: Buffer): boolean {
  let at = 0;
  while (bytes[at] === tagOf(FILTERS)) {
    const length = bytes[at + 1] ?? 0;
    // A longer name has a length of several bytes: ours are shorter.
    if (length > 127) return false;
    at += 2 + length;
  }
  return bytes[at] === tagOf(TRANSACTION);
}

function tagOf(field: number): number {
  return (field << WIRE_TYPE_BITS) | LENGTH_DELIMITED;
}

class UndecodedTransaction implements GeyserUpdate {
  readonly filters: string[] = [];
  readonly account: undefined;
  readonly slot: undefined;
  readonly transactionStatus: undefined;
  readonly block: undefined;
  readonly ping: undefined;
  readonly pong: undefined;
  readonly blockMeta: undefined;
  readonly entry: undefined;
  readonly createdAt: undefined;
  readonly transactionBytes: Buffer;
  readonly #decode: Decode;
  #decoded: SubscribeUpdate | null = null;

  constructor(bytes: Buffer, decode: Decode) {
    this.transactionBytes = bytes;
    this.#decode = decode;
  }

  get transaction(): SubscribeUpdateTransaction | undefined {
    this.#decoded ??= this.#decode(this.transactionBytes);
    return this.#decoded.transaction;
  }
}
