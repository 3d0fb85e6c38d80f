import type { MarketProgram } from "../market-program.ts";
import { meteoraDbcProgram } from "./meteora-dbc.ts";
import { meteoraDlmmProgram } from "./meteora-dlmm.ts";
import { orcaWhirlpoolProgram } from "./orca-whirlpool.ts";
import { pumpCurveProgram } from "./pump-curve.ts";
import { pumpSwapProgram } from "./pumpswap.ts";
import { raydiumClmmProgram } from "./raydium-clmm.ts";
import { raydiumLaunchLabProgram } from "./raydium-launchlab.ts";

/** Every program that the demo market can play, one line each. */
export const MARKET_PROGRAMS: readonly MarketProgram[] = [
  meteoraDbcProgram,
  meteoraDlmmProgram,
  orcaWhirlpoolProgram,
  pumpCurveProgram,
  pumpSwapProgram,
  raydiumClmmProgram,
  raydiumLaunchLabProgram,
];
