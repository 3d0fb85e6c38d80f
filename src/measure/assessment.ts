import type { Address } from "#src/units/address.ts";
import type { Ratio } from "#src/units/ratio.ts";
import type { Family, PoolStatus, VenueId } from "#src/venues/venue.ts";
import type { Finding } from "./confidence/finding.ts";
import type { TokenFacts } from "./market/market.ts";

/** The standard sizes of a position, in SOL, as keys; ascending. */
export const STANDARD_SIZES = ["0.5", "1", "2", "5", "10", "50"] as const;
export type StandardSize = (typeof STANDARD_SIZES)[number];

export type Profile = "retail" | "pro";

/** The same sizes in lamports. */
export const STANDARD_SIZE_LAMPORTS: Readonly<Record<StandardSize, bigint>> = {
  "0.5": 500_000_000n,
  "1": 1_000_000_000n,
  "2": 2_000_000_000n,
  "5": 5_000_000_000n,
  "10": 10_000_000_000n,
  "50": 50_000_000_000n,
};

/** The same, by place in `STANDARD_SIZES`. */
export const STANDARD_LAMPORTS: readonly bigint[] = STANDARD_SIZES.map(
  (size) => STANDARD_SIZE_LAMPORTS[size],
);

/** A value for each standard size; `index` is its place in `STANDARD_SIZES`. */
export function bySize<T>(of: (size: StandardSize, index: number) => T): Record<StandardSize, T> {
  const entries = STANDARD_SIZES.map((size, index) => [size, of(size, index)]);
  return Object.fromEntries(entries) as Record<StandardSize, T>;
}

/** Phase of a token between its launchpad's curve and the pools. */
export type Phase =
  /** A launchpad's curve sells it. */
  | "on-curve"
  /** Its curve is full and its pool is not open yet. */
  | "migrating"
  /** Graduated from a curve to a pool. */
  | "migrated"
  /** Its pools never came from a curve we know. */
  | "listed";

/** Why a token can't be measured (method.md section 4). */
export type BlockReason =
  | "mint-unreadable"
  | "unpriced-majority"
  | "stale"
  | "all-paused"
  | "migrating"
  | "search-incomplete"
  | "not-transferable";

export type Ladder = {
  /**
   * Percent, rounded up to 4 decimals, by place in `STANDARD_SIZES`; null: can't be sold whole. Not by size:
   * an object with the key "50" takes 750 bytes in V8, for each profile of each token.
   */
  readonly slippagesPct: readonly (number | null)[];
  /** 0 to 100, one decimal. */
  readonly score: number;
  /** The largest standard size below 10 %, in SOL; 0 where none is. */
  readonly exitMaxSol: number;
};

export type PoolShare = {
  readonly venue: VenueId;
  readonly family: Family;
  readonly address: Address;
  readonly quoteMint: Address;
  readonly status: PoolStatus;
  /** Of the first hop into SOL that is not open; absent: every hop is. */
  readonly hopStatus?: PoolStatus;
  /** Lamports that selling can still reach here; other quotes at spot. */
  readonly depthLamports: bigint;
  /** W: lamports that it pays before its price after fees falls below 0.9 of the reference bid. */
  readonly nearDepthLamports: bigint;
  /** Lamports that it would pay before its own price falls 10 %, wherever the market is. */
  readonly ownNearDepthLamports: bigint;
  /** Lamports per base unit, before fees; null where nothing can be sold. */
  readonly spotPrice: Ratio | null;
  /** The hops that sell what it pays; absent: it pays SOL, or nothing can be sold. */
  readonly hops?: HopsShare;
  readonly feePpm: number;
  /**
   * The part of it that transfer fees with a maximum have, in ppm of what the other fees leave, and their terms: it
   * depends on the pool's depth. Absent: none has.
   */
  readonly cappedFee?: { readonly ppm: number; readonly terms: string };
};

/** The hops behind a pool, as one. */
export type HopsShare = {
  /** Lamports per unit of the pool's quote mint, before fees. */
  readonly spotPrice: Ratio;
  /** Lamports that they pay before their price falls 10 %. */
  readonly nearDepthLamports: bigint;
  readonly pools: readonly Address[];
  /** One of them is a launchpad's curve: another pool follows it without a withdrawal. */
  readonly hasCurve: boolean;
};

/** Figures of a market that could be reconstructed. */
export type Measurement = {
  readonly depthLamports: bigint;
  /** Lamports per base unit, before fees; null where nothing can be sold. */
  readonly midPrice: Ratio | null;
  readonly retail: Ladder;
  readonly pro: Ladder;
  /** Exit capacity C10, in SOL: the largest size that still sells with at most 10 % slippage, by the pro route. */
  readonly c10Sol: number;
  readonly pools: readonly PoolShare[];
};

/** The part of a market that could be priced, whatever the rest of it is. */
export type PricedPart = Pick<Measurement, "c10Sol" | "pools">;

/**
 * One token's exitability at one slot and clock. A pure function of account bytes, slot and clock:
 * the same input gives the same assessment, byte for byte.
 */
export type Assessment = {
  readonly mint: Address;
  /** Null where the mint can't be read. */
  readonly decimals: number | null;
  /** What the mint says; null where it can't be read. */
  readonly token: TokenFacts | null;
  readonly phase: Phase;
  readonly family: Family;
  /** Null where the token is blocked; `blocked` says why. Unknown is never zero. */
  readonly measurement: Measurement | null;
  readonly blocked: BlockReason | null;
  /**
   * What the priced pools allow while the answer is blocked, for the alert only; null where the answer
   * is not blocked, or where nothing is known of these pools.
   */
  readonly pricedWhileBlocked: PricedPart | null;
  /** Everything that lowers confidence, worst first; empty: confidence is high. */
  readonly findings: readonly Finding[];
  /** The newest slot at which the state is known to hold, and its block time. */
  readonly slot: bigint;
  readonly stateTimeMs: number;
  /** The slot may still be dropped; absent: it is confirmed. */
  readonly commitment?: "processed";
};
