import { address } from "#src/units/address.ts";
import { discriminator } from "../byte-reader.ts";

export const PROGRAM_ID = address("Eo7WjKq67rjJQSZxS6z3YkapzY3eMj6Xy8X5EQVn5UaB");
export const VAULT_PROGRAM_ID = address("24Uqj9JCLxUeoC3hGfh5W3s9FM9uCHDS2SG3LYwBpyTi");

/** Configurations of pools that graduate from a bonding curve: 25 to 600 bps. */
export const GRADUATION_CONFIGS = [
  address("8f848CEy8eY6PhJ3VcemtBDzPPSD4Vq7aJczLZ3o8MmX"),
  address("HBxB8Lf14Yj8pqeJ8C4qDb5ryHL7xwpuykz31BLNYr7S"),
  address("7v5vBdUQHTNeqk1HnduiXcgbvCyVEZ612HLmYkQoAkik"),
  address("EkvP7d5yKxovj884d2DwmBQbrHUWRLGK6bympzrkXGja"),
  address("9EZYAJrcqNWNQzP2trzZesP7XKMHA1jEomHzbRsdX8R2"),
  address("8cdKo87jZU2R12KY1BUjjRPwyjgdNjLGqSGQyrDshhud"),
] as const;

/** DAMM v2 and PumpSwap pools carry the same eight bytes: the owner decides. */
export const POOL_DISCRIMINATOR = discriminator("f19a6d0411b16dbc");
/** Borsh: what follows the curve's tag depends on the curve, and lengths vary. */
export const CONSTANT_PRODUCT_END = 875;
export const STABLE_END = 925;
/** Offsets in Pool; names are the program's own. */
export const POOL = {
  lpMint: 8,
  tokenAMint: 40,
  tokenBMint: 72,
  aVault: 104,
  bVault: 136,
  aVaultLp: 168,
  bVaultLp: 200,
  aVaultLpBump: 232,
  enabled: 233,
  protocolTokenAFee: 234,
  protocolTokenBFee: 266,
  tradeFeeNumerator: 330,
  tradeFeeDenominator: 338,
  protocolTradeFeeNumerator: 346,
  protocolTradeFeeDenominator: 354,
  poolType: 362,
  stake: 363,
  activationPoint: 403,
  whitelistedVault: 411,
  poolCreator: 443,
  activationType: 475,
  curveType: 874,
  amp: 875,
  tokenAMultiplier: 883,
  tokenBMultiplier: 891,
  precisionFactor: 899,
  baseVirtualPrice: 900,
  baseCacheUpdated: 908,
  depegType: 916,
} as const;

export const VAULT_DISCRIMINATOR = discriminator("d308e82b02987577");
export const VAULT_END = 1227;
/** Offsets in the dynamic vault's Vault. */
export const VAULT = {
  enabled: 8,
  totalAmount: 11,
  tokenVault: 19,
  feeVault: 51,
  tokenMint: 83,
  lpMint: 115,
  base: 1107,
  lastUpdatedLockedProfit: 1203,
  lastReport: 1211,
  lockedProfitDegradation: 1219,
} as const;
/** Locked profit is over this when none of it has been released. */
export const LOCKED_PROFIT_DENOMINATOR = 1_000_000_000_000n;

/** A stake pool's price is kept for this many seconds. */
export const DEPEG_CACHE_SECONDS = 600n;
export const DEPEG_PRECISION = 1_000_000n;

/** Where each kind of depeg pool finds the price of its staked token: `amount / supply`. */
export const MARINADE_STATE = address("8szGkuLTAux9XMgZ2vtY39jVSowEcpBfFfD8hXSEqdGC");
export const MARINADE_PRICE_OFFSET = 512;
export const MARINADE_PRICE_DENOMINATOR = 1n << 32n;
export const LIDO_STATE = address("49Yi1TKkNyYjPAFdR9LBvoHcUjuPX4Df5T5yv39w2XTn");
export const LIDO_SUPPLY_OFFSET = 73;
export const LIDO_BALANCE_OFFSET = 81;
export const STAKE_POOL_LAMPORTS_OFFSET = 258;
export const STAKE_POOL_SUPPLY_OFFSET = 266;
