import type { Profile } from "../assessment.ts";

/** Tenths of SOL: about six to a factor of ten, so that a line between two of them is not a guess. */
const SIZES_TENTHS = [
  1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000,
] as const;
const LAMPORTS_PER_TENTH = 100_000_000n;

/** The sizes of a curve, ascending. */
export const CURVE_SIZES_LAMPORTS: readonly bigint[] = SIZES_TENTHS.map(
  (tenths) => BigInt(tenths) * LAMPORTS_PER_TENTH,
);

/** The slippage of twenty sizes, all on one market. */
export type ExitCurve = {
  readonly slot: bigint;
  readonly stateTimeMs: number;
  /** Nothing is known then: every slippage is null. */
  readonly isBlocked: boolean;
  /** One for each of `CURVE_SIZES_LAMPORTS`, in percent; null: it can't be sold whole, or is not allowed. */
  readonly slippagesPct: Readonly<Record<Profile, readonly (number | null)[]>>;
};
