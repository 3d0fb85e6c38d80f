import type { WallClock } from "#src/platform/clock.ts";
import { FailureLog } from "#src/platform/failure-log.ts";
import { type ChainLogger, hostOf } from "../chain-logger.ts";
import type {
  AccountSlices,
  AccountStarts,
  ChainSource,
  NodeRefusal,
  TransactionSource,
} from "../chain-source.ts";
import { DEFAULT_LINK_TIMING, type LinkTiming } from "../link-timing.ts";
import { createJsonRpcClient, type RetryPolicy } from "./json-rpc-client.ts";
import { type CallCount, RpcCalls } from "./rpc-calls.ts";
import { createRpcFollower } from "./rpc-follower.ts";
import { type Commitment, createRpcReader } from "./rpc-reader.ts";
import { createSubscriptionLinks } from "./subscription-links.ts";

/** About half a slot: by then the next node has probably caught up. */
const STALE_WAIT_MS = 250;

/** Calls that succeed between failing ones do not end an outage. */
const CALM_MS = 5_000;

export type RpcSourceOptions = {
  readonly httpUrl: string;
  readonly wsUrl: string;
  /** The HTTP addresses of further nodes of the same chain, used while the first gives no answer, or no valid one. */
  readonly fallbackUrls?: readonly string[];
  readonly origin: ChainSource["origin"];
  readonly clock: WallClock;
  /** 0 up to 1: spreads retries and reconnects. */
  readonly random: () => number;
  readonly logger?: ChainLogger;
  readonly commitment?: Commitment;
  readonly retry?: RetryPolicy;
  readonly linkTiming?: LinkTiming;
  readonly staleWaitMs?: number;
};

/** What an operator may want to know of the node. */
export type NodeReport = {
  /** Calls sent to it, by method and outcome. */
  readonly calls: () => readonly CallCount[];
  /** What it refuses now. */
  readonly refusals: () => readonly NodeRefusal[];
  /** Whether its slots went back, so that its replies are not used. */
  readonly isBack: () => boolean;
  /** Whether the chain can't have reached a slot, as far as its replies have shown. */
  readonly isFarAhead: (slot: bigint) => boolean;
  /** The genesis hash of each endpoint; endpoints of another chain than the first are not used. */
  readonly compareChains: () => Promise<readonly (string | null)[]>;
};

/** A Solana node over JSON-RPC: HTTP for reads, WebSockets for subscriptions. */
export function createRpcSource(
  options: RpcSourceOptions,
): ChainSource & TransactionSource & AccountStarts & AccountSlices & NodeReport {
  const { clock, random, commitment = "confirmed", logger = null } = options;
  const { fallbackUrls = [] } = options;
  const closing = new AbortController();
  const calls = new RpcCalls();
  const client = createJsonRpcClient({
    urls: [options.httpUrl, ...fallbackUrls],
    clock,
    random,
    calls,
    closed: closing.signal,
    failures: new FailureLog({
      log: logger,
      what: "call the RPC node",
      next: "calls are retried with growing waits, and prices age until they succeed",
      context: { host: hostOf(options.httpUrl) },
      endsAfterMs: CALM_MS,
    }),
    onForeign: ({ url, genesis }, expected) =>
      logger?.error(
        { host: hostOf(url), genesis, expected },
        "an RPC endpoint serves another chain than the first; it is not used",
      ),
    ...(options.retry === undefined ? {} : { retry: options.retry }),
  });
  const staleWaitMs = options.staleWaitMs ?? STALE_WAIT_MS;
  // The demo market and recorded accounts are served by a node in this process.
  const isPaced = options.origin === "live";
  const reader = createRpcReader({
    ...{ client, staleWaitMs, logger, isPaced },
    // A processed change is compared with confirmed state.
    commitment: commitment === "processed" ? "confirmed" : commitment,
    closed: closing.signal,
  });
  const timing = options.linkTiming ?? DEFAULT_LINK_TIMING;
  const link = createSubscriptionLinks({
    ...{ url: options.wsUrl, clock, random, logger, timing },
    otherUrl: nextPortOf(options),
  });
  const follower = createRpcFollower({
    ...{ link, commitment, settleMs: timing.settleMs },
    isFarAhead: reader.isFarAhead,
  });
  const close = async () => {
    closing.abort(new Error("the chain source was closed"));
    await link.close();
  };
  return {
    origin: options.origin,
    ...reader,
    ...follower,
    isProcessed: commitment === "processed",
    calls: () => calls.list(),
    compareChains: client.compareChains,
    close,
  };
}

/** Agave serves WebSockets at the port after that of HTTP; null: both were given, or have no port. */
function nextPortOf({
  httpUrl,
  wsUrl,
}: Pick<RpcSourceOptions, "httpUrl" | "wsUrl">): string | null {
  const url = URL.parse(wsUrl);
  if (url === null || url.port === "" || url.port !== URL.parse(httpUrl)?.port) return null;
  url.port = String(Number(url.port) + 1);
  return url.href;
}
