import type { Address } from "#src/units/address.ts";
import { minBigint, mulDivFloor } from "#src/units/integer.ts";
import { MathError } from "#src/units/math-error.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { Account, AccountSet } from "../account-set.ts";
import { ByteReader } from "../byte-reader.ts";
import type { LiquidityShares, PositionShare, ShareOfPool } from "../liquidity-shares.ts";
import { amountA, amountB } from "./curve.ts";
import { type DammToken, type DammV2State, poolAddresses } from "./decode.ts";
import { POOL, POSITION, POSITION_DISCRIMINATOR, POSITION_LENGTH, PROGRAM_ID } from "./layout.ts";

/** All positions of a pool span its whole range: each is a part of the pool's liquidity. */
export function liquidityShares(pool: Address, known: AccountSet): LiquidityShares | null {
  const account = known.get(pool);
  if (!account || poolAddresses(pool, known) === null) return null;
  return {
    kind: "positions",
    issued: new ByteReader(account.data).u128(POOL.liquidity),
    filter: {
      programId: PROGRAM_ID,
      dataSize: POSITION_LENGTH,
      memcmp: [
        { offset: 0, bytes: POSITION_DISCRIMINATOR },
        { offset: POSITION.pool, bytes: pool },
      ],
    },
    decode: decodePosition,
  };
}

/**
 * A position's liquidity. What vests counts as its owner's to take: how much of that is due already is
 * in accounts that are not read.
 */
function decodePosition(account: Account): PositionShare | null {
  const reader = new ByteReader(account.data);
  if (account.owner !== PROGRAM_ID || reader.length !== POSITION_LENGTH) return null;
  if (!reader.has(0, POSITION_DISCRIMINATOR)) return null;
  const token = reader.address(POSITION.nftMint);
  return {
    holder: positionTokenAccount(token),
    token,
    withdrawable: reader.u128(POSITION.unlockedLiquidity) + reader.u128(POSITION.vestedLiquidity),
    locked: reader.u128(POSITION.permanentLockedLiquidity),
  };
}

/** Where the program puts a position's token; it can be moved to another account. */
export function positionTokenAccount(token: Address): Address {
  return findProgramAddress(["position_nft_account", { address: token }], PROGRAM_ID);
}

/**
 * The pool without that part of its liquidity (`remove_liquidity`): both amounts rounded down, of a
 * compounding pool in proportion to the counted reserves, else over the price range.
 */
export function withdraw(state: DammV2State, { shares, issued }: ShareOfPool): DammV2State | null {
  const { liquidity, sqrtPrice, sqrtMinPrice, sqrtMaxPrice, tokenA, tokenB } = state;
  try {
    const delta = minBigint(mulDivFloor(liquidity, shares, issued), liquidity);
    if (delta === 0n) return state;
    const isCompounding = state.collectFeeMode === "compounding";
    const paidA = isCompounding
      ? mulDivFloor(tokenA.reserve, delta, liquidity)
      : amountA(delta, sqrtPrice, sqrtMaxPrice, "down");
    const paidB = isCompounding
      ? mulDivFloor(tokenB.reserve, delta, liquidity)
      : amountB(delta, sqrtMinPrice, sqrtPrice, "down");
    const leftA = tokenLeft(tokenA, paidA);
    const leftB = tokenLeft(tokenB, paidB);
    if (leftA === null || leftB === null) return null;
    return { ...state, liquidity: liquidity - delta, tokenA: leftA, tokenB: leftB };
  } catch (error) {
    if (error instanceof MathError) return null;
    throw error;
  }
}

/** Null where the program would fail: it counts less than it would pay, or holds less. */
function tokenLeft(token: DammToken, paid: bigint): DammToken | null {
  const { reserve, vaultAmount } = token;
  if (paid > reserve || (vaultAmount !== null && paid > vaultAmount)) return null;
  const left = vaultAmount === null ? null : vaultAmount - paid;
  return { ...token, reserve: reserve - paid, vaultAmount: left };
}
