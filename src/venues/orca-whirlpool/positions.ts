import type { Address } from "#src/units/address.ts";
import type { AccountSet } from "../account-set.ts";
import type { LiquidityShares } from "../liquidity-shares.ts";
import type { TakenPositions } from "../quotable-pool.ts";
import { takenTicks, tickShares } from "../shared/tick-positions.ts";
import { decode } from "./decode.ts";
import { positionLayout } from "./layout.ts";
import type { TickArray, WhirlpoolState } from "./pool-state.ts";
import { MAX_TICK, MIN_TICK, sqrtPriceAtTick } from "./tick-math.ts";

const RULES = { minTick: MIN_TICK, maxTick: MAX_TICK, sqrtPriceAtTick };

/**
 * How the pool's liquidity is divided. A position of a bundle names the bundle's token where others name
 * their own: who holds the bundle owns it.
 */
export function liquidityShares(pool: Address, known: AccountSet): LiquidityShares | null {
  const decoded = decode(pool, known);
  const programId = known.get(pool)?.owner;
  if (decoded.kind === "unusable" || programId === undefined) return null;
  const { state } = decoded;
  const ticks = [...state.arrays.values()].flatMap((array) => array.ticks);
  const liquidity = { ...state, ticks, mintA: state.tokenA.mint, mintB: state.tokenB.mint };
  return tickShares(pool, liquidity, { layout: positionLayout(programId), rules: RULES });
}

/** The pool without these positions (`decrease_liquidity_v2` of all of their liquidity). */
export function withdrawPositions(
  state: WhirlpoolState,
  taken: TakenPositions,
): WhirlpoolState | null {
  const out = takenTicks(taken, state, RULES);
  if (out === null) return null;
  const leftA = state.tokenA.heldInVault - out.amountA;
  const leftB = state.tokenB.heldInVault - out.amountB;
  if (leftA < 0n || leftB < 0n) return null;
  const without = ({ start, ticks }: TickArray): TickArray => ({
    start,
    ticks: ticks
      .filter(({ tick }) => !out.isGone(tick))
      .map(({ tick, liquidityNet }) => ({
        tick,
        liquidityNet: liquidityNet - (out.nets.get(tick) ?? 0n),
      })),
  });
  return {
    ...state,
    liquidity: state.liquidity - out.liquidity,
    arrays: new Map([...state.arrays].map(([start, array]) => [start, without(array)])),
    tokenA: { ...state.tokenA, heldInVault: leftA },
    tokenB: { ...state.tokenB, heldInVault: leftB },
  };
}
