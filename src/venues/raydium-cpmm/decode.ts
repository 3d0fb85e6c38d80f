import type { Address } from "#src/units/address.ts";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import type { AccountSet } from "../account-set.ts";
import type { ByteReader } from "../byte-reader.ts";
import type { LiquidityShares } from "../liquidity-shares.ts";
import { loaded, readOwn } from "../shared/own-account.ts";
import { decodable, decodedOrUnusable, UnusableError } from "../shared/refusals.ts";
import {
  isExtendedMint,
  type PairVaults,
  readTransfer,
  type TokenTransfer,
} from "../shared/reserve-pool.ts";
import { loadedVault } from "../shared/token/token-account.ts";
import type { Decoded } from "../venue.ts";
import {
  CONFIG,
  CONFIG_DISCRIMINATOR,
  CONFIG_LENGTH,
  POOL,
  POOL_DISCRIMINATOR,
  POOL_LENGTH,
  PROGRAM_ID,
  STATUS_SWAP_DISABLED,
} from "./layout.ts";

/** One of the pool's two tokens. All amounts are base units. */
export type CpmmToken = TokenTransfer & {
  readonly mint: Address;
  readonly vaultAmount: bigint;
  /** In the vault, but owed to others. */
  readonly protocolFees: bigint;
  readonly fundFees: bigint;
  readonly creatorFees: bigint;
};

/** Which token the creator's fee is taken in. */
export type CreatorFeeOn = "input" | "token0" | "token1";

/** Rates are parts per million. */
export type CpmmState = {
  readonly token0: CpmmToken;
  readonly token1: CpmmToken;
  readonly isSwapDisabled: boolean;
  readonly openTime: bigint;
  readonly tradeFeeRate: bigint;
  readonly protocolFeeRate: bigint;
  readonly fundFeeRate: bigint;
  /** Zero where the pool has no creator fee. */
  readonly creatorFeeRate: bigint;
  readonly creatorFeeOn: CreatorFeeOn;
};

/** The pool account's fields that lead to other accounts. */
export type CpmmPoolAddresses = PairVaults & {
  readonly config: Address;
  readonly isExtendedA: boolean;
  readonly isExtendedB: boolean;
};

const POOL_KIND = {
  programId: PROGRAM_ID,
  discriminator: POOL_DISCRIMINATOR,
  length: POOL_LENGTH,
} as const;
const CONFIG_KIND = {
  programId: PROGRAM_ID,
  discriminator: CONFIG_DISCRIMINATOR,
  length: CONFIG_LENGTH,
} as const;
const CREATOR_FEE_ON: readonly CreatorFeeOn[] = ["input", "token0", "token1"];

function poolReader(pool: Address, known: AccountSet): ByteReader | null {
  return readOwn(known.get(pool), POOL_KIND);
}

/** Where the pool's other accounts are, or null where the account is missing or no CPMM pool. */
export function poolAddresses(pool: Address, known: AccountSet): CpmmPoolAddresses | null {
  const reader = poolReader(pool, known);
  return reader === null ? null : addressesIn(reader);
}

function addressesIn(reader: ByteReader): CpmmPoolAddresses {
  return {
    config: reader.address(POOL.ammConfig),
    vaultA: reader.address(POOL.token0Vault),
    vaultB: reader.address(POOL.token1Vault),
    mintA: reader.address(POOL.token0Mint),
    mintB: reader.address(POOL.token1Mint),
    isExtendedA: isExtendedMint(reader.address(POOL.token0Program)),
    isExtendedB: isExtendedMint(reader.address(POOL.token1Program)),
  };
}

/** The pool's own count of its shares: tokens burned by their holders stay in it. */
export function liquidityShares(pool: Address, known: AccountSet): LiquidityShares | null {
  const reader = poolReader(pool, known);
  if (reader === null) return null;
  return {
    kind: "fungible",
    mint: reader.address(POOL.lpMint),
    issued: reader.u64(POOL.lpSupply),
  };
}

/** Pool, configuration, both vaults, and the mint of each Token-2022 token. */
export function decode(pool: Address, known: AccountSet): Decoded<CpmmState> {
  return decodedOrUnusable(() => readState(pool, known));
}

function readState(pool: Address, known: AccountSet): CpmmState {
  const reader = decodable(readOwn(loaded(known, pool, "pool"), POOL_KIND), "not a CPMM pool");
  const addresses = addressesIn(reader);
  for (const program of [reader.address(POOL.token0Program), reader.address(POOL.token1Program)]) {
    if (program !== TOKEN_PROGRAM && program !== TOKEN_2022_PROGRAM) {
      throw new UnusableError("undecodable", `token program ${program}`);
    }
  }
  const creatorFeeOn = CREATOR_FEE_ON[reader.u8(POOL.creatorFeeOn)];
  if (creatorFeeOn === undefined) {
    throw new UnusableError("unsupported", `creator fee mode ${reader.u8(POOL.creatorFeeOn)}`);
  }
  const rates = readRates(addresses.config, known);
  return {
    token0: readToken(known, {
      vault: addresses.vaultA,
      mint: addresses.mintA,
      isExtended: addresses.isExtendedA,
      protocolFees: reader.u64(POOL.protocolFeesToken0),
      fundFees: reader.u64(POOL.fundFeesToken0),
      creatorFees: reader.u64(POOL.creatorFeesToken0),
    }),
    token1: readToken(known, {
      vault: addresses.vaultB,
      mint: addresses.mintB,
      isExtended: addresses.isExtendedB,
      protocolFees: reader.u64(POOL.protocolFeesToken1),
      fundFees: reader.u64(POOL.fundFeesToken1),
      creatorFees: reader.u64(POOL.creatorFeesToken1),
    }),
    isSwapDisabled: (reader.u8(POOL.status) & STATUS_SWAP_DISABLED) !== 0,
    openTime: reader.u64(POOL.openTime),
    tradeFeeRate: rates.tradeFeeRate,
    protocolFeeRate: rates.protocolFeeRate,
    fundFeeRate: rates.fundFeeRate,
    creatorFeeRate: reader.bool(POOL.enableCreatorFee) ? rates.creatorFeeRate : 0n,
    creatorFeeOn,
  };
}

type Rates = Pick<CpmmState, "tradeFeeRate" | "protocolFeeRate" | "fundFeeRate" | "creatorFeeRate">;

function readRates(config: Address, known: AccountSet): Rates {
  const reader = decodable(readOwn(loaded(known, config, "config"), CONFIG_KIND), "not a config");
  return {
    tradeFeeRate: reader.u64(CONFIG.tradeFeeRate),
    protocolFeeRate: reader.u64(CONFIG.protocolFeeRate),
    fundFeeRate: reader.u64(CONFIG.fundFeeRate),
    creatorFeeRate: reader.u64(CONFIG.creatorFeeRate),
  };
}

type TokenFields = Pick<CpmmToken, "mint" | "protocolFees" | "fundFees" | "creatorFees"> & {
  readonly vault: Address;
  readonly isExtended: boolean;
};

function readToken(known: AccountSet, fields: TokenFields): CpmmToken {
  const { vault: address, isExtended, mint, protocolFees, fundFees, creatorFees } = fields;
  const vault = loadedVault(known, address, mint);
  const { transferFee, isStuck, hasHook } = readTransfer(known, {
    mint,
    isExtended,
    isFrozen: vault.isFrozen,
  });
  return {
    mint,
    vaultAmount: vault.amount,
    protocolFees,
    fundFees,
    creatorFees,
    transferFee,
    isStuck,
    hasHook,
  };
}
