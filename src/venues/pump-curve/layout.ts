import { address } from "#src/units/address.ts";
import { discriminator } from "../byte-reader.ts";

export const PUMP_PROGRAM = address("6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P");
export const GLOBAL_ADDRESS = address("4wTV1YmiEkRvAtNtsSGPtUrqRYQMe5SKy2uB4Jjaxnjf");
export const CURVE_FEE_CONFIG_ADDRESS = address("8Wf5TiAheLUqBrKXeYg2JtAFFMWtKdG2BSFgqUcPVwTt");

/**
 * Offsets of BondingCurve. It grew by appending: what lies past the end of an older account is zero,
 * and surplus bytes are ignored.
 */
export const BONDING_CURVE = {
  discriminator: discriminator("17b7f83760d8ac60"),
  minLength: 49,
  virtual_token_reserves: 8,
  virtual_quote_reserves: 16,
  real_token_reserves: 24,
  real_quote_reserves: 32,
  token_total_supply: 40,
  complete: 48,
  creator: 49,
  is_mayhem_mode: 81,
  is_cashback_coin: 82,
  quote_mint: 83,
  creator_fee_bps: 115,
  can_edit_creator_fee: 123,
  is_holder_reward: 124,
  /** Fees not yet swept: held beside real_quote_reserves, which does not include them. */
  creator_fee: 125,
  protocol_fees: 133,
  /** 0: quoted in SOL, USDC or a listed mint; otherwise one more than the coin it is quoted in. */
  depth: 141,
  initial_virtual_quote_reserves: 142,
  post_complete_base_out: 150,
  post_complete_quote_in: 158,
  /** What the program writes since October 2026. */
  currentLength: 166,
} as const;

export const GLOBAL = {
  discriminator: discriminator("a7e8e8b1c86c727f"),
  /** Up to the fee rate that its first version ends with. */
  minLength: 113,
  buyback_bps: 997,
  creator_fee_configurable: 1045,
} as const;
