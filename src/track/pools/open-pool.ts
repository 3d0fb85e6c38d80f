import type { UnpricedPool } from "#src/measure/market/market.ts";
import type { Address } from "#src/units/address.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import type { FastQuoter } from "#src/venues/fast-quoter.ts";
import { bindPool, type QuotablePool } from "#src/venues/quotable-pool.ts";
import type { Clock, Decoded, PoolOutline, Venue } from "#src/venues/venue.ts";
import { heldOf, quoteMintFor } from "./quote-mints.ts";

/** Identifies a pool: its program and its account. */
export type PoolRef = {
  readonly venue: Venue<unknown>;
  readonly address: Address;
  /** The token whose search led here. */
  readonly mint: Address;
  /** Only a launchpad or its program can put a pool at this address: it is always followed. */
  readonly isReserved: boolean;
};

/** A pool that sells `baseMint`, with its last decoded state. */
export type OpenPool = {
  readonly ref: PoolRef;
  readonly baseMint: Address;
  /** Null while the pair is unreadable. */
  quoteMint: Address | null;
  decoded: Decoded<unknown>;
  /** Created once and refreshed with the bytes; null if the venue has none for this pool. */
  quoter: FastQuoter | null;
  /** The quoter while the pool is within its range; else null. */
  fast: FastQuoter | null;
};

const NOT_READ: Decoded<unknown> = {
  kind: "unusable",
  reason: "missing-account",
  detail: "not read yet",
};

/** Opens a pool on loaded accounts. Never throws: a venue's bug affects this pool only. */
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

/** Decodes the pool again after one of its accounts changed. */
export function rereadPool(pool: OpenPool, known: AccountSet): void {
  const { venue, address, mint } = pool.ref;
  try {
    pool.decoded = venue.decode(address, known, mint);
    pool.quoteMint ??= quoteMintFor(pool.baseMint, outlineOf(pool.ref, known));
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

/**
 * The clock for quotes in these pools. Their accounts may be newer than the chain's clock that was received: then it
 * is the latest time in them, since the chain's time never falls.
 */
export function clockFor(pools: readonly OpenPool[], clock: Clock): Clock {
  let latest = clock;
  for (const { ref, decoded } of pools) {
    if (decoded.kind === "unusable") continue;
    const writtenAt = ref.venue.writtenAt?.(decoded.state);
    if (writtenAt === undefined || writtenAt <= latest.unixTimestamp) continue;
    latest = { slot: clock.slot, epoch: clock.epoch, unixTimestamp: writtenAt };
  }
  return latest;
}

/** The pool bound to a clock; null if it is unusable or pays in a token we do not count. */
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

/** The facts about a pool that can't be priced; null if it can be priced. */
export function unpricedPool(pool: OpenPool, known: AccountSet): UnpricedPool | null {
  if (pool.decoded.kind === "pool" && pool.quoteMint !== null) return null;
  const why =
    pool.decoded.kind === "unusable"
      ? { reason: pool.decoded.reason, detail: pool.decoded.detail }
      : ({ reason: "undecodable", detail: "the pair can't be read" } as const);
  return { ...factsOf(pool, known), ...why };
}

/** The same of a pool whose accounts have not all arrived. */
export function unreadPool(pool: OpenPool, known: AccountSet): UnpricedPool {
  return { ...factsOf(pool, known), reason: "unread", detail: "not read yet" };
}

function factsOf(pool: OpenPool, known: AccountSet): Omit<UnpricedPool, "reason" | "detail"> {
  const { id, family, kind } = pool.ref.venue;
  const { quoteMint } = pool;
  const quoteHeld = quoteHeldOf(pool, known);
  return { venue: id, family, kind, address: pool.ref.address, quoteHeld, quoteMint };
}

/** Whether the program owns the account: anyone can send lamports to a derived address. */
export function isOwned(
  { venue, address }: Pick<PoolRef, "venue" | "address">,
  known: AccountSet,
): boolean {
  return known.get(address)?.owner === venue.programId;
}

/** The balance of the pool's quote vault, in base units of its quote mint; null if unknown. */
function quoteHeldOf(pool: Pick<OpenPool, "ref" | "quoteMint">, known: AccountSet): bigint | null {
  if (pool.quoteMint === null) return null;
  return heldOf(outlineOf(pool.ref, known), pool.quoteMint);
}

/** The pair and its vaults' balances; null: unreadable, as pump's curve is without its mint. */
export function outlineOf(
  { venue, address, mint }: Pick<PoolRef, "venue" | "address"> & Partial<Pick<PoolRef, "mint">>,
  known: AccountSet,
): PoolOutline | null {
  try {
    return venue.outline(address, known, mint);
  } catch {
    // By contract it never throws; if it does, the pair counts as unreadable.
    return null;
  }
}
