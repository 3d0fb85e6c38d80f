import { meteoraDammV1 } from "./meteora-damm-v1/adapter.ts";
import { meteoraDammV2 } from "./meteora-damm-v2/adapter.ts";
import { meteoraDbc } from "./meteora-dbc/adapter.ts";
import { meteoraDlmm } from "./meteora-dlmm/adapter.ts";
import { orcaWhirlpool } from "./orca-whirlpool/adapter.ts";
import { pumpCurve } from "./pump-curve/adapter.ts";
import { pumpSwap } from "./pumpswap/adapter.ts";
import { raydiumAmmV4 } from "./raydium-amm-v4/adapter.ts";
import { raydiumClmm } from "./raydium-clmm/adapter.ts";
import { raydiumCpmm } from "./raydium-cpmm/adapter.ts";
import { raydiumLaunchLab } from "./raydium-launchlab/adapter.ts";
import type { Venue } from "./venue.ts";

/** Every program we model, one line each. */
export const VENUES: readonly Venue<unknown>[] = [
  meteoraDammV1,
  meteoraDammV2,
  meteoraDbc,
  meteoraDlmm,
  orcaWhirlpool,
  pumpCurve,
  pumpSwap,
  raydiumAmmV4,
  raydiumClmm,
  raydiumCpmm,
  raydiumLaunchLab,
];
