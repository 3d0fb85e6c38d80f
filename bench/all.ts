import type { Scenario } from "./scenario.ts";
import { meteoraDammScenarios } from "./scenarios/meteora-damm.ts";
import { meteoraDbcScenarios } from "./scenarios/meteora-dbc.ts";
import { meteoraDlmmScenarios } from "./scenarios/meteora-dlmm.ts";
import { mixedStreamScenarios } from "./scenarios/mixed-stream.ts";
import { orcaWhirlpoolScenarios } from "./scenarios/orca-whirlpool.ts";
import { pumpCurveScenarios } from "./scenarios/pump-curve.ts";
import { pumpSwapScenarios } from "./scenarios/pumpswap.ts";
import { raydiumClmmScenarios } from "./scenarios/raydium-clmm.ts";
import { raydiumConstantProductScenarios } from "./scenarios/raydium-constant-product.ts";
import { splitScenarios } from "./scenarios/split.ts";

/** Every row of performance.md section 7 that is a pair of contenders, in its order. */
export const SCENARIOS: readonly Scenario[] = [
  ...pumpSwapScenarios,
  ...pumpCurveScenarios,
  ...raydiumConstantProductScenarios,
  ...meteoraDammScenarios,
  ...raydiumClmmScenarios,
  ...orcaWhirlpoolScenarios,
  ...meteoraDlmmScenarios,
  ...meteoraDbcScenarios,
  ...mixedStreamScenarios,
  ...splitScenarios,
];
