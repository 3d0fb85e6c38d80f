import { WebSocket } from "ws";
import type { WallClock } from "#src/platform/clock.ts";
import { isJsonObject } from "#src/platform/json-object.ts";
import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import type { ProgramFilter } from "#src/venues/venue.ts";
import { wait } from "./rpc/call-pacer.ts";
import { createJsonRpcClient, type JsonRpcClient } from "./rpc/json-rpc-client.ts";
import { isRateLimit, RpcFailure } from "./rpc/rpc-failure.ts";
import { filtersOf } from "./rpc/rpc-searches.ts";

export type ProbeResult = {
  readonly what: string;
  readonly outcome: "ok" | "rate-limited" | "refused" | "failed";
  /** The node's own words; null where it served the call. */
  readonly reason: string | null;
  readonly ms: number;
};

export type NodeProbe = {
  readonly genesis: string | null;
  readonly calls: readonly ProbeResult[];
  /** One for each program whose pools are searched. */
  readonly searches: readonly ProbeResult[];
  /** Whether accounts can be read; `rate-limited`: no read was served, and the rate was a reason. */
  readonly reads: "ok" | "rate-limited" | "refused";
  /** Accounts that one read may have; null: unknown, as no read works or the rate refused a larger one. */
  readonly accountsPerRead: number | null;
  readonly subscriptions: readonly ProbeResult[];
};

export type ProbeOptions = {
  readonly httpUrl: string;
  /** Null: no subscription is tried. */
  readonly wsUrl: string | null;
  readonly clock: WallClock;
  /** A filter for each program, which matches few accounts or none. */
  readonly searches: readonly { readonly name: string; readonly filter: ProgramFilter }[];
  /** Any distinct addresses, a hundred. */
  readonly addresses: readonly Address[];
};

const TIMEOUT_MS = 10_000;
/** Between two calls, so that the probe itself stays within a free plan's rate. */
const PAUSE_MS = 250;
const READ_SIZES = [100, 50, 25, 10, 5, 1] as const;
/** The method is served, but not for these parameters. */
const BAD_PARAMETERS = -32602;
const SUBSCRIPTION_TIMEOUT_MS = 8_000;

/** Tries each call that the service uses once, slowly, without repetitions. */
export async function probeNode(options: ProbeOptions): Promise<NodeProbe> {
  const { clock, searches, addresses } = options;
  const client = createJsonRpcClient({
    urls: [options.httpUrl],
    clock,
    random: () => 0.5,
    retry: { attempts: 1, firstWaitMs: 0, longestWaitMs: 0 },
  });
  const [genesis = null] = await client.compareChains();
  const calls: ProbeResult[] = [];
  const [someMint] = addresses;
  for (const [what, params] of [
    ["getTokenLargestAccounts", [someMint]],
    ["getSignaturesForAddress", [CLOCK_SYSVAR, { limit: 1 }]],
    ["getProgramAccountsV2", searchParams(searches[0]?.filter, { limit: 1 })],
  ] as const) {
    calls.push(await probeCall(client, what, { method: what, params }));
  }
  const searched: ProbeResult[] = [];
  for (const { name, filter } of searches) {
    const request = { method: "getProgramAccounts", params: searchParams(filter, {}) };
    searched.push(await probeCall(client, name, request));
  }
  const read = await probeReads(client, addresses);
  calls.push(...read.calls);
  const { wsUrl } = options;
  const subscriptions = wsUrl === null ? [] : await probeSubscriptions(wsUrl, searches);
  return { ...read, genesis, calls, searches: searched, subscriptions };
}

/** Reads of ever fewer accounts, until one is served. A read that the rate refused limits no size. */
async function probeReads(
  client: JsonRpcClient,
  addresses: readonly Address[],
): Promise<Pick<NodeProbe, "calls" | "reads" | "accountsPerRead">> {
  const calls: ProbeResult[] = [];
  let isRateLimited = false;
  for (const size of READ_SIZES) {
    const params = [addresses.slice(0, size), { encoding: "base64" }];
    const what = `getMultipleAccounts of ${size}`;
    const result = await probeCall(client, what, { method: "getMultipleAccounts", params });
    calls.push(result);
    if (result.outcome === "ok")
      return { calls, reads: "ok", accountsPerRead: isRateLimited ? null : size };
    isRateLimited ||= result.outcome === "rate-limited";
  }
  return { calls, reads: isRateLimited ? "rate-limited" : "refused", accountsPerRead: null };
}

function searchParams(
  filter: ProgramFilter | undefined,
  more: Readonly<Record<string, unknown>>,
): readonly unknown[] {
  if (filter === undefined) return [];
  const config = { encoding: "base64", withContext: true, filters: filtersOf(filter), ...more };
  return [filter.programId, config];
}

async function probeCall(
  client: JsonRpcClient,
  what: string,
  request: { readonly method: string; readonly params: readonly unknown[] },
): Promise<ProbeResult> {
  await wait(PAUSE_MS, undefined);
  const startedMs = performance.now();
  const ended = (outcome: ProbeResult["outcome"], reason: string | null): ProbeResult => {
    return { what, outcome, reason, ms: Math.round(performance.now() - startedMs) };
  };
  try {
    await client.call({ ...request, timeoutMs: TIMEOUT_MS }, () => null);
    return ended("ok", null);
  } catch (error) {
    if (!(error instanceof RpcFailure)) throw error;
    const { failure } = error;
    if (isRateLimit(error)) return ended("rate-limited", error.message);
    const isServed =
      request.method !== "getMultipleAccounts" &&
      failure.kind === "rpc-error" &&
      failure.code === BAD_PARAMETERS;
    if (isServed) return ended("ok", null);
    const isRefused = failure.kind === "rpc-error" || failure.kind === "http";
    return ended(isRefused ? "refused" : "failed", error.message);
  }
}

/** One subscription of each kind on one connection, at the given address alone. */
async function probeSubscriptions(
  wsUrl: string,
  searches: ProbeOptions["searches"],
): Promise<readonly ProbeResult[]> {
  const [search] = searches;
  const wanted: readonly (readonly [string, readonly unknown[]])[] = [
    ["slotSubscribe", []],
    ["accountSubscribe", [CLOCK_SYSVAR, { encoding: "base64" }]],
    ["logsSubscribe", [{ mentions: [CLOCK_SYSVAR] }, {}]],
    ["programSubscribe", searchParams(search?.filter, {})],
  ];
  const replies = new Map<number, ProbeResult>();
  const startedMs = performance.now();
  const result = (
    index: number,
    outcome: ProbeResult["outcome"],
    reason: string | null,
  ): ProbeResult => {
    const what = wanted[index]?.[0] ?? "";
    return { what, outcome, reason, ms: Math.round(performance.now() - startedMs) };
  };
  const refused = (index: number, error: Readonly<Record<string, unknown>>): ProbeResult => {
    const message = String(error["message"]);
    const failure = { kind: "rpc-error", code: Number(error["code"]), message } as const;
    const isRate = isRateLimit(new RpcFailure(failure));
    return result(index, isRate ? "rate-limited" : "refused", message);
  };
  const socket = new WebSocket(wsUrl, { handshakeTimeout: SUBSCRIPTION_TIMEOUT_MS });
  const ended = Promise.withResolvers<Pick<ProbeResult, "outcome" | "reason">>();
  const failed = (reason: string) => ended.resolve({ outcome: "failed", reason });
  const timer = setTimeout(() => failed("no reply"), SUBSCRIPTION_TIMEOUT_MS);
  socket.on("open", () => {
    for (const [id, [method, params]] of wanted.entries()) {
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    }
  });
  socket.on("message", (data) => {
    const message: unknown = JSON.parse(String(data));
    if (!isJsonObject(message) || typeof message["id"] !== "number") return;
    const { id, error } = message;
    replies.set(id, isJsonObject(error) ? refused(id, error) : result(id, "ok", null));
    if (replies.size === wanted.length) ended.resolve({ outcome: "ok", reason: null });
  });
  socket.on("unexpected-response", (request, { statusCode: status = 0 }) => {
    const failure = new RpcFailure({ kind: "http", status, retryAfterMs: null });
    const outcome = isRateLimit(failure) ? "rate-limited" : "failed";
    ended.resolve({ outcome, reason: failure.message });
    request.destroy();
  });
  socket.on("error", (error) => failed(error.message));
  socket.on("close", () => failed("the connection was closed"));
  const { outcome, reason } = await ended.promise;
  clearTimeout(timer);
  socket.terminate();
  return wanted.map((_, index) => replies.get(index) ?? result(index, outcome, reason));
}
