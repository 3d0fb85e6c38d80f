import { checkedU64, checkedU128, divCeil, mulDivCeil } from "#src/units/integer.ts";
import { MathError } from "#src/units/math-error.ts";
import type { DlmmParameters, Volatility } from "./state.ts";

/** Fee rates are numerators over this. */
export const FEE_PRECISION = 1_000_000_000n;
const MAX_FEE_RATE = 100_000_000n;
const VARIABLE_FEE_SCALE = 100_000_000_000n;
const BASIS_POINTS = 10_000;
const LIMIT_ORDER_FEE_SHARE_BPS = 5_000n;
const U32_MAX = 0xffff_ffff;
/** 10^39 is the first power of ten beyond u128. */
const LARGEST_U128_POWER_OF_TEN = 38;

/**
 * The references as a swap at `unixTimestamp` sets them before it fills anything: kept within the
 * filter period, decayed within the decay period, forgotten after it.
 *
 * @throws MathError where the program's u32 product overflows
 */
export function referencesAt(
  volatility: Volatility,
  parameters: DlmmParameters,
  swap: { readonly activeId: number; readonly unixTimestamp: bigint },
): Volatility {
  const elapsed = swap.unixTimestamp - volatility.lastUpdateTimestamp;
  if (elapsed < BigInt(parameters.filterPeriod)) return volatility;
  if (elapsed >= BigInt(parameters.decayPeriod)) {
    return { ...volatility, indexReference: swap.activeId, reference: 0 };
  }
  const product = volatility.accumulator * parameters.reductionFactorBps;
  if (product > U32_MAX) throw new MathError("overflow", { what: "volatility reference" });
  return {
    ...volatility,
    indexReference: swap.activeId,
    reference: Math.floor(product / BASIS_POINTS),
  };
}

/** The accumulator while bin `binId` is filled: grows with the distance from the reference, up to its cap. */
export function accumulatorAt(
  volatility: Volatility,
  parameters: DlmmParameters,
  binId: number,
): number {
  const distance = Math.abs(volatility.indexReference - binId);
  return Math.min(
    volatility.reference + distance * BASIS_POINTS,
    parameters.maxVolatilityAccumulator,
  );
}

/** Base plus variable fee as a numerator over `FEE_PRECISION`, at most 10 %. @throws MathError beyond u128 */
export function feeRate(parameters: DlmmParameters, accumulator: number): bigint {
  const rate = baseFeeRate(parameters) + variableFeeRate(parameters, accumulator);
  return rate < MAX_FEE_RATE ? rate : MAX_FEE_RATE;
}

function baseFeeRate({ baseFactor, binStep, baseFeePowerFactor }: DlmmParameters): bigint {
  if (baseFeePowerFactor > LARGEST_U128_POWER_OF_TEN) {
    throw new MathError("overflow", { what: "base fee power" });
  }
  const power = 10n ** BigInt(baseFeePowerFactor);
  return checkedU128(BigInt(baseFactor) * BigInt(binStep) * 10n * power, "base fee");
}

function variableFeeRate(parameters: DlmmParameters, accumulator: number): bigint {
  if (parameters.variableFeeControl === 0) return 0n;
  const distance = BigInt(accumulator) * BigInt(parameters.binStep);
  const scaled = checkedU128(
    BigInt(parameters.variableFeeControl) * distance * distance + VARIABLE_FEE_SCALE - 1n,
    "variable fee",
  );
  return scaled / VARIABLE_FEE_SCALE;
}

/** Fee contained in an amount that includes it, rounded up. */
export function feeIncluded(amount: bigint, rate: bigint): bigint {
  return mulDivCeil(amount, rate, FEE_PRECISION);
}

/** Fee to add on an amount that excludes it, rounded up. @throws MathError beyond u64 */
export function feeOnTop(amount: bigint, rate: bigint): bigint {
  return checkedU64(mulDivCeil(amount, rate, FEE_PRECISION - rate), "fee");
}

/**
 * The protocol's part of a bin's fee: its share of what market makers' liquidity earned, and half of
 * what limit orders did. Does not touch what the trader gets.
 */
export function protocolFee(
  fee: bigint,
  protocolShareBps: number,
  filled: { readonly makerIn: bigint; readonly totalIn: bigint },
): bigint {
  if (fee === 0n || filled.totalIn === 0n) return 0n;
  const makerFee = divCeil(fee * filled.makerIn, filled.totalIn);
  const orderFee = fee - makerFee;
  const orderOwnersPart = (orderFee * LIMIT_ORDER_FEE_SHARE_BPS) / BigInt(BASIS_POINTS);
  return (makerFee * BigInt(protocolShareBps)) / BigInt(BASIS_POINTS) + orderFee - orderOwnersPart;
}
