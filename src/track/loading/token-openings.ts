import type { BackgroundWork } from "#src/platform/background-work.ts";
import { isFollowed } from "../following/followed-tokens.ts";
import type { FollowedToken, LiveState } from "../following/live-state.ts";

/** Tokens that are opened at once, of those whose opening failed before. */
const MOST_AT_ONCE = 50;

export type TokenOpeningsDeps = {
  readonly what: string;
  readonly open: (token: FollowedToken) => Promise<void>;
  readonly state: LiveState;
  readonly background: BackgroundWork;
};

/** Opens something of each followed token once, and again only after a failure. */
export class TokenOpenings {
  readonly #deps: TokenOpeningsDeps;
  /** By object: a token that was dropped and is followed again is opened again. */
  readonly #begun = new WeakSet<FollowedToken>();
  readonly #failed = new Set<FollowedToken>();

  constructor(deps: TokenOpeningsDeps) {
    this.#deps = deps;
  }

  open(token: FollowedToken): void {
    if (this.#begun.has(token)) return;
    this.#begun.add(token);
    this.#run(token);
  }

  /** Opens some of the tokens whose opening failed. */
  openRest(): void {
    for (const token of [...this.#failed].slice(0, MOST_AT_ONCE)) {
      this.#failed.delete(token);
      if (isFollowed(this.#deps.state, token)) this.#run(token);
    }
  }

  #run(token: FollowedToken): void {
    const { what, background } = this.#deps;
    background.run(what, this.#open(token));
  }

  async #open(token: FollowedToken): Promise<void> {
    try {
      await this.#deps.open(token);
    } catch (cause) {
      this.#failed.add(token);
      throw cause;
    }
  }
}
