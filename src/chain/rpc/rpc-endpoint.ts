import type { CallPacer } from "./call-pacer.ts";

/** One of the addresses that calls are sent to, and what is known of it. */
export type Endpoint = {
  readonly url: string;
  readonly headers: Headers;
  avoidedUntilMs: number;
  /**
   * Since when every read of accounts was refused because of the rate, and the pacers that have forgotten that rate
   * since; null: the last call was not refused.
   */
  limited: { readonly sinceMs: number; readonly forgottenBy: Set<CallPacer> } | null;
  /** The genesis hash of its chain; null: unknown. */
  genesis: string | null;
  /** While its chain is unknown: when it may be asked for it (0: it was not asked since the start), and the question in progress. */
  askChainAtMs: number;
  askingChain: Promise<void> | null;
  /** It serves another chain than the one that counts. */
  isForeign: boolean;
};

/** fetch refuses a URL with a user and a password: they are sent as an Authorization header instead. */
export function endpointOf(url: string): Endpoint {
  const parsed = new URL(url);
  const headers = new Headers({ "content-type": "application/json" });
  if (parsed.username !== "" || parsed.password !== "") {
    const pair = `${decodeURIComponent(parsed.username)}:${decodeURIComponent(parsed.password)}`;
    headers.set("authorization", `Basic ${Buffer.from(pair).toString("base64")}`);
    parsed.username = "";
    parsed.password = "";
  }
  const target = { url: parsed.href, headers };
  return {
    ...{ ...target, avoidedUntilMs: 0, limited: null, isForeign: false },
    ...{ genesis: null, askChainAtMs: 0, askingChain: null },
  };
}

/** What is learned of each endpoint: it does not hold for the others. */
export class ByEndpoint<Learned> {
  readonly #learned = new Map<Endpoint, Learned>();
  readonly #initial: () => Learned;

  /** @param initial what is assumed before anything is learned */
  constructor(initial: () => Learned) {
    this.#initial = initial;
  }

  of(endpoint: Endpoint): Learned {
    const learned = this.#learned.get(endpoint) ?? this.#initial();
    this.#learned.set(endpoint, learned);
    return learned;
  }

  /** What was learned of each endpoint so far. */
  all(): readonly Learned[] {
    return [...this.#learned.values()];
  }

  /** The endpoints of which this was learned. */
  where(isTrue: (learned: Learned) => boolean): Set<Endpoint> {
    const found = new Set<Endpoint>();
    for (const [endpoint, learned] of this.#learned) if (isTrue(learned)) found.add(endpoint);
    return found;
  }
}
