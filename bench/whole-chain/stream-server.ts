import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { SubscribeRequest } from "@triton-one/yellowstone-grpc";
import { StreamFilters } from "./stream-filters.ts";
import {
  filterNames,
  pongMessage,
  SLOT_STATUS,
  type StreamMessage,
  slotMessage,
} from "./stream-messages.ts";

type Client = {
  readonly stream: ServerHttp2Stream;
  filters: StreamFilters | null;
  isProcessed: boolean;
  /** Updates that the client has not taken yet. */
  unsent: number;
};

export type StreamCounts = {
  /** Updates sent to all clients, and their bytes. */
  readonly messages: number;
  readonly bytes: number;
  /** Of one client, the most updates that waited at once. */
  readonly mostUnsent: number;
  /** Clients that were disconnected because too many updates waited. */
  readonly lagged: number;
  readonly requests: number;
  readonly requestBytes: number;
};

const HEAD = 5;
const PATH = "/geyser.Geyser/Subscribe";
/** Updates that wait for a client before it is disconnected: the capacity of Yellowstone's channel. */
const MOST_UNSENT = 250_000;
const SLOTS_FILTER = "slots";
/** gRPC's status for a call that was ended by the server's own limits. */
const RESOURCE_EXHAUSTED = "8";

/**
 * A Yellowstone gRPC server that sends the updates of a moment as one write. It is written on HTTP/2
 * itself: a gRPC library needs tens of microseconds for each update, which is the time of a whole swap.
 */
export class StreamServer {
  readonly #clients = new Set<Client>();
  readonly #server: Http2Server = createServer();
  #messages = 0;
  #bytes = 0;
  #mostUnsent = 0;
  #lagged = 0;
  #requests = 0;
  #requestBytes = 0;

  constructor() {
    this.#server.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
      if (headers[":path"] !== PATH) {
        stream.respond({ ":status": 404 });
        stream.end();
        return;
      }
      this.#serve(stream);
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  get clientCount(): number {
    return this.#clients.size;
  }

  /** Counts since the last call. */
  takeCounts(): StreamCounts {
    const counts = {
      ...{ messages: this.#messages, bytes: this.#bytes, mostUnsent: this.#mostUnsent },
      ...{ lagged: this.#lagged, requests: this.#requests, requestBytes: this.#requestBytes },
    };
    this.#messages = 0;
    this.#bytes = 0;
    this.#mostUnsent = 0;
    this.#lagged = 0;
    this.#requests = 0;
    this.#requestBytes = 0;
    return counts;
  }

  /** Sends each client what its filters accept. */
  send(messages: readonly StreamMessage[]): void {
    for (const client of this.#clients) this.#sendTo(client, messages);
  }

  /** Ends a slot: it is processed, and confirmed, at this moment. `parent`: the slot that was sent before it. */
  endSlot(slot: number, parent: number): void {
    for (const client of this.#clients) {
      if (client.filters?.wantsSlots !== true) continue;
      const statuses = client.isProcessed
        ? [SLOT_STATUS.processed, SLOT_STATUS.confirmed]
        : [SLOT_STATUS.confirmed];
      const names = filterNames([SLOTS_FILTER]);
      for (const status of statuses)
        this.#write(client, framed([[names, slotMessage(slot, parent, status)]]), 1);
    }
  }

  close(): void {
    for (const { stream } of this.#clients) stream.destroy();
    this.#server.close();
  }

  #sendTo(client: Client, messages: readonly StreamMessage[]): void {
    const { filters } = client;
    if (filters === null) return;
    const parts: (readonly [Buffer, Buffer])[] = [];
    for (const message of messages) {
      const prefix = filters.prefixOf(message);
      if (prefix !== null) parts.push([prefix, message.body]);
    }
    if (parts.length > 0) this.#write(client, framed(parts), parts.length);
  }

  #write(client: Client, bytes: Buffer, count: number): void {
    const { stream } = client;
    if (stream.destroyed || stream.writableEnded) return;
    client.unsent += count;
    this.#messages += count;
    this.#bytes += bytes.length;
    this.#mostUnsent = Math.max(this.#mostUnsent, client.unsent);
    stream.write(bytes, () => {
      client.unsent -= count;
    });
    if (client.unsent <= MOST_UNSENT) return;
    this.#lagged++;
    this.#clients.delete(client);
    stream.close();
  }

  #serve(stream: ServerHttp2Stream): void {
    const client: Client = { stream, filters: null, isProcessed: false, unsent: 0 };
    this.#clients.add(client);
    stream.respond(
      { ":status": 200, "content-type": "application/grpc" },
      { waitForTrailers: true },
    );
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": RESOURCE_EXHAUSTED }));
    // Joined once they hold a whole request, which may have megabytes.
    let chunks: Buffer[] = [];
    let length = 0;
    let needed = HEAD;
    stream.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      while (length >= needed) {
        const bytes = Buffer.concat(chunks);
        const end = HEAD + bytes.readUInt32BE(1);
        if (length >= end) this.#receive(client, bytes.subarray(HEAD, end));
        const isWhole = length >= end;
        chunks = [isWhole ? bytes.subarray(end) : bytes];
        length = isWhole ? length - end : length;
        needed = isWhole ? HEAD : end;
      }
    });
    stream.on("error", () => undefined);
    stream.on("close", () => this.#clients.delete(client));
    stream.on("end", () => stream.end());
  }

  #receive(client: Client, bytes: Buffer): void {
    this.#requests++;
    this.#requestBytes += bytes.length;
    const request = SubscribeRequest.decode(bytes);
    if (request.ping !== undefined) {
      this.#write(client, framed([[Buffer.alloc(0), pongMessage(request.ping.id)]]), 1);
      return;
    }
    client.isProcessed = request.commitment === SLOT_STATUS.processed;
    client.filters = new StreamFilters(request);
  }
}

/** Updates with gRPC's head before each: no compression, and its length. */
function framed(parts: readonly (readonly [names: Buffer, body: Buffer])[]): Buffer {
  const total = parts.reduce((sum, [names, body]) => sum + HEAD + names.length + body.length, 0);
  const bytes = Buffer.allocUnsafe(total);
  let at = 0;
  for (const [names, body] of parts) {
    bytes[at] = 0;
    bytes.writeUInt32BE(names.length + body.length, at + 1);
    names.copy(bytes, at + HEAD);
    body.copy(bytes, at + HEAD + names.length);
    at += HEAD + names.length + body.length;
  }
  return bytes;
}
