import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { Curve, DammV1State, VaultShare } from "#src/venues/meteora-damm-v1/decode.ts";
import {
  POOL,
  POOL_DISCRIMINATOR,
  PROGRAM_ID,
  VAULT,
  VAULT_DISCRIMINATOR,
  VAULT_PROGRAM_ID,
} from "#src/venues/meteora-damm-v1/layout.ts";
import { ByteWriter, edited } from "../byte-writer.ts";

const POOL_LENGTH = 952;
const VAULT_LENGTH = 10_240;

export type NewDammV1Pool = {
  readonly lpMint: Address;
  readonly creator: Address;
  readonly vaultA: Address;
  readonly vaultB: Address;
  readonly poolLpA: Address;
  readonly poolLpB: Address;
  readonly protocolFeeA: Address;
  readonly protocolFeeB: Address;
  /** The stake pool's account; ignored without a depeg. */
  readonly stake: Address;
  /** 0 none, 1 Marinade, 2 Lido, 3 SPL stake pool. */
  readonly depegType: 0 | 1 | 2 | 3;
  readonly slot: bigint;
};

/** A Pool account with this state. */
export function dammV1PoolAccount(state: DammV1State, fields: NewDammV1Pool): Account {
  const writer = new ByteWriter(new Uint8Array(POOL_LENGTH))
    .raw(0, POOL_DISCRIMINATOR)
    .address(POOL.lpMint, fields.lpMint)
    .address(POOL.tokenAMint, state.a.mint)
    .address(POOL.tokenBMint, state.b.mint)
    .address(POOL.aVault, fields.vaultA)
    .address(POOL.bVault, fields.vaultB)
    .address(POOL.aVaultLp, fields.poolLpA)
    .address(POOL.bVaultLp, fields.poolLpB)
    .u8(POOL.aVaultLpBump, 255)
    .u8(POOL.enabled, state.isEnabled ? 1 : 0)
    .address(POOL.protocolTokenAFee, fields.protocolFeeA)
    .address(POOL.protocolTokenBFee, fields.protocolFeeB)
    .u64(POOL.tradeFeeNumerator, state.tradeFeeNumerator)
    .u64(POOL.tradeFeeDenominator, state.tradeFeeDenominator)
    .u64(POOL.protocolTradeFeeNumerator, state.protocolFeeNumerator)
    .u64(POOL.protocolTradeFeeDenominator, state.protocolFeeDenominator)
    .u8(POOL.poolType, 1)
    .address(POOL.stake, fields.stake)
    .u64(POOL.activationPoint, state.activationPoint)
    .address(POOL.poolCreator, fields.creator)
    .u8(POOL.activationType, state.activationType === "slot" ? 0 : 1);
  writeCurve(writer, state.curve, fields.depegType);
  return { owner: PROGRAM_ID, lamports: 7_516_800n, data: writer.bytes, slot: fields.slot };
}

function writeCurve(writer: ByteWriter, curve: Curve, depegType: number): void {
  if (curve.kind === "constant-product") return;
  writer
    .u8(POOL.curveType, 1)
    .u64(POOL.amp, curve.amp)
    .u64(POOL.tokenAMultiplier, curve.multiplierA)
    .u64(POOL.tokenBMultiplier, curve.multiplierB)
    .u8(POOL.depegType, depegType);
  writeDepegCache(writer, curve);
}

function writeDepegCache(writer: ByteWriter, curve: Curve): void {
  if (curve.kind === "constant-product" || curve.depeg === null) return;
  writer
    .u64(POOL.baseVirtualPrice, curve.depeg.cachedPrice)
    .u64(POOL.baseCacheUpdated, curve.depeg.cacheUpdated);
}

/** The pool account with the cached stake pool price of the state. */
export function movedDammV1Pool(account: Account, state: DammV1State, slot: bigint): Account {
  return edited(account, slot, (writer) => writeDepegCache(writer, state.curve));
}

export type NewVault = {
  readonly tokenVault: Address;
  readonly feeVault: Address;
  readonly lpMint: Address;
  readonly base: Address;
  readonly slot: bigint;
};

/** A dynamic vault's account with this state. */
export function vaultAccount(vault: VaultShare, fields: NewVault): Account {
  const writer = new ByteWriter(new Uint8Array(VAULT_LENGTH))
    .raw(0, VAULT_DISCRIMINATOR)
    .u8(VAULT.enabled, vault.takesDeposits ? 1 : 0)
    .u64(VAULT.totalAmount, vault.totalAmount)
    .address(VAULT.tokenVault, fields.tokenVault)
    .address(VAULT.feeVault, fields.feeVault)
    .address(VAULT.tokenMint, vault.mint)
    .address(VAULT.lpMint, fields.lpMint)
    .address(VAULT.base, fields.base)
    .u64(VAULT.lastUpdatedLockedProfit, vault.lockedProfit)
    .u64(VAULT.lastReport, vault.lastReport)
    .u64(VAULT.lockedProfitDegradation, vault.degradation);
  return { owner: VAULT_PROGRAM_ID, lamports: 72_161_280n, data: writer.bytes, slot: fields.slot };
}

/** The vault account with another amount. */
export function movedVault(account: Account, vault: VaultShare, slot: bigint): Account {
  return edited(account, slot, (writer) => writer.u64(VAULT.totalAmount, vault.totalAmount));
}
