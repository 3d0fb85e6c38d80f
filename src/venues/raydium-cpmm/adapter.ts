import { type Address, compareAddressBytes } from "#src/units/address.ts";
import { minBigint } from "#src/units/integer.ts";
import { STABLE_MINTS, WSOL } from "#src/units/known-addresses.ts";
import { MathError } from "#src/units/math-error.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { Ratio } from "#src/units/ratio.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { AccountSet } from "../account-set.ts";
import { constantProductReachable } from "../curves/constant-product.ts";
import { paidForShares, type ShareOfPool } from "../liquidity-shares.ts";
import { tokenBalance } from "../token/token-account.ts";
import { transferFeeBps } from "../token/transfer-fee.ts";
import type { Clock, PoolCaution, PoolOutline, PoolSearch, Venue } from "../venue.ts";
import {
  type CpmmState,
  type CpmmToken,
  decode,
  liquidityShares,
  poolAddresses,
} from "./decode.ts";
import { openFastCpmm } from "./fast.ts";
import {
  FEE_RATE_DENOMINATOR,
  KNOWN_CONFIGS,
  POOL,
  POOL_DISCRIMINATOR,
  POOL_LENGTH,
  PROGRAM_ID,
} from "./layout.ts";
import { quoteExactIn, reserveOf, statusAt } from "./quote.ts";

/** Raydium's constant-product program, Token-2022 included. */
export const raydiumCpmm: Venue<CpmmState> = {
  id: "raydium-cpmm",
  family: "raydium",
  kind: "amm",
  programId: PROGRAM_ID,
  search,
  accountsNeeded,
  outline,
  shares: liquidityShares,
  decode,
  status: statusAt,
  cautions,
  quoteExactIn,
  spotPrice,
  reachable,
  withdraw,
  feePpm,
  openFast: openFastCpmm,
};

/** The program orders a pool's mints by their bytes. */
function search(mint: Address, pairedWith: Address | null): PoolSearch {
  const partners = pairedWith === null ? [WSOL, ...STABLE_MINTS] : [pairedWith];
  const configured = () =>
    partners
      .filter((partner) => partner !== mint)
      .flatMap((partner) => KNOWN_CONFIGS.map((config) => standardPool(config, mint, partner)));
  const filter = (offset: number, other: number) => ({
    programId: PROGRAM_ID,
    dataSize: POOL_LENGTH,
    memcmp: [
      { offset: 0, bytes: POOL_DISCRIMINATOR },
      { offset, bytes: mint },
      ...(pairedWith === null ? [] : [{ offset: other, bytes: pairedWith }]),
    ],
  });
  return {
    derived: [],
    configured,
    filters: [filter(POOL.token0Mint, POOL.token1Mint), filter(POOL.token1Mint, POOL.token0Mint)],
  };
}

/** The address of a configuration's standard pool of two mints, in any order. */
export function standardPool(config: Address, mintA: Address, mintB: Address): Address {
  const isOrdered = compareAddressBytes(mintA, mintB) < 0;
  const [mint0, mint1] = isOrdered ? [mintA, mintB] : [mintB, mintA];
  return findProgramAddress(
    ["pool", { address: config }, { address: mint0 }, { address: mint1 }],
    PROGRAM_ID,
  );
}

function accountsNeeded(pool: Address, known: AccountSet): readonly Address[] {
  const found = poolAddresses(pool, known);
  if (found === null) return [pool];
  const needed = [pool, found.config, found.vault0, found.vault1];
  if (found.isExtended0) needed.push(found.mint0);
  if (found.isExtended1) needed.push(found.mint1);
  return needed;
}

function outline(pool: Address, known: AccountSet): PoolOutline | null {
  const found = poolAddresses(pool, known);
  if (found === null) return null;
  return {
    mintA: found.mint0,
    mintB: found.mint1,
    heldA: tokenBalance(known.get(found.vault0)),
    heldB: tokenBalance(known.get(found.vault1)),
  };
}

function cautions(state: CpmmState): readonly PoolCaution[] {
  return state.token0.hasHook || state.token1.hasHook ? ["transfer-hook"] : [];
}

function spotPrice(state: CpmmState, inputMint: Address): Ratio | null {
  const { input, output } = tokensOf(state, inputMint);
  const reserveIn = reserveOrZero(input);
  const reserveOut = reserveOrZero(output);
  // A reserve of one unit can never pay a whole unit.
  if (reserveIn === 0n || reserveOut < 2n) return null;
  return { numerator: reserveOut, denominator: reserveIn };
}

function reachable(state: CpmmState, inputMint: Address, fallBps: number): bigint {
  const { input, output } = tokensOf(state, inputMint);
  if (reserveOrZero(input) === 0n) return 0n;
  return constantProductReachable(reserveOrZero(output), fallBps);
}

/** Both sides in proportion, rounded down; where either pays nothing the program refuses, and nothing leaves. */
function withdraw(state: CpmmState, part: ShareOfPool): CpmmState | null {
  try {
    const paid0 = paidForShares(reserveOf(state.token0), part);
    const paid1 = paidForShares(reserveOf(state.token1), part);
    if (paid0 === 0n || paid1 === 0n) return state;
    const left = (token: CpmmToken, paid: bigint): CpmmToken => ({
      ...token,
      vaultAmount: token.vaultAmount - paid,
    });
    return { ...state, token0: left(state.token0, paid0), token1: left(state.token1, paid1) };
  } catch (error) {
    if (error instanceof MathError) return null;
    throw error;
  }
}

/** The sum of all rates: a little above what they take together. */
function feePpm(state: CpmmState, inputMint: Address, clock: Clock): number {
  const { input, output } = tokensOf(state, inputMint);
  const transferBps =
    transferFeeBps(input.transferFee, clock.epoch) +
    transferFeeBps(output.transferFee, clock.epoch);
  const poolPpm = state.tradeFeeRate + state.creatorFeeRate;
  return toNumber(minBigint(poolPpm, FEE_RATE_DENOMINATOR)) + transferBps * 100;
}

function tokensOf(state: CpmmState, inputMint: Address) {
  return inputMint === state.token0.mint
    ? { input: state.token0, output: state.token1 }
    : { input: state.token1, output: state.token0 };
}

/** A pool that owes more than it holds sells nothing: to a seller its reserve is zero. */
function reserveOrZero(token: CpmmToken): bigint {
  try {
    return reserveOf(token);
  } catch (error) {
    if (error instanceof MathError) return 0n;
    throw error;
  }
}
