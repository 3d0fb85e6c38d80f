import type { NowMs } from "#src/platform/clock.ts";
import type { ChainLogger } from "./chain-logger.ts";
import type { AccountStarts, ChainSource, TransactionSource } from "./chain-source.ts";
import { createJsonRpcClient, type RetryPolicy } from "./json-rpc-client.ts";
import { createRpcFollower } from "./rpc-follower.ts";
import { type Commitment, createRpcReader } from "./rpc-reader.ts";
import { DEFAULT_LINK_TIMING, type LinkTiming } from "./subscription-link.ts";
import { createSubscriptionLinks } from "./subscription-links.ts";

/** About half a slot: the next node asked has likely caught up. */
const STALE_WAIT_MS = 250;

export type RpcSourceOptions = {
  readonly httpUrl: string;
  readonly wsUrl: string;
  readonly origin: ChainSource["origin"];
  readonly nowMs: NowMs;
  /** 0 up to 1: spreads retries and reconnects. */
  readonly random: () => number;
  readonly logger?: ChainLogger;
  readonly commitment?: Commitment;
  readonly retry?: RetryPolicy;
  readonly linkTiming?: LinkTiming;
  readonly staleWaitMs?: number;
};

/** A Solana node over JSON-RPC: HTTP for reads, WebSockets for all that is followed. */
export function createRpcSource(
  options: RpcSourceOptions,
): ChainSource & TransactionSource & AccountStarts {
  const { nowMs, random, commitment = "confirmed", logger = null } = options;
  const closing = new AbortController();
  const client = createJsonRpcClient({
    url: options.httpUrl,
    nowMs,
    random,
    closed: closing.signal,
    ...(options.retry === undefined ? {} : { retry: options.retry }),
  });
  const staleWaitMs = options.staleWaitMs ?? STALE_WAIT_MS;
  const reader = createRpcReader({ client, commitment, nowMs, staleWaitMs });
  const timing = options.linkTiming ?? DEFAULT_LINK_TIMING;
  const link = createSubscriptionLinks({ url: options.wsUrl, nowMs, random, logger, timing });
  const follower = createRpcFollower({ link, commitment, settleMs: timing.settleMs });
  const close = async () => {
    closing.abort(new Error("the chain source was closed"));
    await link.close();
  };
  return { origin: options.origin, ...reader, ...follower, close };
}
