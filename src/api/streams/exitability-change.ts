import { STANDARD_SIZES } from "#src/measure/assessment.ts";
import type { ExitabilityBody } from "../measuring/exitability-body.ts";

/**
 * Whether an answer differs from an earlier one: another state, phase, alert, trend,
 * confidence or largest size, a size that can or can't be sold any more, or a slippage that moved by
 * `thresholdPct` percentage points or more. A new time alone is not a change.
 */
export function hasMoved(
  earlier: ExitabilityBody,
  later: ExitabilityBody,
  thresholdPct: number,
): boolean {
  return (
    wordsOf(earlier) !== wordsOf(later) ||
    STANDARD_SIZES.some((size) => {
      const [from, to] = [earlier.slippage.all[size], later.slippage.all[size]];
      if (from === null || to === null) return from !== to;
      return from !== to && Math.abs(to - from) >= thresholdPct;
    })
  );
}

function wordsOf(body: ExitabilityBody): string {
  const { state, fase, amm, confianza, trend, alerta_deterioro, exit_max_sol } = body;
  return [state, fase, amm, confianza, trend, alerta_deterioro, exit_max_sol].join("|");
}
