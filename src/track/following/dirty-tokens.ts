import type { FollowedToken } from "./live-state.ts";

/**
 * Tokens that changed since they were measured. Where there are more than can be measured at once, those
 * that were requested or are watched come first: an answer or an alert may depend on them.
 */
export class DirtyTokens {
  readonly #inUse = new Set<FollowedToken>();
  readonly #others = new Set<FollowedToken>();

  get size(): number {
    return this.#inUse.size + this.#others.size;
  }

  get hasInUse(): boolean {
    return this.#inUse.size > 0;
  }

  add(token: FollowedToken): void {
    if (this.#inUse.has(token)) return;
    if (isUsed(token)) {
      this.#others.delete(token);
      this.#inUse.add(token);
    } else this.#others.add(token);
  }

  has(token: FollowedToken): boolean {
    return this.#inUse.has(token) || this.#others.has(token);
  }

  delete(token: FollowedToken): void {
    this.#inUse.delete(token);
    this.#others.delete(token);
  }

  /** Those in use first, each in the order of the changes. */
  *[Symbol.iterator](): Iterator<FollowedToken> {
    yield* this.#inUse;
    yield* this.#others;
  }

  /** Tokens that were requested or are watched, in the order of the changes. */
  get inUse(): Iterable<FollowedToken> {
    return this.#inUse;
  }

  /** The others, in the order of the changes. */
  get others(): Iterable<FollowedToken> {
    return this.#others;
  }
}

function isUsed({ isWatched, askedAtMs }: FollowedToken): boolean {
  return isWatched || askedAtMs > Number.NEGATIVE_INFINITY;
}
