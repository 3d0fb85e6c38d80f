import type { SwapReader } from "../swap-reader.ts";
import { dammV1Swaps } from "./meteora-damm-v1.ts";
import { dammV2Swaps } from "./meteora-damm-v2.ts";
import { dbcSwaps } from "./meteora-dbc.ts";
import { dlmmSwaps } from "./meteora-dlmm.ts";
import { whirlpoolSwaps } from "./orca-whirlpool.ts";
import { pumpCurveSwaps } from "./pump-curve.ts";
import { pumpSwapSwaps } from "./pumpswap.ts";
import { ammSwaps } from "./raydium-amm-v4.ts";
import { clmmSwaps } from "./raydium-clmm.ts";
import { cpmmSwaps } from "./raydium-cpmm.ts";
import { launchLabSwaps } from "./raydium-launchlab.ts";

/** Whoever reads the swaps of a program that we model, one line each. */
export const SWAP_READERS: readonly SwapReader<unknown, unknown>[] = [
  dammV1Swaps,
  dammV2Swaps,
  dbcSwaps,
  dlmmSwaps,
  whirlpoolSwaps,
  pumpCurveSwaps,
  pumpSwapSwaps,
  ammSwaps,
  clmmSwaps,
  cpmmSwaps,
  launchLabSwaps,
];
