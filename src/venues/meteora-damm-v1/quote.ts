import { checkedU64, checkedU128, divCeil, divFloor } from "#src/units/integer.ts";
import { MathError } from "#src/units/math-error.ts";
import {
  filledOrUnfillable,
  reserveRefusal,
  type Unfillable,
  unfillable,
} from "../shared/refusals.ts";
import type { Clock, ExactIn, PoolStatus, Quote } from "../venue.ts";
import type { Curve, DammV1State, VaultShare } from "./decode.ts";
import { DEPEG_CACHE_SECONDS, DEPEG_PRECISION } from "./layout.ts";
import { stableInvariant, stableReserve } from "./stable-curve.ts";
import { amountOfShare, shareOfAmount, unlockedAmount } from "./vault.ts";

/** Whether the program takes swaps at this clock, in at least one direction. */
export function statusAt(state: DammV1State, clock: Clock): PoolStatus {
  if (!state.isEnabled || state.a.isFrozen || state.b.isFrozen) return "paused";
  const point = state.activationType === "slot" ? clock.slot : clock.unixTimestamp;
  return point < state.activationPoint ? "not-open-yet" : "open";
}

/** One swap as the program counts it; base units. */
export type Swap = {
  /** The part of the input that goes to the protocol, outside the vault. */
  readonly protocolFee: bigint;
  readonly tradeFee: bigint;
  /** What the input vault takes in. */
  readonly deposit: bigint;
  /** By how much the pool's share of the input vault grew. */
  readonly grown: bigint;
  /** What the curve gives. */
  readonly swapped: bigint;
  readonly amountOut: bigint;
};

export type SwapResult =
  | { readonly kind: "filled"; readonly swap: Swap; readonly after: DammV1State }
  | Unfillable;

/**
 * An exact-in swap in the program's own order of operations.
 *
 * @see compute_quote in the source named in this folder's README
 */
export function quoteExactIn(state: DammV1State, order: ExactIn): Quote<DammV1State> {
  const result = swapExactIn(state, order);
  return result.kind === "filled"
    ? { kind: "filled", amountOut: result.swap.amountOut, after: result.after }
    : result;
}

/** The same with its fees, as the demo market needs them. Never throws. */
export function swapExactIn(state: DammV1State, order: ExactIn): SwapResult {
  const status = statusAt(state, order.clock);
  if (status !== "open") return unfillable(status);
  if (order.amountIn <= 0n) return unfillable("amount-zero");
  return filledOrUnfillable(() => swap(state, order), reserveRefusal);
}

function swap(state: DammV1State, order: ExactIn): SwapResult {
  const isAToB = order.inputMint === state.a.mint;
  if (!isAToB && order.inputMint !== state.b.mint) return unfillable("refused");
  const input = isAToB ? state.a : state.b;
  const output = isAToB ? state.b : state.a;
  if (!input.takesDeposits) return unfillable("paused");
  const curve = curveAt(state.curve, order.clock.unixTimestamp);
  if (curve === null) return unfillable("refused");

  const amountIn = checkedU64(order.amountIn, "amount in");
  const unlockedIn = unlockedAmount(input, order.clock.unixTimestamp);
  const unlockedOut = unlockedAmount(output, order.clock.unixTimestamp);
  const reserveIn = amountOfShare(input.poolLp, unlockedIn, input.lpSupply);
  const reserveOut = amountOfShare(output.poolLp, unlockedOut, output.lpSupply);

  const totalFee = feeOf(amountIn, state.tradeFeeNumerator, state.tradeFeeDenominator);
  const protocolFee = feeOf(totalFee, state.protocolFeeNumerator, state.protocolFeeDenominator);
  const tradeFee = checkedU64(totalFee - protocolFee, "trade fee");
  const deposit = checkedU64(amountIn - protocolFee, "deposit");
  // The vault takes no deposit of nothing; one that buys no share, and a payment of 0, are taken.
  if (deposit === 0n) return unfillable("amount-zero");
  const depositShares = shareOfAmount(deposit, unlockedIn, input.lpSupply);
  const reserveInAfter = amountOfShare(
    checkedU64(input.poolLp + depositShares, "pool share"),
    checkedU64(unlockedIn + deposit, "vault"),
    checkedU64(input.lpSupply + depositShares, "share supply"),
  );
  const grown = checkedU64(reserveInAfter - reserveIn, "growth of the share");
  const source = checkedU64(grown - tradeFee, "source amount");

  const swapped = swapOnCurve(curve, { isAToB, reserveIn, reserveOut, source });
  const burnedShares = shareOfAmount(swapped, unlockedOut, output.lpSupply);
  const amountOut = amountOfShare(burnedShares, unlockedOut, output.lpSupply);
  if (amountOut >= output.tokenVaultAmount) return unfillable("insufficient-liquidity");

  const inputAfter = deposited(input, deposit, depositShares);
  const outputAfter = withdrawn(output, amountOut, burnedShares);
  return {
    kind: "filled",
    swap: { protocolFee, tradeFee, deposit, grown, swapped, amountOut },
    after: {
      ...state,
      curve,
      a: isAToB ? inputAfter : outputAfter,
      b: isAToB ? outputAfter : inputAfter,
    },
  };
}

/** A fee is rounded down, but is at least one unit of anything. */
function feeOf(amount: bigint, numerator: bigint, denominator: bigint): bigint {
  if (numerator === 0n || amount === 0n) return 0n;
  const fee = divFloor(checkedU128(amount * numerator, "fee product"), denominator);
  return checkedU64(fee === 0n ? 1n : fee, "fee");
}

/** The curve with the stake pool's price renewed where the kept one is too old; null without one. */
function curveAt(curve: Curve, unixTimestamp: bigint): Curve | null {
  if (curve.kind === "constant-product" || curve.depeg === null) return curve;
  const { depeg } = curve;
  if (unixTimestamp <= depeg.cacheUpdated + DEPEG_CACHE_SECONDS) return curve;
  if (depeg.currentPrice === null) return null;
  return {
    ...curve,
    depeg: { ...depeg, cachedPrice: depeg.currentPrice, cacheUpdated: unixTimestamp },
  };
}

type OnCurve = {
  readonly isAToB: boolean;
  readonly reserveIn: bigint;
  readonly reserveOut: bigint;
  readonly source: bigint;
};

function swapOnCurve(curve: Curve, order: OnCurve): bigint {
  const { reserveIn, reserveOut, source } = order;
  if (curve.kind === "stable") return swapOnStable(curve, order);
  const invariant = reserveIn * reserveOut;
  const left = divCeil(invariant, reserveIn + source);
  // The program's ceiling division fails where the quotient itself is below one.
  const isBelowOne = invariant < reserveIn + source;
  const swapped = reserveOut - left;
  if (isBelowOne || swapped <= 0n) throw new MathError("underflow", { what: "swapped" });
  return swapped;
}

export type StableCurve = Extract<Curve, { readonly kind: "stable" }>;

/** What one base unit counts on the curve: decimals evened out, and B's staked token at its price. */
export function stableScales(curve: StableCurve): { readonly a: bigint; readonly b: bigint } {
  const { multiplierA, multiplierB, depeg } = curve;
  if (depeg === null) return { a: multiplierA, b: multiplierB };
  return { a: multiplierA * DEPEG_PRECISION, b: multiplierB * depeg.cachedPrice };
}

function swapOnStable(curve: StableCurve, order: OnCurve): bigint {
  const scales = stableScales(curve);
  const [scaleIn, scaleOut] = order.isAToB ? [scales.a, scales.b] : [scales.b, scales.a];
  const source = checkedU128(order.source * scaleIn, "scaled source");
  const reserveIn = checkedU128(order.reserveIn * scaleIn, "scaled reserve");
  const reserveOut = checkedU128(order.reserveOut * scaleOut, "scaled reserve");
  const invariant = stableInvariant(curve.amp, reserveIn, reserveOut);
  const left = stableReserve(curve.amp, checkedU128(reserveIn + source), invariant);
  const scaled = checkedU128(reserveOut - left - 1n, "swapped");
  const swapped = checkedU64(divFloor(scaled, scaleOut), "swapped");
  checkedU64(order.reserveOut - swapped, "reserve after");
  return swapped;
}

function deposited(vault: VaultShare, amount: bigint, shares: bigint): VaultShare {
  return {
    ...vault,
    totalAmount: checkedU64(vault.totalAmount + amount, "vault"),
    tokenVaultAmount: checkedU64(vault.tokenVaultAmount + amount, "token vault"),
    lpSupply: checkedU64(vault.lpSupply + shares, "share supply"),
    poolLp: checkedU64(vault.poolLp + shares, "pool share"),
  };
}

function withdrawn(vault: VaultShare, amount: bigint, shares: bigint): VaultShare {
  return {
    ...vault,
    totalAmount: checkedU64(vault.totalAmount - amount, "vault"),
    tokenVaultAmount: checkedU64(vault.tokenVaultAmount - amount, "token vault"),
    lpSupply: checkedU64(vault.lpSupply - shares, "share supply"),
    poolLp: checkedU64(vault.poolLp - shares, "pool share"),
  };
}
