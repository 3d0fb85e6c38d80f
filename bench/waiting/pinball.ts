import { quantilesOf } from "#src/track/history/waiting.ts";
import { type Days, stepsOf } from "./played-markets.ts";
import { mean } from "./ranges.ts";

const PINBALL_SHARES = [0.01, 0.1, 0.5, 0.9, 0.99];
/** Factor of the exponential mean for one step of ten seconds: its half-life is ten minutes. */
const KEPT = 0.5 ** (1 / 60);

/** Mean pinball loss on the second day: of a token's quantiles, of the pooled ones, and of two forecasts. */
export function pinballLosses(tokens: readonly Days[], pooled: Float64Array, seconds: number) {
  const losses = tokens.map(({ firstSorted, second }) => {
    const own = quantilesOf(firstSorted, PINBALL_SHARES);
    const global = quantilesOf(pooled, PINBALL_SHARES);
    const means = exponentialMeans(second, stepsOf(seconds));
    return {
      own: pinball(second, (_, at) => own[at] ?? 0),
      oneForAll: pinball(second, (_, at) => global[at] ?? 0),
      unchanged: pinball(second, () => 0),
      exponentialMean: pinball(second, (step) => means[step] ?? 0),
    };
  });
  return {
    own: mean(losses.map(({ own }) => own)),
    oneForAll: mean(losses.map(({ oneForAll }) => oneForAll)),
    unchanged: mean(losses.map(({ unchanged }) => unchanged)),
    exponentialMean: mean(losses.map(({ exponentialMean }) => exponentialMean)),
  };
}

/** Mean loss over all quantiles, of a forecast by step. */
function pinball(changes: Float64Array, forecast: (step: number, index: number) => number): number {
  let sum = 0;
  for (const [step, change] of changes.entries()) {
    for (const [index, share] of PINBALL_SHARES.entries()) {
      const miss = change - forecast(step, index);
      sum += miss * (miss >= 0 ? share : share - 1);
    }
  }
  return sum / changes.length / PINBALL_SHARES.length;
}

/** Of the changes that were complete when the forecast was made. */
function exponentialMeans(changes: Float64Array, waited: number): Float64Array {
  const means = new Float64Array(changes.length);
  let held = 0;
  for (let step = 0; step < changes.length; step++) {
    const known = step - waited;
    if (known >= 0) held = KEPT * held + (1 - KEPT) * (changes[known] ?? 0);
    means[step] = held;
  }
  return means;
}
