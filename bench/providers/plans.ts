/** How a provider words that a rate limit was exceeded. */
export type RateRefusal =
  | { readonly kind: "http"; readonly retryAfterSeconds: number | null }
  /** An error code inside HTTP 200. */
  | { readonly kind: "rpc"; readonly code: number; readonly message: string };

export type RateLimit = {
  /** Null: all methods together. */
  readonly methods: readonly string[] | null;
  readonly calls: number;
  readonly perSeconds: number;
};

export type Refusal =
  | { readonly kind: "http"; readonly status: number; readonly body: string }
  | { readonly kind: "rpc"; readonly code: number; readonly message: string }
  /** The connection stays open and no reply comes. */
  | { readonly kind: "hang" };

/** The limits of one plan of an RPC provider; `PLANS` states which are documented. */
export type ProviderPlan = {
  readonly id: string;
  readonly name: string;
  readonly limits: readonly RateLimit[];
  readonly rateRefusal: RateRefusal;
  readonly refused: ReadonlyMap<string, Refusal>;
  /** Addresses that one getMultipleAccounts may have. */
  readonly maxAccounts: number;
  readonly subscriptionsPerConnection: number;
  readonly connections: number;
  readonly latencyMs: number;
  readonly searchLatencyMs: number;
  readonly hasSearchV2: boolean;
  /** Null: the provider bills by request, or not at all. */
  readonly credits: {
    readonly byMethod: ReadonlyMap<string, number>;
    /** For 100 kB over the WebSocket. */
    readonly webSocket: number;
    readonly perMonth: number;
  } | null;
};

const SEARCH = ["getProgramAccounts", "getProgramAccountsV2"];
const HELIUS_CREDITS = new Map([["getProgramAccounts", 10]]);
const TOO_MANY = { kind: "http", retryAfterSeconds: null } as const;

const DEFAULTS = {
  limits: [],
  rateRefusal: TOO_MANY,
  refused: new Map<string, Refusal>(),
  maxAccounts: 100,
  subscriptionsPerConnection: 20_000,
  connections: 100,
  latencyMs: 40,
  searchLatencyMs: 300,
  hasSearchV2: false,
  credits: null,
} satisfies Partial<ProviderPlan>;

function helius(plan: string, perSecond: number, searches: number, perMonth: number): ProviderPlan {
  return {
    ...DEFAULTS,
    id: `helius-${plan.toLowerCase()}`,
    name: `Helius ${plan}`,
    limits: [
      { methods: null, calls: perSecond, perSeconds: 1 },
      { methods: SEARCH, calls: searches, perSeconds: 1 },
    ],
    rateRefusal: { kind: "rpc", code: -32429, message: "rate limited" },
    hasSearchV2: true,
    credits: { byMethod: HELIUS_CREDITS, webSocket: 2, perMonth },
  };
}

/**
 * Limits and prices as the providers document them (November 2026): solana.com/docs/references/clusters,
 * helius.dev/docs/billing, quicknode.com/docs/solana, docs.chainstack.com/docs/limits. Estimated, because
 * no figure is documented: QuickNode's calls a second in all, every limit of Triton, what a refusal looks
 * like there, and all latencies. What is neither documented nor estimated is left unlimited.
 */
export const PLANS: readonly ProviderPlan[] = [
  {
    ...DEFAULTS,
    id: "public",
    name: "public mainnet",
    limits: [
      { methods: null, calls: 100, perSeconds: 10 },
      ...[
        "getMultipleAccounts",
        "getTokenLargestAccounts",
        "getTransaction",
        "getSignaturesForAddress",
      ].map((method) => ({ methods: [method], calls: 40, perSeconds: 10 })),
    ],
    rateRefusal: { kind: "http", retryAfterSeconds: 2 },
    refused: new Map<string, Refusal>([
      ["getProgramAccounts", { kind: "http", status: 403, body: "<html>403 Forbidden</html>" }],
    ]),
    connections: 40,
    latencyMs: 80,
  },
  helius("Free", 10, 5, 1_000_000),
  helius("Developer", 50, 25, 10_000_000),
  helius("Business", 200, 50, 100_000_000),
  {
    ...DEFAULTS,
    id: "quicknode",
    name: "QuickNode Build",
    limits: [
      { methods: null, calls: 50, perSeconds: 1 },
      { methods: ["getProgramAccounts"], calls: 3, perSeconds: 1 },
    ],
    rateRefusal: { kind: "rpc", code: -32007, message: "50/second request limit reached" },
  },
  {
    ...DEFAULTS,
    id: "chainstack",
    name: "Chainstack Developer",
    limits: [{ methods: null, calls: 5, perSeconds: 1 }],
    rateRefusal: {
      kind: "rpc",
      code: -32005,
      message: "You've exceeded the RPS limit available on the current plan.",
    },
    latencyMs: 60,
  },
  {
    ...DEFAULTS,
    id: "triton",
    name: "Triton",
    limits: [
      { methods: null, calls: 100, perSeconds: 1 },
      { methods: ["getProgramAccounts"], calls: 10, perSeconds: 1 },
    ],
    rateRefusal: { kind: "http", retryAfterSeconds: 1 },
  },
  {
    ...DEFAULTS,
    id: "throttled",
    name: "429 above one call a second",
    limits: [{ methods: null, calls: 1, perSeconds: 1 }],
  },
  {
    ...DEFAULTS,
    id: "hanging",
    name: "searches hang",
    refused: new Map<string, Refusal>([["getProgramAccounts", { kind: "hang" }]]),
  },
  {
    ...DEFAULTS,
    id: "small",
    name: "5 accounts a call, 20 subscriptions",
    limits: [{ methods: null, calls: 50, perSeconds: 1 }],
    rateRefusal: { kind: "rpc", code: 429, message: "Too many requests" },
    refused: new Map<string, Refusal>([
      ["getProgramAccounts", { kind: "rpc", code: -32601, message: "Method not found" }],
      ["getTokenLargestAccounts", { kind: "rpc", code: -32601, message: "Method not found" }],
    ]),
    maxAccounts: 5,
    subscriptionsPerConnection: 20,
  },
];
