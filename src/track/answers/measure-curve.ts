import { setImmediate as nextTurn } from "node:timers/promises";
import type { Profile } from "#src/measure/assessment.ts";
import type { Market } from "#src/measure/market/market.ts";
import { exitAt } from "#src/measure/questions/exit-at.ts";
import { CURVE_SIZES_LAMPORTS, type ExitCurve } from "#src/measure/questions/exit-curve.ts";

/**
 * Measures the forty sales of a curve, all on `market`. Each is a run of its own, with a turn of the event loop after it:
 * on many pools they take long together, and an execution is limited in sales.
 *
 * @param run measures on this market, or on its executed amounts
 */
export async function measureCurve(
  market: Market,
  run: <Answer>(measure: (market: Market) => Answer) => Answer | Promise<Answer>,
): Promise<ExitCurve> {
  let isBlocked = false;
  const slippagesOf = async (profile: Profile): Promise<readonly (number | null)[]> => {
    const slippages: (number | null)[] = [];
    for (const sizeLamports of CURVE_SIZES_LAMPORTS) {
      const exit = await run((asked) => exitAt(asked, sizeLamports, profile));
      slippages.push(exit.kind === "sold" ? exit.slippagePct : null);
      isBlocked ||= exit.kind === "unsellable" && exit.reason === "blocked";
      await nextTurn();
    }
    return slippages;
  };
  const slippagesPct = { retail: await slippagesOf("retail"), pro: await slippagesOf("pro") };
  return { slot: market.slot, stateTimeMs: market.stateTimeMs, isBlocked, slippagesPct };
}
