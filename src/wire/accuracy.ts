/** What became of one program's swaps in one window; as `accuracy/tally.ts` counts them. */
export type WindowAnswer = {
  readonly seen: number;
  readonly replayed: number;
  readonly exact: number;
  readonly within1Bp: number;
  readonly worstBps: number | null;
  readonly skipped: Readonly<Partial<Record<string, number>>>;
};

export type AccuracyAnswer = {
  readonly venues: readonly {
    readonly venue: string;
    readonly windows: Readonly<Record<"hour" | "day" | "month", WindowAnswer>>;
    readonly exactPct: number | null;
  }[];
};

/** GET /api/accuracy: how near the modelled outputs are to executed ones, per program. Null: nothing replayed. */
export function accuracyBody({ venues }: AccuracyAnswer) {
  return {
    venues: venues.map(({ venue, windows, exactPct }) => ({
      program: venue,
      exact_pct: exactPct,
      windows: {
        hour: windowBody(windows.hour),
        day: windowBody(windows.day),
        month: windowBody(windows.month),
      },
    })),
  };
}

function windowBody({ seen, replayed, exact, within1Bp, worstBps, skipped }: WindowAnswer) {
  return { seen, replayed, exact, within_1bp: within1Bp, worst_bps: worstBps, skipped };
}
