import type { UnpricedPool } from "#src/measure/market.ts";
import type { Address } from "#src/units/address.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import type { FastQuoter } from "#src/venues/fast-quoter.ts";
import { bindPool, type QuotablePool } from "#src/venues/quotable-pool.ts";
import type { Clock, Decoded, PoolOutline, Venue } from "#src/venues/venue.ts";
import { heldOf, quoteMintFor } from "./quote-mints.ts";

/** A pool's place: which program, and which account of it. */
export type PoolRef = {
  readonly venue: Venue<unknown>;
  readonly address: Address;
  /** The token whose search led here. */
  readonly mint: Address;
  /** It stands at an address that follows from the mint: nobody else can make it. */
  readonly isDerived: boolean;
};

/** A pool that sells `baseMint`, with what was last read out of its bytes. */
export type OpenPool = {
  readonly ref: PoolRef;
  readonly baseMint: Address;
  /** Null while the pair can't be read. */
  quoteMint: Address | null;
  decoded: Decoded<unknown>;
  /** Opened once and refreshed with the bytes; null where the venue has none for this pool. */
  quoter: FastQuoter | null;
  /** The quoter while the numbers are in its range. */
  fast: FastQuoter | null;
};

const NOT_READ: Decoded<unknown> = {
  kind: "unusable",
  reason: "missing-account",
  detail: "not read yet",
};

/** Opens a pool on loaded accounts. Never throws: a venue's mistake costs this one pool. */
export function openPool(ref: PoolRef, baseMint: Address, known: AccountSet): OpenPool {
  const pool: OpenPool = {
    ref,
    baseMint,
    quoteMint: null,
    decoded: NOT_READ,
    quoter: null,
    fast: null,
  };
  rereadPool(pool, known);
  return pool;
}

/** Reads the pool again after bytes of one of its accounts changed. */
export function rereadPool(pool: OpenPool, known: AccountSet): void {
  const { venue, address, mint } = pool.ref;
  try {
    pool.decoded = venue.decode(address, known, mint);
    if (pool.quoteMint === null) {
      const pair = outlineOf(pool.ref, known);
      pool.quoteMint = pair === null ? null : quoteMintFor(pool.baseMint, pair);
    }
    pool.fast = pool.decoded.kind === "pool" ? refreshedFast(pool, known) : null;
  } catch (cause) {
    pool.decoded = { kind: "unusable", reason: "undecodable", detail: String(cause) };
    pool.fast = null;
  }
}

function refreshedFast(pool: OpenPool, known: AccountSet): FastQuoter | null {
  if (pool.quoter !== null) return pool.quoter.refresh(known) ? pool.quoter : null;
  const { venue, address } = pool.ref;
  pool.quoter = venue.openFast?.(address, known, pool.baseMint) ?? null;
  return pool.quoter;
}

/** The pool bound to a clock, or null where its bytes give none or it pays in nothing we count. */
export function bindOpenPool(pool: OpenPool, clock: Clock): QuotablePool | null {
  if (pool.decoded.kind === "unusable" || pool.quoteMint === null) return null;
  return bindPool({
    venue: pool.ref.venue,
    address: pool.ref.address,
    state: pool.decoded.state,
    baseMint: pool.baseMint,
    quoteMint: pool.quoteMint,
    clock,
    fast: pool.fast,
  });
}

/** What is known of a pool that can't be priced, or null where it can. */
export function unpricedPool(pool: OpenPool, known: AccountSet): UnpricedPool | null {
  const { venue, address } = pool.ref;
  if (pool.decoded.kind === "pool" && pool.quoteMint !== null) return null;
  const [reason, detail] =
    pool.decoded.kind === "unusable"
      ? [pool.decoded.reason, pool.decoded.detail]
      : (["undecodable", "the pair can't be read"] as const);
  return {
    venue: venue.id,
    family: venue.family,
    kind: venue.kind,
    address,
    reason,
    detail,
    quoteHeld: quoteHeld(pool, known),
    quoteMint: pool.quoteMint,
  };
}

/** What the pool's quote vault holds, in units of its quote mint; null where that is unknown. */
export function quoteHeld(
  pool: Pick<OpenPool, "ref" | "quoteMint">,
  known: AccountSet,
): bigint | null {
  if (pool.quoteMint === null) return null;
  return heldOf(outlineOf(pool.ref, known), pool.quoteMint);
}

/** The pair and its vaults' balances; null where they are unreadable. */
export function outlineOf(ref: PoolRef, known: AccountSet): PoolOutline | null {
  try {
    return ref.venue.outline(ref.address, known, ref.mint);
  } catch {
    // By contract it never throws; where it does, the pair counts as unreadable.
    return null;
  }
}
