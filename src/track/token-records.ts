import type { BackgroundWork } from "./background-work.ts";
import type { FollowedToken, LiveState } from "./live-state.ts";
import type { TokenObserver } from "./token-observer.ts";

/** Records that are opened at once, of those that could not be opened before. */
const MOST_AT_ONCE = 50;

export type TokenRecordsDeps = {
  readonly state: LiveState;
  readonly observer: TokenObserver;
  readonly background: BackgroundWork;
};

/** Opens the record of each token that is loaded, and opens those again that the database refused. */
export class TokenRecords {
  readonly #deps: TokenRecordsDeps;
  readonly #unopened = new Set<FollowedToken>();

  constructor(deps: TokenRecordsDeps) {
    this.#deps = deps;
  }

  open(token: FollowedToken): void {
    this.#deps.background.run("open a token's record", this.#open(token));
  }

  /** Opens some of the records that could not be opened when their tokens were loaded. */
  openRest(): void {
    for (const token of [...this.#unopened].slice(0, MOST_AT_ONCE)) {
      this.#unopened.delete(token);
      if (this.#deps.state.tokens.get(token.mint) === token) this.open(token);
    }
  }

  async #open(token: FollowedToken): Promise<void> {
    try {
      await this.#deps.observer.open(token);
    } catch (cause) {
      this.#unopened.add(token);
      throw cause;
    }
  }
}
