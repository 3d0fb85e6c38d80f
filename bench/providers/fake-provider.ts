import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { WebSocket, WebSocketServer } from "ws";
import { answerText } from "#src/node/json-rpc-server.ts";
import type { Ledger } from "#src/node/ledger.ts";
import { createLocalNode, type LocalNodeUrls } from "#src/node/node.ts";
import { RPC_METHODS } from "#src/node/rpc-methods.ts";
import type { ProviderPlan, RateLimit, Refusal } from "./plans.ts";

export type ProviderCounts = {
  readonly calls: Map<string, number>;
  /** Calls refused because of a rate limit. */
  rateRefused: number;
  refusedSubscriptions: number;
  webSocketBytes: number;
  /** The same by the kind of message. */
  readonly bytesByKind: Map<string, number>;
};

export type FakeProvider = LocalNodeUrls & {
  /** The counts since the last call of it. */
  readonly takeCounts: () => ProviderCounts;
  /** The calls since this function was last called, in order. */
  readonly takeTrace: () => readonly TracedCall[];
  readonly close: () => Promise<void>;
};

/** One call as the provider received it. */
export type TracedCall = {
  readonly atMs: number;
  readonly method: string;
  /** The accounts of a read, the program of a search, else the first parameter. */
  readonly about: string;
  readonly outcome: "answered" | "rate" | "refused";
};

type Request = { readonly id: unknown; readonly method: string; readonly params: unknown[] };

/**
 * An RPC provider over a ledger, with a plan's limits: replies in Agave's formats, refusals as the
 * provider words them. Counts every call, the refused ones too.
 */
export async function openFakeProvider(ledger: Ledger, plan: ProviderPlan): Promise<FakeProvider> {
  const node = createLocalNode({ ledger });
  const inner = await node.listen();
  let counts = newCounts();
  let trace: TracedCall[] = [];
  const limiters = plan.limits.map((limit) => new Limiter(limit));

  const server = createServer((incoming, response) => {
    void bodyOf(incoming)
      .then((text) => answer(JSON.parse(text), response))
      .catch(() => response.destroy());
  });

  async function answer(request: Request, response: ServerResponse): Promise<void> {
    const { method } = request;
    counts.calls.set(method, (counts.calls.get(method) ?? 0) + 1);
    const own = limiters.filter((limiter) => limiter.counts(method));
    const hasRoom = own.every((limiter) => limiter.hasRoom());
    const refusal = plan.refused.get(method);
    const outcome = !hasRoom ? "rate" : refusal === undefined ? "answered" : "refused";
    trace.push({ atMs: performance.now(), method, about: aboutOf(request), outcome });
    if (!hasRoom) {
      counts.rateRefused++;
      await delay(plan.latencyMs);
      refuseForRate(plan, request, response);
      return;
    }
    for (const limiter of own) limiter.take();
    if (refusal?.kind === "hang") return;
    const isSearch = method.startsWith("getProgramAccounts");
    await delay(isSearch && refusal === undefined ? plan.searchLatencyMs : plan.latencyMs);
    if (refusal !== undefined) refuse(refusal, request, response);
    else send(response, 200, resultText(ledger, plan, request));
  }

  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  sockets.on("connection", (socket) => {
    if (sockets.clients.size > plan.connections) {
      socket.close(1008, "too many connections");
      return;
    }
    const upstream = new WebSocket(inner.wsUrl, { perMessageDeflate: false });
    const waiting: string[] = [];
    let subscriptions = 0;
    upstream.on("open", () => {
      for (const text of waiting.splice(0)) upstream.send(text);
    });
    upstream.on("message", (data) => {
      const text = String(data);
      counts.webSocketBytes += text.length;
      const kind = /"method":"(\w+)"/.exec(text)?.[1] ?? "reply";
      counts.bytesByKind.set(kind, (counts.bytesByKind.get(kind) ?? 0) + text.length);
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    });
    socket.on("message", (data) => {
      const text = String(data);
      const { id, method } = JSON.parse(text) as Request;
      if (method.endsWith("Unsubscribe")) subscriptions--;
      else if (++subscriptions > plan.subscriptionsPerConnection) {
        subscriptions--;
        counts.refusedSubscriptions++;
        socket.send(errorText(id, -32006, "subscription limit reached"));
        return;
      }
      if (upstream.readyState === WebSocket.OPEN) upstream.send(text);
      else waiting.push(text);
    });
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      one.on("close", () => other.terminate());
      one.on("error", () => other.terminate());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  return {
    httpUrl: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}`,
    takeCounts: () => {
      const taken = counts;
      counts = newCounts();
      return taken;
    },
    takeTrace: () => {
      const taken = trace;
      trace = [];
      return taken;
    },
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await node.close();
    },
  };
}

function newCounts(): ProviderCounts {
  return {
    calls: new Map(),
    rateRefused: 0,
    refusedSubscriptions: 0,
    webSocketBytes: 0,
    bytesByKind: new Map(),
  };
}

function aboutOf({ params: [first] }: Request): string {
  return Array.isArray(first) ? `${first.length} accounts` : String(first);
}

/** A token bucket. */
class Limiter {
  readonly #limit: RateLimit;
  #tokens: number;
  #atMs = performance.now();

  constructor(limit: RateLimit) {
    this.#limit = limit;
    this.#tokens = limit.calls;
  }

  counts(method: string): boolean {
    return this.#limit.methods?.includes(method) ?? true;
  }

  hasRoom(): boolean {
    const { calls, perSeconds } = this.#limit;
    const nowMs = performance.now();
    const refilled = ((nowMs - this.#atMs) / 1_000) * (calls / perSeconds);
    this.#tokens = Math.min(calls, this.#tokens + refilled);
    this.#atMs = nowMs;
    return this.#tokens >= 1;
  }

  take(): void {
    this.#tokens--;
  }
}

function resultText(ledger: Ledger, plan: ProviderPlan, request: Request): string {
  const { method, params } = request;
  if (method === "getMultipleAccounts") {
    const [addresses] = params;
    if (Array.isArray(addresses) && addresses.length > plan.maxAccounts) {
      return errorText(request.id, -32602, `Too many inputs provided; max ${plan.maxAccounts}`);
    }
  }
  if (method !== "getProgramAccountsV2" || !plan.hasSearchV2) return callText(ledger, request);
  const [program, config] = params;
  const search = { ...Object(config), withContext: true };
  const whole = JSON.parse(
    callText(ledger, { ...request, method: "getProgramAccounts", params: [program, search] }),
  );
  if (whole.result === undefined) return JSON.stringify(whole);
  const { context, value } = whole.result;
  const page = { accounts: value, paginationKey: null, totalResults: value.length };
  return JSON.stringify({ ...whole, result: { context, value: page } });
}

function callText(ledger: Ledger, request: Request): string {
  const text = answerText(JSON.stringify({ jsonrpc: "2.0", ...request }), (method, params) => {
    const call = RPC_METHODS.get(method);
    if (call === undefined) throw new Error("no such method");
    return call(ledger, params);
  });
  const isUnknown = !RPC_METHODS.has(request.method);
  return isUnknown ? errorText(request.id, -32601, "Method not found") : (text ?? "");
}

function refuseForRate(plan: ProviderPlan, { id }: Request, response: ServerResponse): void {
  const { rateRefusal } = plan;
  if (rateRefusal.kind === "rpc") {
    send(response, 200, errorText(id, rateRefusal.code, rateRefusal.message));
    return;
  }
  const { retryAfterSeconds } = rateRefusal;
  if (retryAfterSeconds !== null) response.setHeader("retry-after", String(retryAfterSeconds));
  send(response, 429, errorText(id, 429, "Too many requests for a specific RPC call"));
}

function refuse(refusal: Exclude<Refusal, { kind: "hang" }>, { id }: Request, to: ServerResponse) {
  if (refusal.kind === "http") send(to, refusal.status, refusal.body);
  else send(to, 200, errorText(id, refusal.code, refusal.message));
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "application/json" }).end(text);
}

function errorText(id: unknown, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id });
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
