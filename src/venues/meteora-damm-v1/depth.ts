import type { Address } from "#src/units/address.ts";
import { minBigint } from "#src/units/integer.ts";
import type { Ratio } from "#src/units/ratio.ts";
import { constantProductReachable } from "../shared/curves/constant-product.ts";
import { nullOnMathError } from "../shared/refusals.ts";
import type { Curve, DammV1State, VaultShare } from "./decode.ts";
import { type StableCurve, stableScales } from "./quote.ts";
import { stableInvariant, stableReserve } from "./stable-curve.ts";
import { amountOfShare } from "./vault.ts";

const BASIS_POINTS = 10_000n;
/** Halvings of the output reserve: the answer is within 2^-32 of it. */
const ROUNDS = 32;

/**
 * Price of the first unit, output per input; null also where the input's vault takes no deposits. Without a
 * clock: as if all profit were released and the stake pool's price renewed, which is so a few hours after
 * the last report.
 */
export function spotPrice(state: DammV1State, inputMint: Address): Ratio | null {
  const input = inputMint === state.a.mint ? state.a : state.b;
  return input.takesDeposits ? nullOnMathError(() => spotOf(sideOf(state, inputMint))) : null;
}

/** What selling takes out until the price has fallen by `fallBps`; what is lent out can't be paid. */
export function reachable(state: DammV1State, inputMint: Address, fallBps: number): bigint {
  const reached = nullOnMathError(() => {
    const side = sideOf(state, inputMint);
    if (spotOf(side) === null) return 0n;
    return minBigint(reachableOnCurve(side, fallBps), side.output.tokenVaultAmount);
  });
  return reached ?? 0n;
}

type CurveSide = {
  readonly curve: Curve;
  readonly isAToB: boolean;
  readonly output: VaultShare;
  readonly reserveIn: bigint;
  readonly reserveOut: bigint;
};

function sideOf(state: DammV1State, inputMint: Address): CurveSide {
  const isAToB = inputMint === state.a.mint;
  const input = isAToB ? state.a : state.b;
  const output = isAToB ? state.b : state.a;
  return {
    curve: renewed(state.curve),
    isAToB,
    output,
    reserveIn: amountOfShare(input.poolLp, input.totalAmount, input.lpSupply),
    reserveOut: amountOfShare(output.poolLp, output.totalAmount, output.lpSupply),
  };
}

function renewed(curve: Curve): Curve {
  if (curve.kind === "constant-product" || curve.depeg === null) return curve;
  const { depeg } = curve;
  return { ...curve, depeg: { ...depeg, cachedPrice: depeg.currentPrice ?? depeg.cachedPrice } };
}

function spotOf(side: CurveSide): Ratio | null {
  const { curve, reserveIn, reserveOut } = side;
  if (reserveIn === 0n || reserveOut < 2n || side.output.tokenVaultAmount < 2n) return null;
  if (curve.kind === "constant-product") return { numerator: reserveOut, denominator: reserveIn };
  const { scaleIn, scaleOut, x, y } = scaled(side, curve);
  if (scaleIn === 0n || scaleOut === 0n) return null;
  const slope = slopeAt(curve.amp, { x, y, invariant: stableInvariant(curve.amp, x, y) });
  return { numerator: slope.numerator * scaleIn, denominator: slope.denominator * scaleOut };
}

function scaled(side: CurveSide, curve: StableCurve) {
  const scales = stableScales(curve);
  const [scaleIn, scaleOut] = side.isAToB ? [scales.a, scales.b] : [scales.b, scales.a];
  return { scaleIn, scaleOut, x: side.reserveIn * scaleIn, y: side.reserveOut * scaleOut };
}

type StableCurvePoint = { readonly x: bigint; readonly y: bigint; readonly invariant: bigint };

/**
 * `-dy/dx` of `ann * (x + y) + D = ann * D + D^3 / (4xy)`, with ann = 2 amp: the exact derivative at
 * an integer point.
 */
function slopeAt(amp: bigint, point: StableCurvePoint): Ratio {
  const { x, y, invariant } = point;
  const cube = invariant * invariant * invariant;
  const fourAnn = 8n * amp;
  return {
    numerator: y * (fourAnn * x * x * y + cube),
    denominator: x * (fourAnn * x * y * y + cube),
  };
}

function reachableOnCurve(side: CurveSide, fallBps: number): bigint {
  const { curve, reserveOut } = side;
  if (fallBps >= 10_000) return reserveOut;
  if (curve.kind === "constant-product") return constantProductReachable(reserveOut, fallBps);
  const { scaleOut, x, y } = scaled(side, curve);
  const invariant = stableInvariant(curve.amp, x, y);
  const spot = slopeAt(curve.amp, { x, y, invariant });
  const left = BASIS_POINTS - BigInt(fallBps);
  const isAbove = (remaining: bigint) => {
    const point = { x: stableReserve(curve.amp, remaining, invariant), y: remaining, invariant };
    const slope = slopeAt(curve.amp, point);
    return (
      slope.numerator * spot.denominator * BASIS_POINTS >= spot.numerator * slope.denominator * left
    );
  };
  let low = 1n;
  let high = y;
  for (let round = 0; round < ROUNDS && high - low > 1n; round++) {
    const middle = (low + high) >> 1n;
    if (isAbove(middle)) high = middle;
    else low = middle;
  }
  return (y - high) / scaleOut;
}
