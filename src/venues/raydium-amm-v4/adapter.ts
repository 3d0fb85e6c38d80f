import type { Address } from "#src/units/address.ts";
import { divCeil, minBigint } from "#src/units/integer.ts";
import { MathError } from "#src/units/math-error.ts";
import type { Ratio } from "#src/units/ratio.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { AccountSet } from "../account-set.ts";
import { constantProductReachable } from "../curves/constant-product.ts";
import { paidForShares, type ShareOfPool } from "../liquidity-shares.ts";
import { tokenBalance } from "../token/token-account.ts";
import type { PoolOutline, PoolSearch, Venue } from "../venue.ts";
import { type AmmState, type AmmToken, decode, liquidityShares, poolAddresses } from "./decode.ts";
import { openFastAmmV4 } from "./fast.ts";
import { POOL, POOL_LENGTH, PROGRAM_ID } from "./layout.ts";
import { quoteExactIn, reserveOf, statusAt } from "./quote.ts";

const PPM = 1_000_000n;

/** Raydium's oldest program: constant product, SPL Token only. */
export const raydiumAmmV4: Venue<AmmState> = {
  id: "raydium-amm-v4",
  family: "raydium",
  kind: "amm",
  programId: PROGRAM_ID,
  search,
  accountsNeeded,
  outline,
  shares: liquidityShares,
  decode,
  status: statusAt,
  cautions: () => [],
  quoteExactIn,
  spotPrice,
  reachable,
  withdraw,
  feePpm,
  openFast: openFastAmmV4,
};

/** Pool addresses come from an order book's market, so nothing can be derived from the mints. */
function search(mint: Address, pairedWith: Address | null): PoolSearch {
  const filter = (offset: number, other: number) => ({
    programId: PROGRAM_ID,
    dataSize: POOL_LENGTH,
    memcmp: [
      { offset, bytes: mint },
      ...(pairedWith === null ? [] : [{ offset: other, bytes: pairedWith }]),
    ],
  });
  return {
    derived: [],
    configured: () => [],
    filters: [
      filter(POOL.coinVaultMint, POOL.pcVaultMint),
      filter(POOL.pcVaultMint, POOL.coinVaultMint),
    ],
  };
}

function accountsNeeded(pool: Address, known: AccountSet): readonly Address[] {
  const found = poolAddresses(pool, known);
  return found === null ? [pool] : [pool, found.coinVault, found.pcVault];
}

function outline(pool: Address, known: AccountSet): PoolOutline | null {
  const found = poolAddresses(pool, known);
  if (found === null) return null;
  return {
    mintA: found.coinMint,
    mintB: found.pcMint,
    heldA: tokenBalance(known.get(found.coinVault)),
    heldB: tokenBalance(known.get(found.pcVault)),
  };
}

function spotPrice(state: AmmState, inputMint: Address): Ratio | null {
  const { reserveIn, reserveOut } = reservesOf(state, inputMint);
  // A reserve of one unit can never pay a whole unit.
  if (reserveIn === 0n || reserveOut < 2n) return null;
  return { numerator: reserveOut, denominator: reserveIn };
}

function reachable(state: AmmState, inputMint: Address, fallBps: number): bigint {
  const { reserveIn, reserveOut } = reservesOf(state, inputMint);
  return reserveIn === 0n ? 0n : constantProductReachable(reserveOut, fallBps);
}

/**
 * Both sides in proportion, rounded down; where either pays nothing the program refuses, and nothing
 * leaves. One share has to stay: the program refuses to be left with
 * none, so who holds all of them takes all but one.
 */
function withdraw(state: AmmState, { shares, issued }: ShareOfPool): AmmState | null {
  const part = { shares: minBigint(shares, issued - 1n), issued };
  try {
    const paidCoin = paidForShares(reserveOf(state.coin), part);
    const paidPc = paidForShares(reserveOf(state.pc), part);
    if (paidCoin === 0n || paidPc === 0n) return state;
    const left = (token: AmmToken, paid: bigint): AmmToken => ({
      ...token,
      vaultAmount: token.vaultAmount - paid,
    });
    return { ...state, coin: left(state.coin, paidCoin), pc: left(state.pc, paidPc) };
  } catch (error) {
    if (error instanceof MathError) return null;
    throw error;
  }
}

function feePpm(state: AmmState): number {
  if (state.swapFeeDenominator === 0n) return 0;
  const ppm = divCeil(state.swapFeeNumerator * PPM, state.swapFeeDenominator);
  return toNumber(minBigint(ppm, PPM));
}

function reservesOf(state: AmmState, inputMint: Address) {
  const isCoinIn = inputMint === state.coin.mint;
  return {
    reserveIn: reserveOrZero(isCoinIn ? state.coin : state.pc),
    reserveOut: reserveOrZero(isCoinIn ? state.pc : state.coin),
  };
}

/** A pool that owes more than it holds sells nothing: to a seller its reserve is zero. */
function reserveOrZero(token: AmmToken): bigint {
  return token.vaultAmount > token.needTakePnl ? token.vaultAmount - token.needTakePnl : 0n;
}
