import type { ExitabilityBody } from "#src/api/measuring/exitability-body.ts";

export type SizeKey = keyof ExitabilityBody["slippage"]["all"];
export const SIZES: readonly SizeKey[] = ["0.5", "1", "2", "5", "10", "50"];

/** The slider moves on a logarithm, from 0.01 to 1000 SOL. */
const STEPS = 500;
const LOG_SMALLEST = Math.log10(0.01);
const LOG_LARGEST = Math.log10(1000);

export const SLIDER_STEPS = STEPS;

/** The size at a step of the slider, with two significant digits. */
export function sizeAtStep(step: number): number {
  const size = 10 ** (LOG_SMALLEST + ((LOG_LARGEST - LOG_SMALLEST) * step) / STEPS);
  return Math.min(1000, Math.max(0.01, Number(size.toPrecision(2))));
}

/** The step that shows a size. */
export function stepOfSize(size: number): number {
  const share = (Math.log10(size) - LOG_SMALLEST) / (LOG_LARGEST - LOG_SMALLEST);
  return Math.round(Math.min(1, Math.max(0, share)) * STEPS);
}

/** How a slippage feels to one who has to leave: the contract's own line is 10 %. */
export function verdictOf(slippagePct: number | null): "good" | "warn" | "bad" {
  if (slippagePct === null || slippagePct >= 30) return "bad";
  return slippagePct < 10 ? "good" : "warn";
}
