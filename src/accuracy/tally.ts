import type { SkipReason } from "#src/venues/swap-reader.ts";
import { differenceBps, isDust, isReplayed, type JudgedSwap } from "./judged-swap.ts";

/** The results of the swaps of one program in one time range. */
export type Tally = {
  seen: number;
  replayed: number;
  exact: number;
  /** Exact ones included. */
  within1Bp: number;
  /** The largest difference; null if nothing was replayed. */
  worstBps: number | null;
  skipped: Partial<Record<SkipReason, number>>;
  /** Inexact swaps that are more than dust, and where they came from; absent: none. */
  failures?: FailureSources;
};

/** Inexact swaps: how many, and the first distinct pools and signers of them. */
export type FailureSources = {
  swaps: number;
  pools: readonly string[];
  signers: readonly string[];
};

/** Distinct pools and signers that are kept of one time range: bounds what is stored. */
const SOURCES_KEPT = 32;

export function emptyTally(): Tally {
  return { seen: 0, replayed: 0, exact: 0, within1Bp: 0, worstBps: null, skipped: {} };
}

export function countSwap(tally: Tally, swap: JudgedSwap): void {
  tally.seen++;
  if (!isReplayed(swap)) {
    const { outcome } = swap;
    if (outcome.kind === "skipped") addSkipped(tally, outcome.reason, 1);
    return;
  }
  const bps = differenceBps(swap.outcome);
  tally.replayed++;
  if (bps === 0) tally.exact++;
  if (bps <= 1) tally.within1Bp++;
  tally.worstBps = Math.max(tally.worstBps ?? 0, bps);
  if (bps === 0 || isDust(swap.outcome)) return;
  // Without a known signer, each pool counts as one.
  const signer = swap.signer ?? swap.pool;
  addFailures(tally, { swaps: 1, pools: [swap.pool], signers: [signer] });
}

function addFailures(tally: Tally, added: FailureSources): void {
  const { swaps, pools, signers } = tally.failures ?? { swaps: 0, pools: [], signers: [] };
  tally.failures = {
    swaps: swaps + added.swaps,
    pools: distinct(pools, added.pools),
    signers: distinct(signers, added.signers),
  };
}

function distinct(known: readonly string[], added: readonly string[]): readonly string[] {
  const fresh = added.filter((source) => !known.includes(source));
  return fresh.length === 0 ? known : [...known, ...fresh].slice(0, SOURCES_KEPT);
}

export function sumTallies(tallies: Iterable<Tally>): Tally {
  const sum = emptyTally();
  for (const tally of tallies) {
    sum.seen += tally.seen;
    sum.replayed += tally.replayed;
    sum.exact += tally.exact;
    sum.within1Bp += tally.within1Bp;
    if (tally.worstBps !== null) sum.worstBps = Math.max(sum.worstBps ?? 0, tally.worstBps);
    if (tally.failures !== undefined) addFailures(sum, tally.failures);
    for (const [reason, count] of Object.entries(tally.skipped)) {
      addSkipped(sum, reason, count ?? 0);
    }
  }
  return sum;
}

function addSkipped(tally: Tally, reason: string, count: number): void {
  const skipped: Record<string, number | undefined> = tally.skipped;
  skipped[reason] = (skipped[reason] ?? 0) + count;
}
