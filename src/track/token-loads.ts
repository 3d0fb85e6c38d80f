import { AppError } from "#src/platform/app-error.ts";
import type { Address } from "#src/units/address.ts";
import { addGroup } from "./followed-pools.ts";
import { addToken } from "./followed-tokens.ts";
import type { LoadedAccounts } from "./gather-accounts.ts";
import type { FollowedToken, LiveState } from "./live-state.ts";
import { stablesPaid } from "./load-market.ts";
import { type LoadDeps, loadHopPools, loadToken } from "./load-token.ts";
import { isStable } from "./quote-mints.ts";
import type { TokenLoadCounts } from "./tracker-health.ts";

const MAX_AT_ONCE = 8;
const MAX_WAITING = 500;
/** How long "not found" holds: a token may be born meanwhile. */
const NOT_FOUND_FOR_MS = 15_000;
const MAX_NOT_FOUND = 10_000;

/**
 * Loads tokens into the live state: each once however many ask, eight at a time, and remembers for
 * a while what was not found, so that guesses cost no search each.
 */
export class TokenLoads {
  readonly #deps: LoadDeps;
  readonly #state: LiveState;
  readonly #signal: AbortSignal;
  readonly #loads = new Map<Address, Promise<FollowedToken | null>>();
  readonly #hops = new Map<Address, Promise<void>>();
  readonly #notFoundAtMs = new Map<Address, number>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(deps: LoadDeps, state: LiveState, signal: AbortSignal) {
    this.#deps = deps;
    this.#state = state;
    this.#signal = signal;
  }

  get counts(): TokenLoadCounts {
    return { running: this.#running, waiting: this.#waiting.length };
  }

  /** Whether a complete search found nothing, not long ago. */
  isKnownMissing(mint: Address): boolean {
    const atMs = this.#notFoundAtMs.get(mint);
    return atMs !== undefined && this.#deps.nowMs() - atMs < NOT_FOUND_FOR_MS;
  }

  /**
   * Finds the token's pools and follows them; null: there is no such token.
   *
   * @throws AppError chain_unavailable, or overloaded where too many tokens wait to be loaded
   */
  load(mint: Address): Promise<FollowedToken | null> {
    const running = this.#loads.get(mint);
    if (running !== undefined) return running;
    const load = this.#loadInTurn(mint).finally(() => this.#loads.delete(mint));
    this.#loads.set(mint, load);
    return load;
  }

  async idle(): Promise<void> {
    while (this.#loads.size > 0) await Promise.allSettled(this.#loads.values());
  }

  async #loadInTurn(mint: Address): Promise<FollowedToken | null> {
    if (this.#running >= MAX_AT_ONCE) await this.#turn();
    this.#running++;
    try {
      return await this.#load(mint);
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  #turn(): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING) {
      throw new AppError("overloaded", {
        publicMessage: "Too many tokens are being loaded; try again in a few seconds.",
        retryable: true,
      });
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async #load(mint: Address): Promise<FollowedToken | null> {
    const loaded: LoadedAccounts = new Map();
    const token = await loadToken(this.#deps, mint, loaded, this.#signal);
    if (token.kind === "not-found") {
      this.#rememberMissing(mint);
      return null;
    }
    const stables = stablesPaid(token.found.pools, mint, loaded);
    await Promise.all(stables.map((stable) => this.#loadHop(stable)));
    const nowMs = this.#deps.nowMs();
    return addToken(this.#state, { ...token, mint, loaded, isSearched: true, nowMs });
  }

  /** Loads the second hops that pools found later lead through. */
  async ensureHops(token: FollowedToken): Promise<void> {
    const stables = new Set<Address>();
    for (const { open } of token.group.pools.values()) {
      if (open.quoteMint !== null && isStable(open.quoteMint)) stables.add(open.quoteMint);
    }
    await Promise.all([...stables].map((stable) => this.#loadHop(stable)));
  }

  #loadHop(stable: Address): Promise<void> {
    if (this.#state.hops.has(stable)) return Promise.resolve();
    const running = this.#hops.get(stable);
    if (running !== undefined) return running;
    const load = this.#findHop(stable).finally(() => this.#hops.delete(stable));
    this.#hops.set(stable, load);
    return load;
  }

  async #findHop(stable: Address): Promise<void> {
    const loaded: LoadedAccounts = new Map();
    const found = await loadHopPools(this.#deps, stable, loaded, this.#signal);
    this.#state.hops.set(stable, addGroup(this.#state, { mint: stable, found, loaded }));
  }

  #rememberMissing(mint: Address): void {
    if (this.#notFoundAtMs.size >= MAX_NOT_FOUND) {
      const [oldest] = this.#notFoundAtMs.keys();
      if (oldest !== undefined) this.#notFoundAtMs.delete(oldest);
    }
    this.#notFoundAtMs.set(mint, this.#deps.nowMs());
  }
}
