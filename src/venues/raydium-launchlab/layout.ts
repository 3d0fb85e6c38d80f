import { address } from "#src/units/address.ts";
import { discriminator } from "../byte-reader.ts";

export const LAUNCHLAB_PROGRAM = address("LanMV9sAd7wArD4vJFi2qDdfnVhFxYSUg6eADduJ3uj");

/** PDA ["vault_auth_seed"]: owns every vault. */
export const VAULT_AUTHORITY = address("WLHv2UAZm6z4KyaaELi5pjdbJh6RESMva1Rnn8pJVVh");

/** Offsets of PoolState. The discriminator is shared with other programs: the owner decides. */
export const POOL = {
  discriminator: discriminator("f7ede3f5d7c3de46"),
  length: 429,
  status: 17,
  base_decimals: 18,
  quote_decimals: 19,
  /** 0: to AMM v4, 1: to CPMM. */
  migrate_type: 20,
  supply: 21,
  total_base_sell: 29,
  virtual_base: 37,
  virtual_quote: 45,
  /** Base units sold so far. */
  real_base: 53,
  /** Quote units raised so far, net of fees. */
  real_quote: 61,
  total_quote_fund_raising: 69,
  quote_protocol_fee: 77,
  platform_fee: 85,
  migrate_fee: 93,
  global_config: 141,
  platform_config: 173,
  base_mint: 205,
  quote_mint: 237,
  base_vault: 269,
  quote_vault: 301,
  creator: 333,
  token_program_flag: 365,
  amm_creator_fee_on: 366,
} as const;

export const POOL_STATUS = { funding: 0, waiting: 1, migrated: 2 } as const;
export const TOKEN_2022_FLAG = { base: 1, quote: 2 } as const;

export const GLOBAL_CONFIG = {
  discriminator: discriminator("95089ccaa0fcb0d9"),
  length: 371,
  curve_type: 16,
  index: 17,
  migrate_fee: 19,
  trade_fee_rate: 27,
  quote_mint: 83,
} as const;

/** Its text fields have fixed widths; older accounts end before `creator_fee_rate`, which is then 0. */
export const PLATFORM_CONFIG = {
  discriminator: discriminator("a04e8000f853e6a0"),
  fee_rate: 104,
  name: 112,
  cpswap_config: 688,
  creator_fee_rate: 720,
} as const;

/** Fee rates are parts per million. */
export const FEE_DENOMINATOR = 1_000_000n;
