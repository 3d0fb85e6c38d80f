/** Of the connections that deliver changes: the node's WebSockets, and gRPC streams. */
export type LinkTiming = {
  /** A link without a slot notification for so long is treated as dead. */
  readonly silentAfterMs: number;
  /** The wait before the first reconnect; it doubles up to the longest until a link has lived that long. */
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
  /** Subscriptions confirmed within so long of each other are reported together. */
  readonly settleMs: number;
};

export const DEFAULT_LINK_TIMING: LinkTiming = {
  silentAfterMs: 10_000,
  firstWaitMs: 250,
  longestWaitMs: 15_000,
  settleMs: 25,
};
