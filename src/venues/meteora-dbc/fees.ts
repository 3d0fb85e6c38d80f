import {
  checkedU64,
  checkedU128,
  divCeil,
  divFloor,
  maxBigint,
  mulDivCeil,
  mulDivFloor,
  Q64,
} from "#src/units/integer.ts";
import { MathError } from "#src/units/math-error.ts";
import { toNumber } from "#src/units/to-number.ts";
import { powQ64 } from "../shared/curves/q64-power.ts";
import type { BaseFee, DbcConfig, DynamicFee, Volatility } from "./state.ts";

/** Fee numerators are over this. */
export const FEE_DENOMINATOR = 1_000_000_000n;
const MAX_FEE_NUMERATOR = 990_000_000n;
const NUMERATOR_PER_BPS = 100_000n;
const BASIS_POINTS = 10_000n;
const VARIABLE_FEE_SCALE = 100_000_000_000n;
const PROTOCOL_FEE_PERCENT = 20n;

/** What the base fee of an order depends on. */
export type FeeQuery = {
  /** Now, as a slot or in unix seconds, whichever the config counts by. */
  readonly point: bigint;
  readonly activationPoint: bigint;
  readonly isBuy: boolean;
  /** What the trader hands in. */
  readonly amountIn: bigint;
};

/**
 * Base plus variable fee of an order, at most 99 %. The variable part comes from the accumulator as
 * it is stored: a swap updates it only afterwards.
 *
 * @throws MathError where the program fails to compute it
 */
export function feeNumerator(config: DbcConfig, volatility: Volatility, query: FeeQuery): bigint {
  const total =
    baseFeeNumerator(config.baseFee, query) +
    variableFeeNumerator(config.dynamicFee, volatility.accumulator);
  return total > MAX_FEE_NUMERATOR ? MAX_FEE_NUMERATOR : total;
}

/** Fee on an amount that includes it, rounded up. @throws MathError where it exceeds the amount */
export function feeIncluded(amount: bigint, numerator: bigint): bigint {
  return mulDivCeil(amount, numerator, FEE_DENOMINATOR);
}

/** Who gets a fee: the protocol a fifth, the rest is split between partner and creator. */
export function splitFee(fee: bigint, creatorPercent: number) {
  const protocol = (fee * PROTOCOL_FEE_PERCENT) / 100n;
  const trading = fee - protocol;
  const creator = (trading * BigInt(creatorPercent)) / 100n;
  return { protocol, trading, creator, partner: checkedU64(trading - creator, "partner fee") };
}

function baseFeeNumerator(fee: BaseFee, query: FeeQuery): bigint {
  switch (fee.kind) {
    case "rate-limiter":
      return limitedFeeNumerator(fee, query);
    case "linear":
    case "exponential":
      return scheduledFeeNumerator(fee, query);
  }
}

function scheduledFeeNumerator(
  fee: Extract<BaseFee, { kind: "linear" | "exponential" }>,
  { point, activationPoint }: FeeQuery,
): bigint {
  if (fee.periodLength === 0n) return fee.cliffNumerator;
  const elapsed = checkedU64(point - activationPoint, "time since activation");
  const passed = elapsed / fee.periodLength;
  const last = BigInt(fee.periods);
  const period = passed < last ? passed : last;
  if (fee.kind === "linear") {
    const reduction = checkedU64(fee.reduction * period, "fee reduction");
    return checkedU64(fee.cliffNumerator - reduction, "fee numerator");
  }
  const base = Q64 - (fee.reduction << 64n) / BASIS_POINTS;
  if (base < 0n) throw new MathError("underflow", { what: "fee reduction" });
  const power = powQ64(base, toNumber(period));
  return checkedU64(checkedU128(power * fee.cliffNumerator, "fee") >> 64n, "fee numerator");
}

/**
 * Buys above the reference amount pay a fee that grows by one increment per further reference
 * amount, up to 99 %.
 *
 * @see base_fee/fee_rate_limiter.rs in the source named in this folder's README
 */
function limitedFeeNumerator(
  fee: Extract<BaseFee, { kind: "rate-limiter" }>,
  { point, activationPoint, isBuy, amountIn }: FeeQuery,
): bigint {
  const { cliffNumerator, referenceAmount, duration } = fee;
  const isOff = referenceAmount === 0n && duration === 0n && fee.incrementBps === 0;
  if (isOff || !isBuy || point > activationPoint + duration) return cliffNumerator;
  if (amountIn <= referenceAmount) return cliffNumerator;

  const increment = BigInt(fee.incrementBps) * NUMERATOR_PER_BPS;
  const room = checkedU64(MAX_FEE_NUMERATOR - cliffNumerator, "room for the fee");
  const maxIndex = divFloor(room, increment);
  const excess = amountIn - referenceAmount;
  const steps = divFloor(excess, referenceAmount);
  const rest = excess % referenceAmount;
  const full = steps < maxIndex ? steps : maxIndex;
  const summed = cliffNumerator + cliffNumerator * full + (increment * full * (full + 1n)) / 2n;
  const scaledFee =
    steps < maxIndex
      ? referenceAmount * summed + rest * (cliffNumerator + increment * (steps + 1n))
      : referenceAmount * summed +
        ((steps - maxIndex) * referenceAmount + rest) * MAX_FEE_NUMERATOR;
  const charged = checkedU64(divCeil(scaledFee, FEE_DENOMINATOR), "trading fee");
  return checkedU64(mulDivCeil(charged, FEE_DENOMINATOR, amountIn), "fee numerator");
}

function variableFeeNumerator(fee: DynamicFee | null, accumulator: bigint): bigint {
  if (fee === null) return 0n;
  const distance = checkedU128(accumulator * BigInt(fee.binStep), "volatility");
  const square = checkedU128(distance * distance, "volatility");
  const scaled = checkedU128(square * BigInt(fee.variableFeeControl), "variable fee");
  return checkedU128(scaled + VARIABLE_FEE_SCALE - 1n, "variable fee") / VARIABLE_FEE_SCALE;
}

/** The references as a swap sets them before it trades. */
export function referencesAt(
  fee: DynamicFee | null,
  volatility: Volatility,
  now: { readonly sqrtPrice: bigint; readonly unixTimestamp: bigint },
): Volatility {
  if (fee === null) return volatility;
  const elapsed = maxBigint(now.unixTimestamp - volatility.lastUpdateTimestamp, 0n);
  if (elapsed < BigInt(fee.filterPeriod)) return volatility;
  const isDecaying = elapsed < BigInt(fee.decayPeriod);
  const product = isDecaying ? volatility.accumulator * BigInt(fee.reductionFactorBps) : 0n;
  const reference = checkedU128(product, "volatility") / BASIS_POINTS;
  return { ...volatility, sqrtPriceReference: now.sqrtPrice, reference };
}

/** The volatility as a swap leaves it, for the next one to pay. */
export function volatilityAfter(
  fee: DynamicFee | null,
  volatility: Volatility,
  swap: {
    readonly sqrtPriceBefore: bigint;
    readonly sqrtPriceAfter: bigint;
    readonly unixTimestamp: bigint;
  },
): Volatility {
  if (fee === null) return volatility;
  const moved = binsBetween(fee, swap.sqrtPriceAfter, volatility.sqrtPriceReference);
  const grown = checkedU128(volatility.reference + moved * BASIS_POINTS, "volatility");
  const cap = BigInt(fee.maxVolatilityAccumulator);
  const crossed = binsBetween(fee, swap.sqrtPriceBefore, swap.sqrtPriceAfter);
  return {
    ...volatility,
    accumulator: grown < cap ? grown : cap,
    lastUpdateTimestamp: crossed > 0n ? swap.unixTimestamp : volatility.lastUpdateTimestamp,
  };
}

/** Twice the steps between two sqrt prices: a price moves two steps where its root moves one. */
function binsBetween(fee: DynamicFee, a: bigint, b: bigint): bigint {
  const [lower, upper] = a < b ? [a, b] : [b, a];
  const ratio = checkedU128(mulDivFloor(upper, Q64, lower), "price ratio");
  return divFloor(ratio - Q64, fee.binStepQ64) * 2n;
}
