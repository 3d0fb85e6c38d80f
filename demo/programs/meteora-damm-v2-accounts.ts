import type { Address } from "#src/units/address.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { Account } from "#src/venues/account-set.ts";
import {
  ACTIVATION_TYPES,
  type BaseFee,
  COLLECT_FEE_MODES,
  type DammV2State,
  type DynamicFee,
} from "#src/venues/meteora-damm-v2/decode.ts";
import {
  MAX_FEE_NUMERATORS,
  POOL,
  POOL_DISCRIMINATOR,
  POOL_LENGTH,
  PROGRAM_ID,
} from "#src/venues/meteora-damm-v2/layout.ts";
import { ByteWriter } from "../byte-writer.ts";

const BASE_FEE_MODES: readonly BaseFee["kind"][] = [
  "time-linear",
  "time-exponential",
  "rate-limiter",
  "market-cap-linear",
  "market-cap-exponential",
];
const REFERRAL_FEE_PERCENT = 20;

export type NewDammV2Pool = {
  readonly vaultA: Address;
  readonly vaultB: Address;
  readonly creator: Address;
  /** Whether the token is one of Token-2022. */
  readonly isExtendedA: boolean;
  readonly isExtendedB: boolean;
  readonly slot: bigint;
};

/** A Pool account in that state, of the layout that counts its reserves. */
export function dammV2PoolAccount(state: DammV2State, fields: NewDammV2Pool): Account {
  const writer = new ByteWriter(new Uint8Array(POOL_LENGTH))
    .raw(0, POOL_DISCRIMINATOR)
    .u8(POOL.protocolFeePercent, toNumber(state.protocolFeePercent))
    .u8(POOL.referralFeePercent, REFERRAL_FEE_PERCENT)
    .u16(POOL.compoundingFeeBps, toNumber(state.compoundingFeeBps))
    .u128(POOL.initSqrtPrice, state.initSqrtPrice)
    .address(POOL.tokenAMint, state.tokenA.mint)
    .address(POOL.tokenBMint, state.tokenB.mint)
    .address(POOL.tokenAVault, fields.vaultA)
    .address(POOL.tokenBVault, fields.vaultB)
    .u128(POOL.sqrtMinPrice, state.sqrtMinPrice)
    .u128(POOL.sqrtMaxPrice, state.sqrtMaxPrice)
    .u64(POOL.activationPoint, state.activationPoint)
    .u8(POOL.activationType, ACTIVATION_TYPES.indexOf(state.activationType))
    .u8(POOL.poolStatus, state.isEnabled ? 0 : 1)
    .u8(POOL.tokenAFlag, fields.isExtendedA ? 1 : 0)
    .u8(POOL.tokenBFlag, fields.isExtendedB ? 1 : 0)
    .u8(POOL.collectFeeMode, COLLECT_FEE_MODES.indexOf(state.collectFeeMode))
    .u8(POOL.feeVersion, state.maxFeeNumerator === MAX_FEE_NUMERATORS[0] ? 0 : 1)
    .address(POOL.creator, fields.creator)
    .u8(POOL.layoutVersion, 1);
  writeBaseFee(writer, state.baseFee);
  writeDammV2Changes(writer, state);
  return { owner: PROGRAM_ID, lamports: 8_630_400n, data: writer.bytes, slot: fields.slot };
}

/** Writes every field that a swap or a change of liquidity changes. */
export function writeDammV2Changes(writer: ByteWriter, state: DammV2State): void {
  writer
    .u128(POOL.liquidity, state.liquidity)
    .u64(POOL.protocolAFee, state.tokenA.protocolFee)
    .u64(POOL.protocolBFee, state.tokenB.protocolFee)
    .u128(POOL.sqrtPrice, state.sqrtPrice)
    .u64(POOL.tokenAAmount, state.tokenA.reserve)
    .u64(POOL.tokenBAmount, state.tokenB.reserve)
    .u8(POOL.layoutVersion, 1);
  if (state.dynamicFee !== null) writeDynamicFee(writer, state.dynamicFee);
}

function writeBaseFee(writer: ByteWriter, fee: BaseFee): void {
  writer
    .u64(POOL.cliffFeeNumerator, fee.cliffFeeNumerator)
    .u8(POOL.baseFeeMode, BASE_FEE_MODES.indexOf(fee.kind));
  switch (fee.kind) {
    case "time-linear":
    case "time-exponential":
      writer
        .u16(POOL.baseFeeFirst, toNumber(fee.periods))
        .u64(POOL.baseFeeSecond, fee.periodFrequency)
        .u64(POOL.baseFeeThird, fee.reductionFactor);
      return;
    case "rate-limiter":
      writer
        .u16(POOL.baseFeeFirst, toNumber(fee.feeIncrementBps))
        .u32(POOL.baseFeeSecond, toNumber(fee.maxDuration))
        .u32(POOL.baseFeeSecondHigh, toNumber(fee.maxFeeBps))
        .u64(POOL.baseFeeThird, fee.referenceAmount);
      return;
    case "market-cap-linear":
    case "market-cap-exponential":
      writer
        .u16(POOL.baseFeeFirst, toNumber(fee.periods))
        .u32(POOL.baseFeeSecond, toNumber(fee.sqrtPriceStepBps))
        .u32(POOL.baseFeeSecondHigh, toNumber(fee.expiry))
        .u64(POOL.baseFeeThird, fee.reductionFactor);
  }
}

function writeDynamicFee(writer: ByteWriter, fee: DynamicFee): void {
  writer
    .u8(POOL.dynamicFeeInitialized, 1)
    .u32(POOL.maxVolatilityAccumulator, toNumber(fee.maxVolatilityAccumulator))
    .u32(POOL.variableFeeControl, toNumber(fee.variableFeeControl))
    .u16(POOL.binStep, toNumber(fee.binStep))
    .u16(POOL.filterPeriod, toNumber(fee.filterPeriod))
    .u16(POOL.decayPeriod, toNumber(fee.decayPeriod))
    .u16(POOL.reductionFactor, toNumber(fee.reductionFactor))
    .u64(POOL.lastUpdateTimestamp, fee.lastUpdateTimestamp)
    .u128(POOL.binStepU128, fee.binStepQ64)
    .u128(POOL.sqrtPriceReference, fee.sqrtPriceReference)
    .u128(POOL.volatilityAccumulator, fee.volatilityAccumulator)
    .u128(POOL.volatilityReference, fee.volatilityReference);
}
