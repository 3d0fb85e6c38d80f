import type { Address } from "#src/units/address.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { DBC_PROGRAM, POOL_CONFIG, VIRTUAL_POOL } from "#src/venues/meteora-dbc/layout.ts";
import type { BaseFee, DbcConfig, DbcState, DynamicFee } from "#src/venues/meteora-dbc/state.ts";
import { ByteWriter, edited } from "../byte-writer.ts";

/** The address of a curve's vault for a mint. */
export function vaultAddress(curve: Address, mint: Address): Address {
  return findProgramAddress(["token_vault", { address: mint }, { address: curve }], DBC_PROGRAM);
}

const MIGRATION_TO_DAMM_V2 = 1;
const BASE_FEE_MODE = { linear: 0, exponential: 1, "rate-limiter": 2 } as const;

/** What a config holds that quotes do not need. */
export type ConfigExtras = {
  readonly feeClaimer: Address;
  readonly tokenDecimals: number;
  /** Percent of the quote that launchpad and creator keep at migration. */
  readonly migrationFeePercent: number;
  /** Which of the DAMM v2 configs the graduated pool gets. */
  readonly migrationFeeOption: number;
  readonly slot: bigint;
};

/** A PoolConfig account. */
export function configAccount(config: DbcConfig, extras: ConfigExtras): Account {
  const writer = new ByteWriter(new Uint8Array(POOL_CONFIG.length))
    .raw(0, POOL_CONFIG.discriminator)
    .address(POOL_CONFIG.quoteMint, config.quoteMint)
    .address(POOL_CONFIG.feeClaimer, extras.feeClaimer)
    .u8(POOL_CONFIG.collectFeeMode, config.collects === "quote" ? 0 : 1)
    .u8(POOL_CONFIG.migrationOption, MIGRATION_TO_DAMM_V2)
    .u8(POOL_CONFIG.activationType, config.countsBy === "slot" ? 0 : 1)
    .u8(POOL_CONFIG.tokenDecimal, extras.tokenDecimals)
    .u8(POOL_CONFIG.migrationFeeOption, extras.migrationFeeOption)
    .u8(POOL_CONFIG.creatorTradingFeePercentage, config.creatorTradingFeePercent)
    .u8(POOL_CONFIG.migrationFeePercentage, extras.migrationFeePercent)
    .u64(POOL_CONFIG.migrationQuoteThreshold, config.migrationQuoteThreshold)
    .u64(POOL_CONFIG.migrationBaseThreshold, config.migrationBaseThreshold)
    .u128(POOL_CONFIG.migrationSqrtPrice, config.migrationSqrtPrice)
    .u64(POOL_CONFIG.vestingCliffUnlockAmount, config.vestingAmount)
    .u128(POOL_CONFIG.sqrtStartPrice, config.sqrtStartPrice);
  writeBaseFee(writer, config.baseFee);
  if (config.dynamicFee !== null) writeDynamicFee(writer, config.dynamicFee);
  for (const [index, { sqrtPrice, liquidity }] of config.curve.entries()) {
    const offset = POOL_CONFIG.curve + index * POOL_CONFIG.curvePointLength;
    writer.u128(offset, sqrtPrice).u128(offset + 16, liquidity);
  }
  return { owner: DBC_PROGRAM, lamports: 8_184_960n, data: writer.bytes, slot: extras.slot };
}

export type NewCurve = {
  readonly config: Address;
  readonly creator: Address;
  readonly baseMint: Address;
  readonly baseVault: Address;
  readonly quoteVault: Address;
  readonly activationPoint: bigint;
  readonly slot: bigint;
};

/** What a swap or a migration changes in a curve. */
export type CurveState = Pick<
  DbcState,
  | "baseReserve"
  | "quoteReserve"
  | "baseFees"
  | "quoteFees"
  | "sqrtPrice"
  | "isMigrated"
  | "volatility"
>;

/** A VirtualPool account. */
export function curveAccount(curve: NewCurve, state: CurveState): Account {
  const writer = new ByteWriter(new Uint8Array(VIRTUAL_POOL.length))
    .raw(0, VIRTUAL_POOL.discriminator)
    .address(VIRTUAL_POOL.config, curve.config)
    .address(VIRTUAL_POOL.creator, curve.creator)
    .address(VIRTUAL_POOL.baseMint, curve.baseMint)
    .address(VIRTUAL_POOL.baseVault, curve.baseVault)
    .address(VIRTUAL_POOL.quoteVault, curve.quoteVault)
    .u64(VIRTUAL_POOL.activationPoint, curve.activationPoint);
  writeCurveState(writer, state);
  return { owner: DBC_PROGRAM, lamports: 3_841_920n, data: writer.bytes, slot: curve.slot };
}

/** The progress of a curve from its launch to its pool. */
const MIGRATION_PROGRESS = { onCurve: 0, complete: 2, migrated: 3 } as const;

/** Writes the state after a swap; `finishedAt` is the time of the swap that completed the curve. */
export function writeCurveSwap(
  writer: ByteWriter,
  state: CurveState,
  finishedAt: bigint | null,
): void {
  writer.u8(VIRTUAL_POOL.hasSwap, 1);
  writeCurveState(writer, state);
  if (finishedAt === null) return;
  writer
    .u64(VIRTUAL_POOL.finishCurveTimestamp, finishedAt)
    .u8(VIRTUAL_POOL.migrationProgress, MIGRATION_PROGRESS.complete);
}

/** The curve after its pool was created. */
export function migratedCurve(account: Account, slot: bigint): Account {
  return edited(account, slot, (writer) =>
    writer
      .u8(VIRTUAL_POOL.isMigrated, 1)
      .u8(VIRTUAL_POOL.migrationProgress, MIGRATION_PROGRESS.migrated),
  );
}

function writeCurveState(writer: ByteWriter, state: CurveState): void {
  const { volatility, baseFees, quoteFees } = state;
  writer
    .u64(VIRTUAL_POOL.lastUpdateTimestamp, volatility.lastUpdateTimestamp)
    .u128(VIRTUAL_POOL.sqrtPriceReference, volatility.sqrtPriceReference)
    .u128(VIRTUAL_POOL.volatilityAccumulator, volatility.accumulator)
    .u128(VIRTUAL_POOL.volatilityReference, volatility.reference)
    .u64(VIRTUAL_POOL.baseReserve, state.baseReserve)
    .u64(VIRTUAL_POOL.quoteReserve, state.quoteReserve)
    .u64(VIRTUAL_POOL.protocolBaseFee, baseFees.protocol)
    .u64(VIRTUAL_POOL.partnerBaseFee, baseFees.partner)
    .u64(VIRTUAL_POOL.creatorBaseFee, baseFees.creator)
    .u64(VIRTUAL_POOL.protocolQuoteFee, quoteFees.protocol)
    .u64(VIRTUAL_POOL.partnerQuoteFee, quoteFees.partner)
    .u64(VIRTUAL_POOL.creatorQuoteFee, quoteFees.creator)
    .u128(VIRTUAL_POOL.sqrtPrice, state.sqrtPrice)
    .u8(VIRTUAL_POOL.isMigrated, state.isMigrated ? 1 : 0);
}

export function writeBaseFee(writer: ByteWriter, fee: BaseFee): void {
  writer
    .u8(POOL_CONFIG.baseFeeMode, BASE_FEE_MODE[fee.kind])
    .u64(POOL_CONFIG.cliffFeeNumerator, fee.cliffNumerator);
  if (fee.kind === "rate-limiter") {
    writer
      .u16(POOL_CONFIG.firstFactor, fee.incrementBps)
      .u64(POOL_CONFIG.secondFactor, fee.duration)
      .u64(POOL_CONFIG.thirdFactor, fee.referenceAmount);
  } else {
    writer
      .u16(POOL_CONFIG.firstFactor, fee.periods)
      .u64(POOL_CONFIG.secondFactor, fee.periodLength)
      .u64(POOL_CONFIG.thirdFactor, fee.reduction);
  }
}

function writeDynamicFee(writer: ByteWriter, fee: DynamicFee): void {
  writer
    .u8(POOL_CONFIG.dynamicFeeInitialized, 1)
    .u32(POOL_CONFIG.maxVolatilityAccumulator, fee.maxVolatilityAccumulator)
    .u32(POOL_CONFIG.variableFeeControl, fee.variableFeeControl)
    .u16(POOL_CONFIG.binStep, fee.binStep)
    .u16(POOL_CONFIG.filterPeriod, fee.filterPeriod)
    .u16(POOL_CONFIG.decayPeriod, fee.decayPeriod)
    .u16(POOL_CONFIG.reductionFactor, fee.reductionFactorBps)
    .u128(POOL_CONFIG.binStepU128, fee.binStepQ64);
}
