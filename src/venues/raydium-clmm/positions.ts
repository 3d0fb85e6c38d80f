import type { Address } from "#src/units/address.ts";
import type { AccountSet } from "../account-set.ts";
import type { LiquidityShares } from "../liquidity-shares.ts";
import type { TakenPositions } from "../quotable-pool.ts";
import { takenTicks, tickShares } from "../shared/tick-positions.ts";
import { decode } from "./decode.ts";
import { PERSONAL_POSITION } from "./layout.ts";
import { type ClmmState, isInitialized } from "./pool-state.ts";
import { MAX_TICK, MIN_TICK, sqrtPriceAtTick } from "./tick-math.ts";

const RULES = { minTick: MIN_TICK, maxTick: MAX_TICK, sqrtPriceAtTick };

/** How the pool's liquidity is divided. Limit orders are not part of it: they wait to be filled. */
export function liquidityShares(pool: Address, known: AccountSet): LiquidityShares | null {
  const decoded = decode(pool, known);
  if (decoded.kind === "unusable") return null;
  const { state } = decoded;
  const liquidity = { ...state, mintA: state.token0.mint, mintB: state.token1.mint };
  return tickShares(pool, liquidity, { layout: PERSONAL_POSITION, rules: RULES });
}

/** The pool without these positions (`decrease_liquidity_v2` of all of their liquidity). */
export function withdrawPositions(state: ClmmState, taken: TakenPositions): ClmmState | null {
  const out = takenTicks(taken, state, RULES);
  if (out === null) return null;
  const ticks = state.ticks.map((tick) => ({
    ...tick,
    liquidityNet: tick.liquidityNet - (out.nets.get(tick.tick) ?? 0n),
    liquidityGross: tick.liquidityGross - (out.gross.get(tick.tick) ?? 0n),
  }));
  const left0 = state.token0.heldInVault - out.amountA;
  const left1 = state.token1.heldInVault - out.amountB;
  if (left0 < 0n || left1 < 0n || ticks.some(({ liquidityGross }) => liquidityGross < 0n)) {
    return null;
  }
  return {
    ...state,
    liquidity: state.liquidity - out.liquidity,
    ticks: ticks.filter(isInitialized),
    token0: { ...state.token0, heldInVault: left0 },
    token1: { ...state.token1, heldInVault: left1 },
  };
}
