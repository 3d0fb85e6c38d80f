import { SingleFlight } from "#src/platform/single-flight.ts";
import { isFollowed } from "../following/followed-tokens.ts";
import type { FollowedToken, LiveState } from "../following/live-state.ts";

export type FirstReadsDeps = {
  readonly state: LiveState;
  /** Reads all accounts of the token. */
  readonly read: (token: FollowedToken) => Promise<void>;
  /** Called once for each token, when its accounts are known. */
  readonly onRead: (token: FollowedToken) => void;
};

/**
 * The first read of each token that was just loaded, once for all requests that wait for it. After a failure
 * the feed reads the accounts, or another request does.
 */
export class FirstReads {
  readonly #deps: FirstReadsDeps;
  readonly #unread = new Set<FollowedToken>();
  readonly #reads = new SingleFlight<FollowedToken, void>();

  constructor(deps: FirstReadsDeps) {
    this.#deps = deps;
  }

  add(token: FollowedToken): void {
    this.#unread.add(token);
  }

  /** @throws AppError chain_unavailable if the node can't be reached in time */
  async read(token: FollowedToken): Promise<void> {
    if (!this.#unread.has(token)) return;
    await this.#reads.run(token, () => this.#read(token));
  }

  /** Ends the first reads of tokens that were measured without one. */
  endRest(): void {
    for (const token of this.#unread) {
      if (!isFollowed(this.#deps.state, token)) this.#unread.delete(token);
      else if (token.assessed !== null) this.end(token);
    }
  }

  /** Notes that the token's accounts are known. */
  end(token: FollowedToken): void {
    if (this.#unread.delete(token)) this.#deps.onRead(token);
  }

  async #read(token: FollowedToken): Promise<void> {
    await this.#deps.read(token);
    this.end(token);
  }
}
