import { checkedU64, checkedU128, divFloor } from "#src/units/integer.ts";
import { MathError } from "#src/units/math-error.ts";
import { constantProductOut, squareRootFloor } from "../shared/curves/constant-product.ts";
import {
  filledOrUnfillable,
  reserveRefusal,
  type Unfillable,
  unfillable,
} from "../shared/refusals.ts";
import { transferFee } from "../shared/token/transfer-fee.ts";
import type { Clock, ExactIn, PoolStatus, Quote } from "../venue.ts";
import { amountA, amountB, priceAfterA, priceAfterB } from "./curve.ts";
import type { DammToken, DammV2State } from "./decode.ts";
import { dynamicFeeAfter, splitFee, takeFee, tradeFeeNumerator } from "./fees.ts";

/** Slot or second, as the pool counts its activation and its fee schedule. */
export function pointOf(state: DammV2State, clock: Clock): bigint {
  return state.activationType === "slot" ? clock.slot : clock.unixTimestamp;
}

/** Whether the program takes swaps from anyone at this clock. */
export function statusAt(state: DammV2State, clock: Clock): PoolStatus {
  if (!state.isEnabled || state.tokenA.isStuck || state.tokenB.isStuck) return "paused";
  return pointOf(state, clock) < state.activationPoint ? "not-open-yet" : "open";
}

/** One swap as the program counts it; base units. */
export type Swap = {
  readonly isAToB: boolean;
  /** What reaches the vault. */
  readonly included: bigint;
  /** What reaches the curve: less the fee where that is taken from the input. */
  readonly excluded: bigint;
  /** What leaves the vault. */
  readonly output: bigint;
  /** What reaches the trader. */
  readonly received: bigint;
  readonly claimingFee: bigint;
  readonly protocolFee: bigint;
  readonly compoundingFee: bigint;
};

export type SwapResult =
  | { readonly kind: "filled"; readonly swap: Swap; readonly after: DammV2State }
  | Unfillable;

/**
 * An exact-in swap in the program's own order of operations.
 *
 * @see process_swap_exact_in in the source named in this folder's README
 */
export function quoteExactIn(state: DammV2State, order: ExactIn): Quote<DammV2State> {
  const result = swapExactIn(state, order);
  return result.kind === "filled"
    ? { kind: "filled", amountOut: result.swap.received, after: result.after }
    : result;
}

/** The same with every fee, as the program's event reports it. Never throws. */
export function swapExactIn(state: DammV2State, order: ExactIn): SwapResult {
  const status = statusAt(state, order.clock);
  if (status !== "open") return unfillable(status);
  if (order.amountIn <= 0n) return unfillable("amount-zero");
  return filledOrUnfillable(() => swap(state, order), reserveRefusal);
}

function swap(state: DammV2State, order: ExactIn): SwapResult {
  const isAToB = order.inputMint === state.tokenA.mint;
  if (!isAToB && order.inputMint !== state.tokenB.mint) {
    return unfillable("refused");
  }
  const input = isAToB ? state.tokenA : state.tokenB;
  const output = isAToB ? state.tokenB : state.tokenA;
  const { epoch } = order.clock;

  const amountIn = checkedU64(order.amountIn, "amount in");
  const included = checkedU64(amountIn - transferFee(input.transferFee, amountIn, epoch));
  if (included === 0n) return unfillable("amount-zero");
  const point = pointOf(state, order.clock);
  const numerator = tradeFeeNumerator(state, { isAToB, point, amountIn: included });
  const isFeeOnInput = !isAToB && state.collectFeeMode !== "both";

  const taken = isFeeOnInput ? takeFee(included, numerator) : { kept: included, fee: 0n };
  const curve = swapOnCurve(state, isAToB, taken.kept);
  if (curve === null) return unfillable("insufficient-liquidity");
  const given = isFeeOnInput ? { kept: curve.out, fee: taken.fee } : takeFee(curve.out, numerator);
  const fees = splitFee(state, given.fee);
  const received = checkedU64(given.kept - transferFee(output.transferFee, given.kept, epoch));

  return {
    kind: "filled",
    swap: {
      isAToB,
      included,
      excluded: taken.kept,
      output: given.kept,
      received,
      claimingFee: fees.claiming,
      protocolFee: fees.protocol,
      compoundingFee: fees.compounding,
    },
    after: stateAfter(state, {
      isAToB,
      isFeeOnInput,
      included,
      excluded: taken.kept,
      leavesCurve: curve.out,
      leavesVault: given.kept,
      protocolFee: fees.protocol,
      compoundingFee: fees.compounding,
      sqrtPrice: curve.sqrtPrice,
      unixTimestamp: order.clock.unixTimestamp,
    }),
  };
}

type OnCurve = { readonly out: bigint; readonly sqrtPrice: bigint };

/** What the curve gives for `amount`, before any fee on the output; null past the price range. */
function swapOnCurve(state: DammV2State, isAToB: boolean, amount: bigint): OnCurve | null {
  const { liquidity, sqrtPrice } = state;
  if (state.collectFeeMode === "compounding") {
    const [reserveIn, reserveOut] = isAToB
      ? [state.tokenA.reserve, state.tokenB.reserve]
      : [state.tokenB.reserve, state.tokenA.reserve];
    checkedU64(reserveIn + amount, "reserve after");
    return { out: constantProductOut(reserveIn, reserveOut, amount), sqrtPrice };
  }
  if (isAToB) {
    const next = priceAfterA(sqrtPrice, liquidity, amount);
    if (next < state.sqrtMinPrice) return null;
    return { out: amountB(liquidity, next, sqrtPrice, "down"), sqrtPrice: next };
  }
  const next = priceAfterB(sqrtPrice, liquidity, amount);
  if (next > state.sqrtMaxPrice) return null;
  return { out: amountA(liquidity, sqrtPrice, next, "down"), sqrtPrice: next };
}

type Moved = {
  readonly isAToB: boolean;
  readonly isFeeOnInput: boolean;
  readonly included: bigint;
  readonly excluded: bigint;
  readonly leavesCurve: bigint;
  readonly leavesVault: bigint;
  readonly protocolFee: bigint;
  readonly compoundingFee: bigint;
  readonly sqrtPrice: bigint;
  readonly unixTimestamp: bigint;
};

/** @throws MathError where a balance leaves u64, as the program or the token program would */
function stateAfter(state: DammV2State, moved: Moved): DammV2State {
  // The program keeps fees per unit of liquidity: without liquidity it divides by zero.
  if (state.liquidity === 0n) throw new MathError("division-by-zero", { what: "liquidity" });
  const received = (token: DammToken): DammToken => ({
    ...token,
    vaultAmount: vaultAfter(token, moved.included),
    reserve: checkedU64(token.reserve + moved.excluded, "reserve"),
  });
  const paid = (token: DammToken): DammToken => ({
    ...token,
    vaultAmount: vaultAfter(token, -moved.leavesVault),
    reserve: checkedU64(token.reserve - moved.leavesCurve, "reserve"),
  });
  const tokenA = moved.isAToB ? received(state.tokenA) : paid(state.tokenA);
  const tokenB = moved.isAToB ? paid(state.tokenB) : received(state.tokenB);
  const isFeeInA = !moved.isAToB && !moved.isFeeOnInput;
  const feeA = isFeeInA ? moved.protocolFee : 0n;
  const feeB = isFeeInA ? 0n : moved.protocolFee;
  const after = {
    ...state,
    tokenA: { ...tokenA, protocolFee: checkedU64(tokenA.protocolFee + feeA, "protocol fee") },
    tokenB: {
      ...tokenB,
      // Compounding fees are always of B.
      reserve: checkedU64(tokenB.reserve + moved.compoundingFee, "reserve"),
      protocolFee: checkedU64(tokenB.protocolFee + feeB, "protocol fee"),
    },
  };
  const sqrtPrice =
    state.collectFeeMode === "compounding"
      ? rootPrice(after.tokenA.reserve, after.tokenB.reserve)
      : moved.sqrtPrice;
  return { ...after, sqrtPrice, dynamicFee: rememberedFee(state, moved, sqrtPrice) };
}

function vaultAfter(token: DammToken, change: bigint): bigint | null {
  return token.vaultAmount === null ? null : checkedU64(token.vaultAmount + change, "vault");
}

function rememberedFee(state: DammV2State, moved: Moved, sqrtPrice: bigint) {
  return state.dynamicFee === null
    ? null
    : dynamicFeeAfter(state.dynamicFee, {
        before: state.sqrtPrice,
        after: sqrtPrice,
        unixTimestamp: moved.unixTimestamp,
      });
}

/** Q64.64 root of B per A, rounded down, as compounding pools keep it for display and volatility. */
function rootPrice(reserveA: bigint, reserveB: bigint): bigint {
  return checkedU128(squareRootFloor(divFloor(reserveB << 128n, reserveA)), "price");
}
