import type { ChainSource, Following } from "#src/chain/chain-source.ts";
import type { BackgroundWork } from "#src/platform/background-work.ts";
import { BoundedMap } from "#src/platform/bounded-map.ts";
import { isWithin, type WallClock } from "#src/platform/clock.ts";
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
/** The holders of a mint without a pool are compared this often while it is requested: one call of the node. */
const COMPARE_EVERY_MS = 30_000;
/** A watched token that was not found this often, which takes several hours, is not searched again. */
const MISSES_OF_WATCHED = 12;

/** "absent": the address had no account, or one without data; "other": its account belongs to something else. */
type MissingKind = "absent" | "mint" | "other";

type Missing = {
  readonly kind: MissingKind;
  /** Until then it is not searched again. */
  readonly untilMs: number;
  readonly misses: number;
  /** The address is a pool of this token. */
  readonly poolOf: Address | null;
  /** The largest holders of the mint as they were last read; null: they are not known. */
  holders: readonly Address[] | null;
  comparedAtMs: number;
};

export type MissingMintsDeps = {
  readonly source: ChainSource;
  readonly clock: WallClock;
  readonly signal: AbortSignal;
  readonly background: BackgroundWork;
};

/**
 * Mints of which a complete search found no pool, so that repeated requests for them cost no search. A mint without
 * an account is followed once it is remembered for long, and searched again with the first request after its creation.
 * A mint with an account is searched again once another account is among its largest holders: a pool's vault may be.
 */
export class MissingMints {
  readonly #deps: MissingMintsDeps;
  readonly #missing = new BoundedMap<Address, Missing>(MAX_NOT_FOUND);
  readonly #followed = new Set<Address>();
  #following: Following | null = null;

  constructor(deps: MissingMintsDeps) {
    this.#deps = deps;
  }

  /** Whether a recent complete search found nothing of the mint, which is requested. */
  has(mint: Address): boolean {
    if (!this.#isRemembered(mint)) return false;
    const missing = this.#missing.get(mint);
    if (missing !== undefined) this.#compareIfDue(mint, missing);
    return true;
  }

  #isRemembered(mint: Address): boolean {
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
    return misses >= MISSES_OF_WATCHED || this.#isRemembered(mint);
  }

  /** A search found nothing. */
  note(mint: Address, found: Pick<Missing, "kind" | "poolOf">): void {
    const before = this.#missing.get(mint);
    const isAbsent = found.kind === "absent";
    // A mint that was created since counts from the beginning: its pool may follow.
    const isCreated = before?.kind === "absent" && !isAbsent;
    const misses = (isCreated ? 0 : (before?.misses ?? 0)) + 1;
    const { first, longest } = NOT_FOUND_FOR_MS;
    const forMs = Math.min(longest, first * 2 ** (misses - 1));
    const untilMs = this.#deps.clock.nowMs() + forMs;
    const { holders = null, comparedAtMs = 0 } = before ?? {};
    this.#missing.set(mint, { misses, untilMs, ...found, holders, comparedAtMs });
    if (!isAbsent) this.#unfollow([mint]);
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

  #compareIfDue(mint: Address, missing: Missing): void {
    const { kind, misses, comparedAtMs } = missing;
    const nowMs = this.#deps.clock.nowMs();
    if (kind !== "mint" || misses < MISSES_TO_FOLLOW) return;
    if (isWithin(COMPARE_EVERY_MS, comparedAtMs, nowMs)) return;
    // One at a time: each costs a call, and anyone may request any number of such mints.
    this.#deps.background.runAlone("compare holders", () => {
      missing.comparedAtMs = nowMs;
      return this.#compare(mint);
    });
  }

  async #compare(mint: Address): Promise<void> {
    const { source, signal } = this.#deps;
    const reader = source.background ?? source;
    // A node that does not answer fails the searches too, which report it.
    const largest = await reader.findLargestAccounts(mint, signal).catch(() => null);
    const missing = this.#missing.get(mint);
    if (largest?.kind !== "found" || missing === undefined) return;
    const before = missing.holders;
    missing.holders = largest.addresses;
    if (before === null || largest.addresses.every((holder) => before.includes(holder))) return;
    this.#searchNext([mint]);
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
