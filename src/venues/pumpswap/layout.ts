import { address } from "#src/units/address.ts";
import { discriminator } from "../byte-reader.ts";

export const PUMPSWAP_PROGRAM = address("pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA");
export const GLOBAL_CONFIG_ADDRESS = address("ADyA8hdefvWN2dbGGWFotbzWxrAvLW83WG6QCVXvJKqw");
export const POOL_FEE_CONFIG_ADDRESS = address("5PHirr8joyTMp9JMm6nW7hNDVyEYdkzDqazxPD7RaTjx");
/** The curve's program: it is the creator of the pools that coins graduate to. */
export const PUMP_PROGRAM = address("6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P");

/**
 * Offsets of Pool. It grew by appending: what lies past the end of an older account is zero, and
 * surplus bytes are ignored.
 */
export const POOL = {
  discriminator: discriminator("f19a6d0411b16dbc"),
  minLength: 211,
  pool_bump: 8,
  index: 9,
  creator: 11,
  base_mint: 43,
  quote_mint: 75,
  lp_mint: 107,
  pool_base_token_account: 139,
  pool_quote_token_account: 171,
  lp_supply: 203,
  coin_creator: 211,
  is_mayhem_mode: 243,
  is_cashback_coin: 244,
  /** i128: not money, it only moves the price. */
  virtual_quote_reserves: 245,
  creator_fee_bps: 261,
  can_edit_creator_fee: 269,
  is_holder_reward: 270,
  /** Fees not yet swept: they lie in the quote vault and are not payable. */
  protocol_fees: 271,
  creator_fees: 279,
  /** What the program writes since October 2026. */
  currentLength: 287,
} as const;

export const GLOBAL_CONFIG = {
  discriminator: discriminator("95089ccaa0fcb0d9"),
  disable_flags: 56,
  creator_fee_configurable: 940,
} as const;

export const DISABLE_FLAG = { buy: 1 << 3, sell: 1 << 4 } as const;
