import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type RawData, WebSocket, WebSocketServer } from "ws";

export type NodeUrls = { readonly httpUrl: string; readonly wsUrl: string };

/**
 * A proxy between a chain source and its node that fails on command: cut, frozen, dropping
 * notifications, or reading from another node that lags behind. Its address stays the same.
 */
export class FaultyLink {
  /** Whether the n-th notification of a connection (from 1) is lost on its way. */
  losesNotification: (n: number) => boolean = () => false;
  /** Called with the number of WebSocket connections so far, at each new one. */
  onConnection: (connections: number) => void = () => {};
  readonly #node: NodeUrls;
  /** Where HTTP reads go. */
  #reads: NodeUrls;
  #port = 0;
  #server: ReturnType<typeof createServer> | null = null;
  #sockets: WebSocketServer | null = null;
  /** What was held back while frozen, in order; null: not frozen. */
  #held: (() => void)[] | null = null;
  connections = 0;

  constructor(node: NodeUrls) {
    this.#node = node;
    this.#reads = node;
  }

  get urls(): NodeUrls {
    return { httpUrl: `http://127.0.0.1:${this.#port}`, wsUrl: `ws://127.0.0.1:${this.#port}` };
  }

  /** Opens it, on the port that it had before. */
  async open(): Promise<void> {
    const server = createServer((request, response) => this.#forward(request, response));
    const sockets = new WebSocketServer({ server });
    sockets.on("connection", (client) => this.#bridge(client));
    await new Promise<void>((resolve) => server.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
    this.#sockets = sockets;
  }

  /** Cuts every connection and refuses new ones, until `open`. */
  async cut(): Promise<void> {
    for (const client of this.#sockets?.clients ?? []) client.terminate();
    this.#sockets?.close();
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }

  /** Holds back everything, both ways, with connections left open. */
  freeze(): void {
    this.#held ??= [];
  }

  /** Delivers, late, what was held back. */
  thaw(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const deliver of held) deliver();
  }

  /** Sends reads to another node from now on; subscriptions stay where they are. */
  readFrom(node: NodeUrls): void {
    this.#reads = node;
  }

  #pass(deliver: () => void): void {
    if (this.#held === null) deliver();
    else this.#held.push(deliver);
  }

  #forward(request: IncomingMessage, response: ServerResponse): void {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () =>
      this.#pass(() => {
        const body = Buffer.concat(parts);
        fetch(this.#reads.httpUrl, { method: "POST", body })
          .then(async (answer) => {
            const text = await answer.text();
            this.#pass(() => response.writeHead(answer.status).end(text));
          })
          .catch(() => response.destroy());
      }),
    );
  }

  #bridge(client: WebSocket): void {
    this.connections++;
    this.onConnection(this.connections);
    const upstream = new WebSocket(this.#node.wsUrl);
    const waiting: string[] = [];
    let notifications = 0;
    client.on("message", (data) => {
      const text = String(data);
      this.#pass(() => {
        if (upstream.readyState === WebSocket.OPEN) upstream.send(text);
        else waiting.push(text);
      });
    });
    upstream.on("open", () => {
      for (const text of waiting) upstream.send(text);
    });
    upstream.on("message", (data: RawData) => {
      const text = String(data);
      const isNotification = text.includes('Notification"') && !text.includes('"slotNotification"');
      if (isNotification && this.losesNotification(++notifications)) return;
      this.#pass(() => client.send(text));
    });
    client.on("close", () => upstream.terminate());
    upstream.on("close", () => client.terminate());
    upstream.on("error", () => client.terminate());
    client.on("error", () => upstream.terminate());
  }
}
