import type { FollowedToken } from "./live-state.ts";

/**
 * Tokens that changed since they were measured. Where there are more than can be measured at once, watched ones come
 * first, because of their alerts, then those that were requested.
 */
export class DirtyTokens {
  readonly #watched = new Set<FollowedToken>();
  readonly #asked = new Set<FollowedToken>();
  readonly #others = new Set<FollowedToken>();

  get size(): number {
    return this.#watched.size + this.#asked.size + this.#others.size;
  }

  add(token: FollowedToken): void {
    if (this.#watched.has(token)) return;
    if (token.isWatched) {
      this.delete(token);
      this.#watched.add(token);
    } else if (this.#asked.has(token)) return;
    else if (token.askedAtMs > Number.NEGATIVE_INFINITY) {
      this.#others.delete(token);
      this.#asked.add(token);
    } else this.#others.add(token);
  }

  has(token: FollowedToken): boolean {
    return this.#watched.has(token) || this.#asked.has(token) || this.#others.has(token);
  }

  delete(token: FollowedToken): void {
    this.#watched.delete(token);
    this.#asked.delete(token);
    this.#others.delete(token);
  }

  /** Watched ones first, then those that were requested, each in the order of the changes. */
  *[Symbol.iterator](): Iterator<FollowedToken> {
    yield* this.inUse;
    yield* this.#others;
  }

  /** Watched tokens, then those that were requested, each in the order of the changes. */
  get inUse(): Iterable<FollowedToken> {
    return inOrder(this.#watched, this.#asked);
  }

  /** The others, in the order of the changes. */
  get others(): Iterable<FollowedToken> {
    return this.#others;
  }
}

function* inOrder<Item>(first: Iterable<Item>, second: Iterable<Item>): Generator<Item> {
  yield* first;
  yield* second;
}
