import { dammV1Swaps } from "./meteora-damm-v1/events.ts";
import { dammV2Swaps } from "./meteora-damm-v2/events.ts";
import { dbcSwaps } from "./meteora-dbc/events.ts";
import { dlmmSwaps } from "./meteora-dlmm/events.ts";
import { whirlpoolImmutableSwaps, whirlpoolSwaps } from "./orca-whirlpool/events.ts";
import { pumpCurveSwaps } from "./pump-curve/events.ts";
import { pumpSwapSwaps } from "./pumpswap/events.ts";
import { ammSwaps } from "./raydium-amm-v4/events.ts";
import { clmmSwaps } from "./raydium-clmm/events.ts";
import { cpmmSwaps } from "./raydium-cpmm/events.ts";
import { launchLabSwaps } from "./raydium-launchlab/events.ts";
import type { SwapReader } from "./swap-reader.ts";
import type { Venue } from "./venue.ts";

/** One line for each program we model: the reader of its swaps, which names its venue. */
export const SWAP_READERS: readonly SwapReader<unknown, unknown>[] = [
  dammV1Swaps,
  dammV2Swaps,
  dbcSwaps,
  dlmmSwaps,
  whirlpoolSwaps,
  whirlpoolImmutableSwaps,
  pumpCurveSwaps,
  pumpSwapSwaps,
  ammSwaps,
  clmmSwaps,
  cpmmSwaps,
  launchLabSwaps,
];

export const VENUES: readonly Venue<unknown>[] = SWAP_READERS.map(({ venue }) => venue);
