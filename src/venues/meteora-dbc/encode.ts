import { type Address, addressBytes } from "#src/units/address.ts";
import { POOL_CONFIG, VIRTUAL_POOL } from "./layout.ts";
import type { BaseFee, DbcConfig, DbcState, DynamicFee } from "./state.ts";

/** What a curve is created with, besides its state. */
export type NewPool = {
  readonly config: Address;
  readonly creator: Address;
  readonly baseMint: Address;
  readonly baseVault: Address;
  readonly quoteVault: Address;
  readonly activationPoint: bigint;
};

/** What a config holds that quotes do not need. */
export type ConfigExtras = {
  readonly feeClaimer: Address;
  readonly tokenDecimals: number;
  /** Percent of the quote that launchpad and creator keep at migration. */
  readonly migrationFeePercent: number;
  /** Which of the DAMM v2 configs the graduated pool gets. */
  readonly migrationFeeOption: number;
};

/** What a swap changes in a curve. */
export type PoolState = Omit<
  DbcState,
  | "config"
  | "baseMint"
  | "baseVaultBalance"
  | "quoteVaultBalance"
  | "activationPoint"
  | "hasTransferHook"
>;

const MIGRATION_TO_DAMM_V2 = 1;
const BASE_FEE_MODE = { linear: 0, exponential: 1, "rate-limiter": 2 } as const;

/** Bytes of a PoolConfig. For the demo market and tests. */
export function newConfigData(config: DbcConfig, extras: ConfigExtras): Uint8Array {
  const data = new Uint8Array(POOL_CONFIG.length);
  const view = new DataView(data.buffer);
  data.set(POOL_CONFIG.discriminator);
  writeAddress(data, POOL_CONFIG.quoteMint, config.quoteMint);
  writeAddress(data, POOL_CONFIG.feeClaimer, extras.feeClaimer);
  writeBaseFee(view, config.baseFee);
  if (config.dynamicFee !== null) writeDynamicFee(view, config.dynamicFee);
  view.setUint8(POOL_CONFIG.collectFeeMode, config.collects === "quote" ? 0 : 1);
  view.setUint8(POOL_CONFIG.migrationOption, MIGRATION_TO_DAMM_V2);
  view.setUint8(POOL_CONFIG.activationType, config.countsBy === "slot" ? 0 : 1);
  view.setUint8(POOL_CONFIG.tokenDecimal, extras.tokenDecimals);
  view.setUint8(POOL_CONFIG.migrationFeeOption, extras.migrationFeeOption);
  view.setUint8(POOL_CONFIG.creatorTradingFeePercentage, config.creatorTradingFeePercent);
  view.setUint8(POOL_CONFIG.migrationFeePercentage, extras.migrationFeePercent);
  view.setBigUint64(POOL_CONFIG.migrationQuoteThreshold, config.migrationQuoteThreshold, true);
  view.setBigUint64(POOL_CONFIG.migrationBaseThreshold, config.migrationBaseThreshold, true);
  writeU128(view, POOL_CONFIG.migrationSqrtPrice, config.migrationSqrtPrice);
  view.setBigUint64(POOL_CONFIG.vestingCliffUnlockAmount, config.vestingAmount, true);
  writeU128(view, POOL_CONFIG.sqrtStartPrice, config.sqrtStartPrice);
  config.curve.forEach(({ sqrtPrice, liquidity }, index) => {
    const offset = POOL_CONFIG.curve + index * POOL_CONFIG.curvePointLength;
    writeU128(view, offset, sqrtPrice);
    writeU128(view, offset + 16, liquidity);
  });
  return data;
}

/** Bytes of a new VirtualPool without its state: `writePoolState` adds it. */
export function newPoolData(pool: NewPool): Uint8Array {
  const data = new Uint8Array(VIRTUAL_POOL.length);
  data.set(VIRTUAL_POOL.discriminator);
  writeAddress(data, VIRTUAL_POOL.config, pool.config);
  writeAddress(data, VIRTUAL_POOL.creator, pool.creator);
  writeAddress(data, VIRTUAL_POOL.baseMint, pool.baseMint);
  writeAddress(data, VIRTUAL_POOL.baseVault, pool.baseVault);
  writeAddress(data, VIRTUAL_POOL.quoteVault, pool.quoteVault);
  new DataView(data.buffer).setBigUint64(VIRTUAL_POOL.activationPoint, pool.activationPoint, true);
  return data;
}

/** Overwrites what a swap changes in a VirtualPool. */
export function writePoolState(data: Uint8Array, state: PoolState): void {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const { volatility, baseFees, quoteFees } = state;
  view.setBigUint64(VIRTUAL_POOL.lastUpdateTimestamp, volatility.lastUpdateTimestamp, true);
  writeU128(view, VIRTUAL_POOL.sqrtPriceReference, volatility.sqrtPriceReference);
  writeU128(view, VIRTUAL_POOL.volatilityAccumulator, volatility.accumulator);
  writeU128(view, VIRTUAL_POOL.volatilityReference, volatility.reference);
  view.setBigUint64(VIRTUAL_POOL.baseReserve, state.baseReserve, true);
  view.setBigUint64(VIRTUAL_POOL.quoteReserve, state.quoteReserve, true);
  view.setBigUint64(VIRTUAL_POOL.protocolBaseFee, baseFees.protocol, true);
  view.setBigUint64(VIRTUAL_POOL.partnerBaseFee, baseFees.partner, true);
  view.setBigUint64(VIRTUAL_POOL.creatorBaseFee, baseFees.creator, true);
  view.setBigUint64(VIRTUAL_POOL.protocolQuoteFee, quoteFees.protocol, true);
  view.setBigUint64(VIRTUAL_POOL.partnerQuoteFee, quoteFees.partner, true);
  view.setBigUint64(VIRTUAL_POOL.creatorQuoteFee, quoteFees.creator, true);
  writeU128(view, VIRTUAL_POOL.sqrtPrice, state.sqrtPrice);
  view.setUint8(VIRTUAL_POOL.isMigrated, state.isMigrated ? 1 : 0);
}

function writeBaseFee(view: DataView, fee: BaseFee): void {
  const isLimiter = fee.kind === "rate-limiter";
  view.setUint8(POOL_CONFIG.baseFeeMode, BASE_FEE_MODE[fee.kind]);
  view.setBigUint64(POOL_CONFIG.cliffFeeNumerator, fee.cliffNumerator, true);
  view.setUint16(POOL_CONFIG.firstFactor, isLimiter ? fee.incrementBps : fee.periods, true);
  view.setBigUint64(POOL_CONFIG.secondFactor, isLimiter ? fee.duration : fee.periodLength, true);
  view.setBigUint64(POOL_CONFIG.thirdFactor, isLimiter ? fee.referenceAmount : fee.reduction, true);
}

function writeDynamicFee(view: DataView, fee: DynamicFee): void {
  view.setUint8(POOL_CONFIG.dynamicFeeInitialized, 1);
  view.setUint32(POOL_CONFIG.maxVolatilityAccumulator, fee.maxVolatilityAccumulator, true);
  view.setUint32(POOL_CONFIG.variableFeeControl, fee.variableFeeControl, true);
  view.setUint16(POOL_CONFIG.binStep, fee.binStep, true);
  view.setUint16(POOL_CONFIG.filterPeriod, fee.filterPeriod, true);
  view.setUint16(POOL_CONFIG.decayPeriod, fee.decayPeriod, true);
  view.setUint16(POOL_CONFIG.reductionFactor, fee.reductionFactorBps, true);
  writeU128(view, POOL_CONFIG.binStepU128, fee.binStepQ64);
}

function writeU128(view: DataView, offset: number, value: bigint): void {
  view.setBigUint64(offset, BigInt.asUintN(64, value), true);
  view.setBigUint64(offset + 8, value >> 64n, true);
}

function writeAddress(data: Uint8Array, offset: number, address: Address): void {
  data.set(addressBytes(address) ?? new Uint8Array(32), offset);
}
