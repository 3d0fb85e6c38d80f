import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { answerText, type MethodCall } from "./json-rpc-server.ts";
import type { Ledger } from "./ledger.ts";
import { RpcError } from "./rpc-error.ts";
import { RPC_METHODS, type RpcMethod } from "./rpc-methods.ts";
import { SubscriptionIndex } from "./subscriptions.ts";

/** The largest request that a real node accepts. */
const MAX_REQUEST_BYTES = 50 * 1024;
/** A connection with more unsent bytes than this is closed. */
const MAX_UNSENT_BYTES = 32 * 1024 * 1024;

export type LocalNode = {
  /** Port 0: any free port. */
  readonly listen: (port?: number, host?: string) => Promise<LocalNodeUrls>;
  readonly close: () => Promise<void>;
};

export type LocalNodeUrls = { readonly httpUrl: string; readonly wsUrl: string };

/**
 * A Solana JSON-RPC node in this process, over one ledger: HTTP and WebSocket on one port, with the
 * answers of a real node. It runs no programs and accepts no transactions. `methods` replaces the methods
 * that are served over HTTP, for example by methods with an index.
 */
export function createLocalNode({
  ledger,
  methods = RPC_METHODS,
}: {
  readonly ledger: Ledger;
  readonly methods?: ReadonlyMap<string, RpcMethod>;
}): LocalNode {
  const index = new SubscriptionIndex(ledger);
  const call: MethodCall = (method, params) => {
    const answer = methods.get(method);
    if (answer === undefined) throw new RpcError(-32601, "Method not found");
    return answer(ledger, params);
  };
  const server = createServer((request, response) => answerHttp(call, request, response));
  const sockets = new WebSocketServer({
    server,
    maxPayload: MAX_REQUEST_BYTES,
    perMessageDeflate: false,
  });
  sockets.on("connection", (socket) => serveSocket(call, index, socket));
  let stopListening = () => {};

  async function listen(port = 0, host = "127.0.0.1"): Promise<LocalNodeUrls> {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, host, resolve);
    });
    stopListening = ledger.listen(index);
    const { port: taken } = server.address() as AddressInfo;
    const authority = host.includes(":") ? `[${host}]:${taken}` : `${host}:${taken}`;
    return { httpUrl: `http://${authority}`, wsUrl: `ws://${authority}` };
  }

  async function close(): Promise<void> {
    stopListening();
    for (const socket of sockets.clients) socket.terminate();
    sockets.close();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }

  return { listen, close };
}

function answerHttp(call: MethodCall, request: IncomingMessage, response: ServerResponse): void {
  if (request.method === "GET" && request.url === "/health") {
    response.writeHead(200, { "content-type": "text/plain" }).end("ok");
    return;
  }
  if (request.method !== "POST") {
    response
      .writeHead(405, { "content-type": "text/plain", allow: "POST" })
      .end("Used HTTP Method is not allowed. POST or OPTIONS is required\n");
    return;
  }
  const parts: Buffer[] = [];
  let length = 0;
  request.on("data", (part: Buffer) => {
    length += part.length;
    if (length <= MAX_REQUEST_BYTES) parts.push(part);
    else if (!response.headersSent) {
      response.writeHead(413, { connection: "close" }).end();
      request.destroy();
    }
  });
  request.on("end", () => {
    if (response.headersSent) return;
    const text = Buffer.concat(parts).toString("utf8");
    const answer = answerText(text, call) ?? "";
    response.writeHead(200, { "content-type": "application/json; charset=utf-8" }).end(answer);
  });
  request.on("error", () => response.destroy());
}

function serveSocket(call: MethodCall, index: SubscriptionIndex, socket: WebSocket): void {
  const send = (text: string) => {
    if (socket.bufferedAmount > MAX_UNSENT_BYTES) socket.terminate();
    else if (socket.readyState === socket.OPEN) socket.send(text);
  };
  const subscriptions = index.connect(send);
  socket.on("message", (data) => {
    const answer = answerText(
      String(data),
      (method, params) => subscriptions.call(method, params) ?? call(method, params),
    );
    if (answer !== null) send(answer);
  });
  socket.on("close", () => subscriptions.close());
  // A broken frame closes the socket; an unhandled event would end the process.
  socket.on("error", () => socket.terminate());
}
