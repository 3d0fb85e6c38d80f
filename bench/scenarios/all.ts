import { meteoraDammV2Scenarios } from "./meteora-damm-v2.ts";
import { meteoraDlmmScenarios } from "./meteora-dlmm.ts";
import { orcaWhirlpoolScenarios } from "./orca-whirlpool.ts";
import { pumpSwapScenarios } from "./pumpswap.ts";
import { raydiumClmmScenarios } from "./raydium-clmm.ts";
import { raydiumCpmmScenarios } from "./raydium-cpmm.ts";
import type { Scenario } from "./scenario.ts";
import { splitScenarios } from "./split.ts";

/**
 * Contender pairs. Venues with a fast path keep their bars of the performance study; for the others
 * the reference must be 10 times as fast as the official SDK on the same bytes.
 */
export const SCENARIOS: readonly Scenario[] = [
  ...pumpSwapScenarios,
  ...raydiumCpmmScenarios,
  ...meteoraDammV2Scenarios,
  ...raydiumClmmScenarios,
  ...orcaWhirlpoolScenarios,
  ...meteoraDlmmScenarios,
  ...splitScenarios,
];
