import type { MarketProgram } from "../market-program.ts";
import { meteoraDammV1Program } from "./meteora-damm-v1.ts";
import { meteoraDammV2Program } from "./meteora-damm-v2.ts";
import { meteoraDbcProgram } from "./meteora-dbc.ts";
import { meteoraDlmmProgram } from "./meteora-dlmm.ts";
import { orcaWhirlpoolImmutableProgram, orcaWhirlpoolProgram } from "./orca-whirlpool.ts";
import { pumpCurveProgram } from "./pump-curve.ts";
import { pumpSwapProgram } from "./pumpswap.ts";
import { raydiumAmmV4Program } from "./raydium-amm-v4.ts";
import { raydiumClmmProgram } from "./raydium-clmm.ts";
import { raydiumCpmmProgram } from "./raydium-cpmm.ts";
import { raydiumLaunchLabProgram } from "./raydium-launchlab.ts";

/** Every program that the demo market can play, one line each. */
export const MARKET_PROGRAMS: readonly MarketProgram[] = [
  meteoraDammV1Program,
  meteoraDammV2Program,
  meteoraDbcProgram,
  meteoraDlmmProgram,
  orcaWhirlpoolProgram,
  orcaWhirlpoolImmutableProgram,
  pumpCurveProgram,
  pumpSwapProgram,
  raydiumAmmV4Program,
  raydiumClmmProgram,
  raydiumCpmmProgram,
  raydiumLaunchLabProgram,
];
