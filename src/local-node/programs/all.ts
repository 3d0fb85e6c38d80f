import type { MarketProgram } from "../market-program.ts";
import { pumpCurveProgram } from "./pump-curve.ts";
import { pumpSwapProgram } from "./pumpswap.ts";
import { raydiumLaunchLabProgram } from "./raydium-launchlab.ts";

/** Every program that the demo market can play, one line each. */
export const MARKET_PROGRAMS: readonly MarketProgram[] = [
  pumpCurveProgram,
  pumpSwapProgram,
  raydiumLaunchLabProgram,
];
