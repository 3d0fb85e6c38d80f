import {
  checkedU64,
  checkedU128,
  divCeil,
  divFloor,
  minBigint,
  mulDivCeil,
  mulDivFloor,
  Q64,
} from "#src/units/integer.ts";
import { toNumber } from "#src/units/to-number.ts";
import { powQ64 } from "../shared/curves/q64-power.ts";
import type { BaseFee, DammV2State, DynamicFee } from "./decode.ts";
import { BASIS_POINTS, FEE_DENOMINATOR } from "./layout.ts";

const VARIABLE_FEE_SCALE = 100_000_000_000n;

/** What the fee of one order depends on beside the pool. */
export type FeeContext = {
  readonly isAToB: boolean;
  /** Slot or second, as the pool counts. */
  readonly point: bigint;
  /** Base units of the input, after its transfer fee. */
  readonly amountIn: bigint;
};

/**
 * The whole trading fee over 10^9: base fee, plus the variable fee of the stored accumulator, capped.
 *
 * @throws MathError where the program would
 */
export function tradeFeeNumerator(state: DammV2State, context: FeeContext): bigint {
  const variable = state.dynamicFee === null ? 0n : variableFeeNumerator(state.dynamicFee);
  const total = checkedU64(variable + baseFeeNumerator(state, context), "fee numerator");
  return minBigint(total, state.maxFeeNumerator);
}

/** `amount` less its fee, and the fee, rounded up; base units. */
export function takeFee(amount: bigint, numerator: bigint): { kept: bigint; fee: bigint } {
  const fee = mulDivCeil(amount, numerator, FEE_DENOMINATOR);
  return { kept: checkedU64(amount - fee, "amount less fee"), fee };
}

/** Who gets a fee: the rest of what protocol and compounding take can be claimed by positions. */
export function splitFee(state: DammV2State, fee: bigint) {
  const protocol = checkedU64(mulDivFloor(fee, state.protocolFeePercent, 100n));
  const trading = checkedU64(fee - protocol, "fee less protocol's");
  const compounding = checkedU64(mulDivFloor(trading, state.compoundingFeeBps, BASIS_POINTS));
  return { protocol, compounding, claiming: checkedU64(trading - compounding) };
}

function baseFeeNumerator(state: DammV2State, context: FeeContext): bigint {
  const { baseFee, activationPoint } = state;
  const { point } = context;
  switch (baseFee.kind) {
    case "time-linear":
    case "time-exponential": {
      if (baseFee.periodFrequency === 0n) return baseFee.cliffFeeNumerator;
      const passed =
        point < activationPoint
          ? baseFee.periods
          : (point - activationPoint) / baseFee.periodFrequency;
      return scheduledFee(baseFee, passed, baseFee.kind === "time-linear");
    }
    case "rate-limiter":
      return isRateLimited(baseFee, activationPoint, context)
        ? rateLimitedFee(baseFee, context.amountIn)
        : baseFee.cliffFeeNumerator;
    case "market-cap-linear":
    case "market-cap-exponential": {
      const expiry = checkedU64(activationPoint + baseFee.expiry, "expiry point");
      const isOver = point > expiry || point < activationPoint;
      const passed = isOver ? baseFee.periods : risenPeriods(state, baseFee.sqrtPriceStepBps);
      return scheduledFee(baseFee, passed, baseFee.kind === "market-cap-linear");
    }
  }
}

/** How many steps the root price has risen above the first price. */
function risenPeriods(state: DammV2State, sqrtPriceStepBps: bigint): bigint {
  const { sqrtPrice, initSqrtPrice } = state;
  if (sqrtPrice <= initSqrtPrice) return 0n;
  const risenBps = mulDivFloor(sqrtPrice - initSqrtPrice, BASIS_POINTS, initSqrtPrice);
  return divFloor(risenBps, sqrtPriceStepBps);
}

type Schedule = Extract<BaseFee, { readonly periods: bigint }>;

function scheduledFee(fee: Schedule, passed: bigint, isLinear: boolean): bigint {
  const period = minBigint(passed, fee.periods);
  if (isLinear) {
    const fallen = checkedU64(fee.reductionFactor * period, "fee reduction");
    return checkedU64(fee.cliffFeeNumerator - fallen, "base fee");
  }
  if (fee.reductionFactor === 0n) return fee.cliffFeeNumerator;
  const reduction = divFloor(fee.reductionFactor << 64n, BASIS_POINTS);
  const left = powQ64(checkedU128(Q64 - reduction, "fee left per period"), toNumber(period));
  return (left * fee.cliffFeeNumerator) >> 64n;
}

type RateLimiter = Extract<BaseFee, { readonly kind: "rate-limiter" }>;

/** Only buys of A are limited, and only for a while after activation. */
function isRateLimited(fee: RateLimiter, activationPoint: bigint, context: FeeContext): boolean {
  const isUnset =
    fee.referenceAmount === 0n &&
    fee.maxDuration === 0n &&
    fee.maxFeeBps === 0n &&
    fee.feeIncrementBps === 0n;
  if (isUnset || context.isAToB || context.point < activationPoint) return false;
  return context.point <= activationPoint + fee.maxDuration;
}

/** The fee rises by one increment with every reference amount, up to its maximum. */
function rateLimitedFee(fee: RateLimiter, amountIn: bigint): bigint {
  const { cliffFeeNumerator: cliff, referenceAmount } = fee;
  if (amountIn <= referenceAmount) return cliff;
  const maxFee = (fee.maxFeeBps * FEE_DENOMINATOR) / BASIS_POINTS;
  const increment = (fee.feeIncrementBps * FEE_DENOMINATOR) / BASIS_POINTS;
  const beyond = amountIn - referenceAmount;
  const steps = divFloor(beyond, referenceAmount);
  const rest = beyond % referenceAmount;
  const maxSteps = divFloor(checkedU64(maxFee - cliff, "room above the cliff"), increment);

  const full = minBigint(steps, maxSteps);
  const stepped = referenceAmount * (cliff + cliff * full + (increment * full * (full + 1n)) / 2n);
  const above =
    steps < maxSteps
      ? rest * (cliff + increment * (steps + 1n))
      : ((steps - maxSteps) * referenceAmount + rest) * maxFee;
  const tradingFee = checkedU64(divCeil(stepped + above, FEE_DENOMINATOR), "rate-limited fee");
  return checkedU64(mulDivCeil(tradingFee, FEE_DENOMINATOR, amountIn), "fee numerator");
}

function variableFeeNumerator(fee: DynamicFee): bigint {
  const distance = checkedU128(fee.volatilityAccumulator * fee.binStep, "volatility");
  const square = checkedU128(distance * distance, "volatility squared");
  const scaled = checkedU128(square * fee.variableFeeControl, "variable fee");
  return checkedU128(scaled + VARIABLE_FEE_SCALE - 1n) / VARIABLE_FEE_SCALE;
}

/** Price and clock around one swap. */
export type PriceMove = {
  readonly before: bigint;
  readonly after: bigint;
  readonly unixTimestamp: bigint;
};

/**
 * The dynamic fee's memory after a swap: references decay first, then the accumulator takes up how
 * far the price now is from its reference. The swap itself paid the fee of the old accumulator.
 *
 * @throws MathError where the program would: a bin step or a reference of zero
 */
export function dynamicFeeAfter(fee: DynamicFee, move: PriceMove): DynamicFee {
  const { sqrtPriceReference, volatilityReference } = decayedReferences(fee, move);
  const distance = binsBetween(fee.binStepQ64, move.after, sqrtPriceReference);
  const volatility = checkedU128(volatilityReference + checkedU128(distance * BASIS_POINTS));
  const hasCrossed = binsBetween(fee.binStepQ64, move.before, move.after) > 0n;
  return {
    ...fee,
    sqrtPriceReference,
    volatilityReference,
    volatilityAccumulator: minBigint(volatility, fee.maxVolatilityAccumulator),
    lastUpdateTimestamp: hasCrossed ? move.unixTimestamp : fee.lastUpdateTimestamp,
  };
}

function decayedReferences(fee: DynamicFee, move: PriceMove) {
  const { lastUpdateTimestamp: last } = fee;
  const elapsed = move.unixTimestamp > last ? move.unixTimestamp - last : 0n;
  if (elapsed < fee.filterPeriod) return fee;
  const sqrtPriceReference = move.before;
  if (elapsed >= fee.decayPeriod) return { sqrtPriceReference, volatilityReference: 0n };
  const reduced = checkedU128(fee.volatilityAccumulator * fee.reductionFactor, "volatility");
  return { sqrtPriceReference, volatilityReference: reduced / BASIS_POINTS };
}

/** Two bins for every bin step between two root prices: a price moves twice as far as its root. */
function binsBetween(binStepQ64: bigint, a: bigint, b: bigint): bigint {
  const [lower, upper] = a > b ? [b, a] : [a, b];
  const ratio = checkedU128(divFloor(upper << 64n, lower), "price ratio");
  return checkedU128(divFloor(ratio - Q64, binStepQ64) * 2n, "bins");
}
