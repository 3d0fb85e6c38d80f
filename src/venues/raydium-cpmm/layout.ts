import { address } from "#src/units/address.ts";
import { discriminator } from "../byte-reader.ts";

export const PROGRAM_ID = address("CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C");

/** PDA ["vault_and_lp_mint_auth_seed"]: owns every vault. */
export const AUTHORITY = address("GpMZbSM2GgvTKHJirzeGfMFoaZ8UR2X7F4v8vHTvxFbL");

/** Configurations whose standard pools can be derived; pools may also have the address of any keypair. */
export const KNOWN_CONFIGS = [
  address("D4FPEruKEHrG5TenZ2mpDGEfu1iUvTiqBxvpU8HLBvC2"),
  address("G95xxie3XbkCqtE39GgQ9Ggc7xBC8Uceve7HFDEFApkc"),
  address("2fGXL8uhqxJ4tpgtosHZXT4zcQap6j62z3bMDxdkMvy5"),
  address("C7Cx2pMLtjybS3mDKSfsBj4zQ3PRZGkKt7RCYTTbCSx2"),
] as const;

export const POOL_DISCRIMINATOR = discriminator("f7ede3f5d7c3de46");
export const POOL_LENGTH = 637;
/** Offsets in PoolState; names are the program's own. */
export const POOL = {
  ammConfig: 8,
  poolCreator: 40,
  token0Vault: 72,
  token1Vault: 104,
  lpMint: 136,
  token0Mint: 168,
  token1Mint: 200,
  token0Program: 232,
  token1Program: 264,
  observationKey: 296,
  authBump: 328,
  status: 329,
  lpMintDecimals: 330,
  mint0Decimals: 331,
  mint1Decimals: 332,
  lpSupply: 333,
  protocolFeesToken0: 341,
  protocolFeesToken1: 349,
  fundFeesToken0: 357,
  fundFeesToken1: 365,
  openTime: 373,
  recentEpoch: 381,
  creatorFeeOn: 389,
  enableCreatorFee: 390,
  creatorFeesToken0: 397,
  creatorFeesToken1: 405,
} as const;

/** Bit 2 of `status`: set where swapping is switched off. */
export const STATUS_SWAP_DISABLED = 4;

export const CONFIG_DISCRIMINATOR = discriminator("daf42168cbcb2b6f");
export const CONFIG_LENGTH = 236;
/** Offsets in AmmConfig. */
export const CONFIG = {
  bump: 8,
  disableCreatePool: 9,
  index: 10,
  tradeFeeRate: 12,
  protocolFeeRate: 20,
  fundFeeRate: 28,
  createPoolFee: 36,
  protocolOwner: 44,
  fundOwner: 76,
  creatorFeeRate: 108,
} as const;

/** Rates are parts of this. */
export const FEE_RATE_DENOMINATOR = 1_000_000n;
