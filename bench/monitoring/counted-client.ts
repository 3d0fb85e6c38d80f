import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import { connect, type Socket, type TcpNetConnectOpts } from "node:net";
import { brotliDecompressSync } from "node:zlib";

/** What went over the wire: every byte of HTTP, headers included, without TCP's own. */
export type Traffic = {
  readonly requests: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
};

export type Asked = {
  readonly apiKey: string;
  readonly encoding: "br" | "identity";
  readonly body?: object;
  readonly ifNoneMatch?: string | undefined;
};

export type Answered = {
  readonly status: number;
  readonly etag: string | undefined;
  /** Null if the answer has no Retry-After. */
  readonly retryAfterSeconds: number | null;
  readonly text: string;
};

export type StreamEvent = { readonly event: string; readonly data: string };

/** Connections that stay open, and remember the sockets they made. */
class CountingAgent extends Agent {
  readonly made: Socket[] = [];

  override createConnection(options: TcpNetConnectOpts): Socket {
    const socket = connect(options);
    this.made.push(socket);
    return socket;
  }
}

/** A plain HTTP client that counts its requests and its bytes, as any integrator's would send them. */
export class CountedClient {
  readonly #url: string;
  readonly #agent: CountingAgent;
  readonly #open = new Set<ClientRequest>();
  #requests = 0;

  constructor(url: string, connections: number) {
    this.#url = url;
    this.#agent = new CountingAgent({ keepAlive: true, maxSockets: connections });
  }

  get traffic(): Traffic {
    const sockets = this.#agent.made;
    return {
      requests: this.#requests,
      sentBytes: sockets.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0),
      receivedBytes: sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0),
    };
  }

  async ask(path: string, asked: Asked): Promise<Answered> {
    const response = await this.#send(path, asked);
    const parts: Buffer[] = [];
    for await (const part of response) parts.push(part);
    const bytes = Buffer.concat(parts);
    const isPacked = response.headers["content-encoding"] === "br";
    const text = (isPacked ? brotliDecompressSync(bytes) : bytes).toString("utf8");
    return { ...answeredBy(response), text };
  }

  /**
   * Opens a stream of server-sent events, which is read until the client is closed; or says that it
   * was refused.
   */
  async follow(
    path: string,
    asked: Asked,
    onEvent: (event: StreamEvent) => void,
  ): Promise<Pick<Answered, "status" | "retryAfterSeconds">> {
    const response = await this.#send(path, asked);
    const opened = answeredBy(response);
    if (opened.status !== 200) {
      response.resume();
      return opened;
    }
    let unread = "";
    response.setEncoding("utf8").on("data", (text: string) => {
      const blocks = (unread + text).split("\n\n");
      unread = blocks.pop() ?? "";
      for (const block of blocks) onEvent(eventOf(block));
    });
    // Cut off by `close`: nothing is left to read.
    response.on("error", () => undefined);
    return opened;
  }

  close(): void {
    for (const open of this.#open) open.destroy();
    this.#agent.destroy();
  }

  async #send(path: string, asked: Asked): Promise<IncomingMessage> {
    this.#requests++;
    for (;;) {
      const { sent, response } = this.#sendOnce(path, asked);
      try {
        return await response;
      } catch (error) {
        // The server had just closed the connection, which was idle: it never saw the request.
        if (!sent.reusedSocket) throw error;
      }
    }
  }

  #sendOnce(path: string, { apiKey, encoding, body, ifNoneMatch }: Asked) {
    const payload = body === undefined ? null : JSON.stringify(body);
    const sent = request(this.#url + path, {
      method: payload === null ? "GET" : "POST",
      agent: this.#agent,
      headers: {
        "x-api-key": apiKey,
        "accept-encoding": encoding,
        ...(payload && { "content-type": "application/json", "content-length": payload.length }),
        ...(ifNoneMatch !== undefined && { "if-none-match": ifNoneMatch }),
      },
    });
    this.#open.add(sent);
    sent.on("close", () => this.#open.delete(sent));
    const response = new Promise<IncomingMessage>((resolve, reject) => {
      sent.on("response", resolve).on("error", reject).end(payload);
    });
    return { sent, response };
  }
}

function answeredBy({ statusCode, headers }: IncomingMessage): Omit<Answered, "text"> {
  const { etag, "retry-after": retryAfter } = headers;
  const retryAfterSeconds = retryAfter === undefined ? null : Number(retryAfter);
  return { status: statusCode ?? 0, etag, retryAfterSeconds };
}

function eventOf(block: string): StreamEvent {
  const fields = block.split("\n").map((line) => line.split(/: (.*)/s).slice(0, 2));
  const { event = "message", data = "" } = Object.fromEntries(fields);
  return { event, data };
}
