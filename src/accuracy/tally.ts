import { differenceBps, isReplayed, type JudgedSwap } from "./judged-swap.ts";
import type { SkipReason } from "./swap-reader.ts";

/** What became of the swaps of one program in one stretch of time. */
export type Tally = {
  seen: number;
  replayed: number;
  exact: number;
  /** Exact ones included. */
  within1Bp: number;
  /** The largest difference; null while nothing was replayed. */
  worstBps: number | null;
  skipped: Partial<Record<SkipReason, number>>;
};

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
}

export function sumTallies(tallies: Iterable<Tally>): Tally {
  const sum = emptyTally();
  for (const tally of tallies) {
    sum.seen += tally.seen;
    sum.replayed += tally.replayed;
    sum.exact += tally.exact;
    sum.within1Bp += tally.within1Bp;
    if (tally.worstBps !== null) sum.worstBps = Math.max(sum.worstBps ?? 0, tally.worstBps);
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
