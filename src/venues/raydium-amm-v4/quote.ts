import { checkedU64, checkedU128, divCeil } from "#src/units/integer.ts";
import { constantProductOut } from "../shared/curves/constant-product.ts";
import { filledOrUnfillable, reserveRefusal, unfillable } from "../shared/refusals.ts";
import type { Clock, ExactIn, PoolStatus, Quote } from "../venue.ts";
import type { AmmState, AmmToken } from "./decode.ts";

/** Whether the program takes swaps at this clock. A pool that waits opens with its first swap. */
export function statusAt(state: AmmState, clock: Clock): PoolStatus {
  // Since July 2026 the program refuses a pool of one mint against itself.
  if (state.coin.mint === state.pc.mint || state.coin.isFrozen || state.pc.isFrozen) {
    return "paused";
  }
  switch (state.status) {
    case "initialized":
    case "swap-only":
      return "open";
    case "waiting-trade":
      return clock.unixTimestamp < state.openTime ? "not-open-yet" : "open";
    default:
      return "paused";
  }
}

/**
 * Vault balance less the protocol's share not yet taken out, in base units.
 *
 * @throws MathError where that share is above the balance
 */
export function reserveOf(token: AmmToken): bigint {
  return checkedU64(token.vaultAmount - token.needTakePnl, "reserve");
}

/**
 * An exact-in swap in the program's own order of operations.
 *
 * @see process_swap_base_in in the source named in this folder's README
 */
export function quoteExactIn(state: AmmState, order: ExactIn): Quote<AmmState> {
  const status = statusAt(state, order.clock);
  if (status !== "open") return unfillable(status);
  if (order.amountIn <= 0n) return unfillable("amount-zero");
  return filledOrUnfillable(() => swapBaseIn(state, order), reserveRefusal);
}

function swapBaseIn(state: AmmState, order: ExactIn): Quote<AmmState> {
  const isCoinIn = order.inputMint === state.coin.mint;
  if (!isCoinIn && order.inputMint !== state.pc.mint) return unfillable("refused");
  const input = isCoinIn ? state.coin : state.pc;
  const output = isCoinIn ? state.pc : state.coin;
  const reserveIn = reserveOf(input);
  const reserveOut = reserveOf(output);

  const amountIn = checkedU64(order.amountIn, "amount in");
  const fee = divCeil(amountIn * state.swapFeeNumerator, state.swapFeeDenominator);
  const swappedIn = checkedU128(amountIn - fee, "amount less fee");
  const amountOut = constantProductOut(reserveIn, reserveOut, swappedIn);
  if (amountOut === 0n) return unfillable("output-zero");
  if (amountOut >= reserveOut) return unfillable("insufficient-liquidity");

  const inputAfter = {
    ...input,
    vaultAmount: checkedU64(input.vaultAmount + amountIn, "input vault"),
  };
  const outputAfter = { ...output, vaultAmount: output.vaultAmount - amountOut };
  return {
    kind: "filled",
    amountOut,
    after: {
      ...state,
      status: state.status === "waiting-trade" ? "swap-only" : state.status,
      coin: isCoinIn ? inputAfter : outputAfter,
      pc: isCoinIn ? outputAfter : inputAfter,
    },
  };
}
