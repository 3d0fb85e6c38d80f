import type { Scenario } from "./scenario.ts";
import { meteoraDammV2Scenarios } from "./scenarios/meteora-damm-v2.ts";
import { meteoraDlmmScenarios } from "./scenarios/meteora-dlmm.ts";
import { orcaWhirlpoolScenarios } from "./scenarios/orca-whirlpool.ts";
import { pumpSwapScenarios } from "./scenarios/pumpswap.ts";
import { raydiumClmmScenarios } from "./scenarios/raydium-clmm.ts";
import { raydiumCpmmScenarios } from "./scenarios/raydium-cpmm.ts";
import { splitScenarios } from "./scenarios/split.ts";

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
