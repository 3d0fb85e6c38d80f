import { toNumber } from "#src/units/to-number.ts";
import { timestamp } from "./timestamp.ts";

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
    readonly program: ProgramAnswer;
  }[];
  readonly quoted: readonly {
    readonly ageSeconds: number;
    readonly day: QuotedAnswer;
    readonly month: QuotedAnswer;
  }[];
};

/** What is known of a venue's program; as `accuracy/program-watch.ts` reports it. */
export type ProgramAnswer = {
  readonly state:
    | { readonly kind: "deployed"; readonly slot: bigint; readonly isUpgradeable: boolean }
    | { readonly kind: "immutable" }
    | { readonly kind: "unknown"; readonly reason: string };
  readonly readAtMs: number | null;
  readonly upgrade: { readonly previousSlot: bigint; readonly seenAtMs: number } | null;
};

/** How far sales fell short of answers of at most an age, in basis points of their worth; null: no sale was compared. */
export type QuotedAnswer = {
  readonly compared: number;
  readonly p10Bps: number | null;
  readonly p50Bps: number | null;
  readonly p90Bps: number | null;
  readonly p99Bps: number | null;
};

/** GET /api/accuracy: how near the modelled outputs are to executed ones, per program. Null: nothing replayed. */
export function accuracyBody({ venues, quoted }: AccuracyAnswer) {
  return {
    venues: venues.map(({ venue, windows, exactPct, program }) => ({
      program: venue,
      exact_pct: exactPct,
      deployed_slot: program.state.kind === "deployed" ? toNumber(program.state.slot) : null,
      deployment: deploymentBody(program),
      windows: {
        hour: windowBody(windows.hour),
        day: windowBody(windows.day),
        month: windowBody(windows.month),
      },
    })),
    quoted_vs_executed: quoted.map(({ ageSeconds, day, month }) => ({
      age_seconds: ageSeconds,
      windows: { day: quotedBody(day), month: quotedBody(month) },
    })),
  };
}

function deploymentBody({ state, readAtMs, upgrade }: ProgramAnswer) {
  return {
    state: state.kind === "deployed" ? (state.isUpgradeable ? "upgradeable" : "final") : state.kind,
    unknown_because: state.kind === "unknown" ? state.reason : null,
    read_at: readAtMs === null ? null : timestamp(readAtMs),
    upgrade_seen_at: upgrade === null ? null : timestamp(upgrade.seenAtMs),
    previous_slot: upgrade === null ? null : toNumber(upgrade.previousSlot),
  };
}

function quotedBody({ compared, p10Bps, p50Bps, p90Bps, p99Bps }: QuotedAnswer) {
  return { compared, p10_bps: p10Bps, p50_bps: p50Bps, p90_bps: p90Bps, p99_bps: p99Bps };
}

function windowBody({ seen, replayed, exact, within1Bp, worstBps, skipped }: WindowAnswer) {
  return { seen, replayed, exact, within_1bp: within1Bp, worst_bps: worstBps, skipped };
}

/** An executed swap; as `accuracy/judged-swap-reader.ts` tells it. */
export type SwapAnswer = {
  readonly atMs: number;
  readonly venue: string;
  readonly pool: string;
  readonly slot: bigint;
  readonly signature: string;
  readonly deployedSlot: bigint | null;
  readonly differenceBps: number | null;
  readonly outcome:
    | { readonly kind: "skipped"; readonly reason: string }
    | {
        readonly kind: "replayed";
        readonly inputMint: string;
        readonly outputMint: string;
        readonly amountIn: bigint;
        readonly executed: bigint;
        readonly modelled: bigint | null;
      };
};

/** GET /api/accuracy/swaps. Amounts are decimal text; null: not replayed, or refused by the model. */
export function swapsBody(swaps: readonly SwapAnswer[]) {
  return { swaps: swaps.map(swapBody) };
}

function swapBody({ outcome, differenceBps, ...swap }: SwapAnswer) {
  const replayed = outcome.kind === "replayed" ? outcome : null;
  const modelled = replayed?.modelled ?? null;
  return {
    program: swap.venue,
    pool: swap.pool,
    slot: toNumber(swap.slot),
    signature: swap.signature,
    seen_at: timestamp(swap.atMs),
    deployed_slot: swap.deployedSlot === null ? null : toNumber(swap.deployedSlot),
    outcome: outcomeWord(outcome),
    skipped_because: outcome.kind === "skipped" ? outcome.reason : null,
    input_mint: replayed?.inputMint ?? null,
    output_mint: replayed?.outputMint ?? null,
    amount_in: decimal(replayed?.amountIn ?? null),
    executed: decimal(replayed?.executed ?? null),
    modelled: decimal(modelled),
    difference: decimal(
      replayed === null || modelled === null ? null : modelled - replayed.executed,
    ),
    difference_bps: differenceBps,
  };
}

function outcomeWord(outcome: SwapAnswer["outcome"]) {
  if (outcome.kind === "skipped") return "skipped";
  if (outcome.modelled === null) return "refused";
  return outcome.modelled === outcome.executed ? "exact" : "inexact";
}

function decimal(amount: bigint | null): string | null {
  return amount === null ? null : String(amount);
}
