import type { Address } from "#src/units/address.ts";
import type { Account, AccountSet } from "../account-set.ts";
import { ByteReader } from "../byte-reader.ts";
import type { LiquidityShares } from "../liquidity-shares.ts";
import { loaded, readOwn } from "../shared/own-account.ts";
import { decodable, decodedOrUnusable, UnusableError } from "../shared/refusals.ts";
import { decodeMint, loadedMint } from "../shared/token/mint.ts";
import { loadedVault, tokenBalance } from "../shared/token/token-account.ts";
import type { Decoded } from "../venue.ts";
import {
  CONSTANT_PRODUCT_END,
  DEPEG_PRECISION,
  LIDO_BALANCE_OFFSET,
  LIDO_STATE,
  LIDO_SUPPLY_OFFSET,
  MARINADE_PRICE_DENOMINATOR,
  MARINADE_PRICE_OFFSET,
  MARINADE_STATE,
  POOL,
  POOL_DISCRIMINATOR,
  PROGRAM_ID,
  STABLE_END,
  STAKE_POOL_LAMPORTS_OFFSET,
  STAKE_POOL_SUPPLY_OFFSET,
  VAULT,
  VAULT_DISCRIMINATOR,
  VAULT_END,
  VAULT_PROGRAM_ID,
} from "./layout.ts";

/**
 * One of the pool's tokens: it lies in a shared vault, of which the pool holds a share. Amounts are
 * base units, of the token or of the vault's share token.
 */
export type VaultShare = {
  readonly mint: Address;
  /** A vault switched off still pays out, but takes nothing in. */
  readonly takesDeposits: boolean;
  /** Everything in the vault, lent out or not, profit not yet released included. */
  readonly totalAmount: bigint;
  readonly lockedProfit: bigint;
  readonly lastReport: bigint;
  readonly degradation: bigint;
  readonly lpSupply: bigint;
  readonly poolLp: bigint;
  /** What is not lent out: the most that can be paid at once. */
  readonly tokenVaultAmount: bigint;
  readonly isFrozen: boolean;
};

export type Depeg = {
  /** Price of B's staked token in millionths of A, as kept since `cacheUpdated`. */
  readonly cachedPrice: bigint;
  readonly cacheUpdated: bigint;
  /** The stake pool's price now; null where its numbers give none. */
  readonly currentPrice: bigint | null;
};

export type Curve =
  | { readonly kind: "constant-product" }
  | {
      readonly kind: "stable";
      readonly amp: bigint;
      readonly multiplierA: bigint;
      readonly multiplierB: bigint;
      readonly depeg: Depeg | null;
    };

export type DammV1State = {
  readonly a: VaultShare;
  readonly b: VaultShare;
  readonly isEnabled: boolean;
  readonly activationPoint: bigint;
  readonly activationType: "slot" | "time";
  readonly tradeFeeNumerator: bigint;
  readonly tradeFeeDenominator: bigint;
  /** The protocol's part of the trade fee. */
  readonly protocolFeeNumerator: bigint;
  readonly protocolFeeDenominator: bigint;
  readonly curve: Curve;
};

export type DammV1Addresses = {
  readonly mintA: Address;
  readonly mintB: Address;
  readonly vaultA: Address;
  readonly vaultB: Address;
  readonly poolLpA: Address;
  readonly poolLpB: Address;
  /** The stake pool's account; null for pools without a depeg. */
  readonly stake: Address | null;
};

const POOL_KIND = {
  programId: PROGRAM_ID,
  discriminator: POOL_DISCRIMINATOR,
  minLength: CONSTANT_PRODUCT_END,
} as const;
const VAULT_KIND = {
  programId: VAULT_PROGRAM_ID,
  discriminator: VAULT_DISCRIMINATOR,
  minLength: VAULT_END,
} as const;

/** What a vault account leads to. */
export type VaultAddresses = { readonly tokenVault: Address; readonly lpMint: Address };

function poolReader(account: Account | null | undefined): ByteReader | null {
  const reader = readOwn(account, POOL_KIND);
  if (reader === null || reader.u8(POOL.enabled) > 1 || reader.u8(POOL.poolType) > 1) return null;
  switch (reader.u8(POOL.curveType)) {
    case 0:
      return reader;
    case 1:
      return reader.length >= STABLE_END ? reader : null;
    default:
      return null;
  }
}

/** Where the pool's other accounts are, or null where the account is missing or no DAMM v1 pool. */
export function poolAddresses(pool: Address, known: AccountSet): DammV1Addresses | null {
  const reader = poolReader(known.get(pool));
  return reader === null ? null : addressesIn(reader);
}

function addressesIn(reader: ByteReader): DammV1Addresses {
  return {
    mintA: reader.address(POOL.tokenAMint),
    mintB: reader.address(POOL.tokenBMint),
    vaultA: reader.address(POOL.aVault),
    vaultB: reader.address(POOL.bVault),
    poolLpA: reader.address(POOL.aVaultLp),
    poolLpB: reader.address(POOL.bVaultLp),
    stake: stakeAddress(reader),
  };
}

function stakeAddress(reader: ByteReader): Address | null {
  if (reader.u8(POOL.curveType) === 0) return null;
  switch (reader.u8(POOL.depegType)) {
    case 1:
      return MARINADE_STATE;
    case 2:
      return LIDO_STATE;
    case 3:
      return reader.address(POOL.stake);
    default:
      return null;
  }
}

/** Where a vault's token account and share mint are, or null where it is missing or no vault. */
export function vaultAddresses(vault: Address, known: AccountSet): VaultAddresses | null {
  const reader = readOwn(known.get(vault), VAULT_KIND);
  return reader === null ? null : vaultAddressesIn(reader);
}

function vaultAddressesIn(reader: ByteReader): VaultAddresses {
  return { tokenVault: reader.address(VAULT.tokenVault), lpMint: reader.address(VAULT.lpMint) };
}

/**
 * What a share account is worth of everything in its vault, in base units; null where the vault, its
 * share mint or the share account can't be read.
 */
export function shareHeld(vault: Address, poolLp: Address, known: AccountSet): bigint | null {
  const account = known.get(vault);
  const addresses = vaultAddresses(vault, known);
  if (account === null || account === undefined || addresses === null) return null;
  const supply = decodeMint(known.get(addresses.lpMint))?.supply ?? null;
  const share = tokenBalance(known.get(poolLp));
  if (supply === null || share === null || supply === 0n) return null;
  return (share * new ByteReader(account.data).u64(VAULT.totalAmount)) / supply;
}

/** The program divides by the supply of the pool's share mint, and counts nothing itself. */
export function liquidityShares(pool: Address, known: AccountSet): LiquidityShares | null {
  const reader = poolReader(known.get(pool));
  if (reader === null) return null;
  return { kind: "fungible", mint: reader.address(POOL.lpMint), issued: null };
}

/** Pool, both vaults, their token accounts and share mints, the pool's shares, and a stake account. */
export function decode(pool: Address, known: AccountSet): Decoded<DammV1State> {
  return decodedOrUnusable(() => readState(pool, known));
}

function readState(pool: Address, known: AccountSet): DammV1State {
  const reader = decodable(poolReader(loaded(known, pool, "pool")), "not a DAMM v1 pool");
  const addresses = addressesIn(reader);
  const activationType = reader.u8(POOL.activationType);
  if (activationType > 1) {
    throw new UnusableError("unsupported", `activation type ${activationType}`);
  }
  const curve = readCurve(reader, addresses.stake, known);
  return {
    a: readShare(known, {
      mint: addresses.mintA,
      vault: addresses.vaultA,
      poolLp: addresses.poolLpA,
    }),
    b: readShare(known, {
      mint: addresses.mintB,
      vault: addresses.vaultB,
      poolLp: addresses.poolLpB,
    }),
    isEnabled: reader.bool(POOL.enabled),
    activationPoint: reader.u64(POOL.activationPoint),
    activationType: activationType === 0 ? "slot" : "time",
    tradeFeeNumerator: reader.u64(POOL.tradeFeeNumerator),
    tradeFeeDenominator: reader.u64(POOL.tradeFeeDenominator),
    protocolFeeNumerator: reader.u64(POOL.protocolTradeFeeNumerator),
    protocolFeeDenominator: reader.u64(POOL.protocolTradeFeeDenominator),
    curve,
  };
}

function readCurve(reader: ByteReader, stake: Address | null, known: AccountSet): Curve {
  if (reader.u8(POOL.curveType) === 0) return { kind: "constant-product" };
  const depegType = reader.u8(POOL.depegType);
  if (depegType > 3) throw new UnusableError("unsupported", `depeg type ${depegType}`);
  const curve = {
    kind: "stable" as const,
    amp: reader.u64(POOL.amp),
    multiplierA: reader.u64(POOL.tokenAMultiplier),
    multiplierB: reader.u64(POOL.tokenBMultiplier),
  };
  if (stake === null) return { ...curve, depeg: null };
  const stakeReader = new ByteReader(loaded(known, stake, "stake account").data);
  if (stakeReader.length < STAKE_POOL_SUPPLY_OFFSET + 8) {
    throw new UnusableError("undecodable", `stake account ${stake}`);
  }
  const depeg = {
    cachedPrice: reader.u64(POOL.baseVirtualPrice),
    cacheUpdated: reader.u64(POOL.baseCacheUpdated),
    currentPrice: stakePrice(stakeReader, depegType),
  };
  return { ...curve, depeg };
}

/** What one staked token is worth, in millionths, rounded down; null where the program fails. */
function stakePrice(reader: ByteReader, depegType: number): bigint | null {
  const [amount, supply] = stakeFraction(reader, depegType);
  if (supply === 0n) return null;
  const price = (amount * DEPEG_PRECISION) / supply;
  return price < 1n << 64n ? price : null;
}

function stakeFraction(reader: ByteReader, depegType: number): readonly [bigint, bigint] {
  if (depegType === 1) return [reader.u64(MARINADE_PRICE_OFFSET), MARINADE_PRICE_DENOMINATOR];
  if (depegType === 2) return [reader.u64(LIDO_BALANCE_OFFSET), reader.u64(LIDO_SUPPLY_OFFSET)];
  return [reader.u64(STAKE_POOL_LAMPORTS_OFFSET), reader.u64(STAKE_POOL_SUPPLY_OFFSET)];
}

type ShareFields = { readonly mint: Address; readonly vault: Address; readonly poolLp: Address };

function readShare(known: AccountSet, { mint, vault, poolLp }: ShareFields): VaultShare {
  const reader = decodable(readOwn(loaded(known, vault, "vault"), VAULT_KIND), `vault ${vault}`);
  if (reader.address(VAULT.tokenMint) !== mint) {
    throw new UnusableError("undecodable", `vault ${vault}`);
  }
  const { tokenVault, lpMint } = vaultAddressesIn(reader);
  const tokens = loadedVault(known, tokenVault, mint);
  const share = loadedVault(known, poolLp, lpMint);
  const shareMint = loadedMint(known, lpMint);
  return {
    mint,
    takesDeposits: reader.u8(VAULT.enabled) !== 0,
    totalAmount: reader.u64(VAULT.totalAmount),
    lockedProfit: reader.u64(VAULT.lastUpdatedLockedProfit),
    lastReport: reader.u64(VAULT.lastReport),
    degradation: reader.u64(VAULT.lockedProfitDegradation),
    lpSupply: shareMint.supply,
    poolLp: share.amount,
    tokenVaultAmount: tokens.amount,
    isFrozen: tokens.isFrozen,
  };
}
