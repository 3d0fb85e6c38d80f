import { STANDARD_SIZES } from "#src/measure/assessment.ts";
import type { ExitabilityBody } from "../measuring/exitability-body.ts";

/** Figures are decimals: a difference of exactly the threshold may come out a little below it. */
const ROUNDING_PCT = 1e-9;

/**
 * Whether an answer differs from an earlier one: another state, phase, alert, trend, confidence or
 * largest size; a figure that is known or unknown now; a slippage or the score that moved by
 * `thresholdPct` points or more, or depth or mid that moved by as many percent. A new time alone is
 * not a change.
 */
export function hasMoved(
  earlier: ExitabilityBody,
  later: ExitabilityBody,
  thresholdPct: number,
): boolean {
  const least = thresholdPct - ROUNDING_PCT;
  return (
    wordsOf(earlier) !== wordsOf(later) ||
    pointsMoved(earlier.score, later.score) >= least ||
    percentMoved(earlier.depth_sol, later.depth_sol) >= least ||
    percentMoved(earlier.precio_mid, later.precio_mid) >= least ||
    STANDARD_SIZES.some(
      (size) => pointsMoved(earlier.slippage.all[size], later.slippage.all[size]) >= least,
    )
  );
}

/** Whether an answer has anything new, a newer time included. */
export function isNewer(earlier: ExitabilityBody, later: ExitabilityBody): boolean {
  return earlier.updated_at !== later.updated_at || hasMoved(earlier, later, 0);
}

function wordsOf(body: ExitabilityBody): string {
  const { state, fase, amm, confianza, trend, alerta_deterioro, exit_max_sol } = body;
  return [state, fase, amm, confianza, trend, alerta_deterioro, exit_max_sol].join("|");
}

/** Negative: it did not move, whatever the threshold. */
function pointsMoved(from: number | null, to: number | null): number {
  if (from === to) return Number.NEGATIVE_INFINITY;
  return from === null || to === null ? Number.POSITIVE_INFINITY : Math.abs(to - from);
}

function percentMoved(from: number | null, to: number | null): number {
  const points = pointsMoved(from, to);
  return Number.isFinite(points) && from !== null ? (100 * points) / Math.abs(from) : points;
}
