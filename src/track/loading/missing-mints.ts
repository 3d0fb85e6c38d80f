import type { ChainSource, Following } from "#src/chain/chain-source.ts";
import { BoundedMap } from "#src/platform/bounded-map.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { Address } from "#src/units/address.ts";
import { withData } from "../following/held-account.ts";

/**
 * How long "not found" is remembered: at first shortly, since the token may be created meanwhile, and
 * twice as long after each further search without a result.
 */
const NOT_FOUND_FOR_MS = { first: 3_000, longest: 3_600_000 } as const;
const MAX_NOT_FOUND = 100_000;
/** From so many misses on, the account of an absent mint is followed: it is remembered for 24 s or more. */
const MISSES_TO_FOLLOW = 4;
/** Each takes a subscription. The one whose last search is oldest gives its place to another. */
const MAX_FOLLOWED = 200;
/** A watched token that was not found this often, which takes several hours, is not searched again. */
const MISSES_OF_WATCHED = 12;

type Missing = {
  /** Its mint had no account, or one without data. */
  readonly isAbsent: boolean;
  /** Until then it is not searched again. */
  readonly untilMs: number;
  readonly misses: number;
  /** The address is a pool of this token. */
  readonly poolOf: Address | null;
};

export type MissingMintsDeps = { readonly source: ChainSource; readonly clock: WallClock };

/**
 * Mints of which a complete search found no pool, so that repeated requests for them cost no search. A mint without
 * an account is followed once it is remembered for long, and searched again with the first request after its creation.
 */
export class MissingMints {
  readonly #deps: MissingMintsDeps;
  readonly #missing = new BoundedMap<Address, Missing>(MAX_NOT_FOUND);
  readonly #followed = new Set<Address>();
  #following: Following | null = null;

  constructor(deps: MissingMintsDeps) {
    this.#deps = deps;
  }

  /** Whether a recent complete search found nothing. */
  has(mint: Address): boolean {
    const missing = this.#missing.get(mint);
    return missing !== undefined && this.#deps.clock.nowMs() < missing.untilMs;
  }

  /** The token of the pool at this address, as found by the last load; null: not known to be a pool. */
  poolOf(address: Address): Address | null {
    return this.#missing.get(address)?.poolOf ?? null;
  }

  /** Whether the watchlist does not search for it now, or any more: a request still does. */
  isSuspended(mint: Address): boolean {
    const misses = this.#missing.get(mint)?.misses ?? 0;
    return misses >= MISSES_OF_WATCHED || this.has(mint);
  }

  /** A search found nothing. */
  note(mint: Address, found: Pick<Missing, "isAbsent" | "poolOf">): void {
    const before = this.#missing.get(mint);
    // A mint that was created since counts from the beginning: its pool may follow.
    const isCreated = before?.isAbsent === true && !found.isAbsent;
    const misses = (isCreated ? 0 : (before?.misses ?? 0)) + 1;
    const { first, longest } = NOT_FOUND_FOR_MS;
    const forMs = Math.min(longest, first * 2 ** (misses - 1));
    const untilMs = this.#deps.clock.nowMs() + forMs;
    this.#missing.set(mint, { misses, untilMs, ...found });
    if (!found.isAbsent) this.#unfollow([mint]);
    else if (misses >= MISSES_TO_FOLLOW) this.#follow(mint);
  }

  delete(mint: Address): void {
    this.#missing.delete(mint);
    this.#unfollow([mint]);
  }

  async close(): Promise<void> {
    await this.#following?.close();
  }

  #follow(mint: Address): void {
    this.#following ??= this.#deps.source.follow({
      onUpdate: ({ address, account }) => {
        if (withData(account) !== null) this.delete(address);
      },
      onGap: () => this.#searchNext(this.#followed),
      // It may have been created after it was searched.
      onFollowed: (mints) => this.#searchNext(mints),
      onSlot: () => {},
    });
    const isNew = !this.#followed.delete(mint);
    const [oldest] = this.#followed;
    if (this.#followed.size >= MAX_FOLLOWED && oldest !== undefined) this.#unfollow([oldest]);
    this.#followed.add(mint);
    if (isNew) this.#following.add([mint]);
  }

  #unfollow(mints: readonly Address[]): void {
    const followed = mints.filter((mint) => this.#followed.delete(mint));
    if (followed.length > 0) this.#following?.remove(followed);
  }

  /** The next request for any of these searches it. */
  #searchNext(mints: Iterable<Address>): void {
    const untilMs = this.#deps.clock.nowMs();
    for (const mint of mints) {
      const missing = this.#missing.get(mint);
      if (missing !== undefined) this.#missing.set(mint, { ...missing, untilMs });
    }
  }
}
