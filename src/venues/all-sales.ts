import { meteoraDammV1Sale } from "./meteora-damm-v1/sale.ts";
import { meteoraDammV2Sale } from "./meteora-damm-v2/sale.ts";
import { meteoraDbcSale } from "./meteora-dbc/sale.ts";
import { meteoraDlmmSale } from "./meteora-dlmm/sale.ts";
import { orcaWhirlpoolImmutableSale, orcaWhirlpoolSale } from "./orca-whirlpool/sale.ts";
import { pumpCurveSale } from "./pump-curve/sale.ts";
import { pumpSwapSale } from "./pumpswap/sale.ts";
import { raydiumAmmV4Sale } from "./raydium-amm-v4/sale.ts";
import { raydiumClmmSale } from "./raydium-clmm/sale.ts";
import { raydiumCpmmSale } from "./raydium-cpmm/sale.ts";
import { multiHopSale } from "./shared/pump-fees/multi-hop-sale.ts";
import type { ChainSale, VenueSale } from "./venue-sale.ts";

/** One line for each program whose sale can be executed in a VM. */
export const VENUE_SALES: readonly VenueSale[] = [
  meteoraDammV1Sale,
  meteoraDammV2Sale,
  meteoraDbcSale,
  meteoraDlmmSale,
  orcaWhirlpoolSale,
  orcaWhirlpoolImmutableSale,
  pumpCurveSale,
  pumpSwapSale,
  raydiumAmmV4Sale,
  raydiumClmmSale,
  raydiumCpmmSale,
];

/** Sales through several pools in one instruction. */
export const CHAIN_SALES: readonly ChainSale[] = [multiHopSale];
