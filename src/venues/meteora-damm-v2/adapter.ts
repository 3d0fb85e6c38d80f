import type { Address } from "#src/units/address.ts";
import { divCeil, maxBigint, minBigint, U64_MAX } from "#src/units/integer.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { Ratio } from "#src/units/ratio.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { AccountSet } from "../account-set.ts";
import { constantProductReachable, squareRootFloor } from "../shared/curves/constant-product.ts";
import { ascendingMints, pairFilters, partnersOf } from "../shared/pool-search.ts";
import { nullOnMathError } from "../shared/refusals.ts";
import {
  allFeesPpm,
  hookCautions,
  SMALL_FALL_BPS,
  saleOfFall,
  transfersOf,
  vaultsOutline,
} from "../shared/reserve-pool.ts";
import type { ChargedTransfers } from "../shared/token/transfer-fee.ts";
import type { Clock, ExactIn, GrowingFee, PoolSearch, Venue } from "../venue.ts";
import { type DammV2State, decode, poolAddresses } from "./decode.ts";
import { openFastDammV2 } from "./fast.ts";
import { tradeFeeNumerator } from "./fees.ts";
import {
  GRADUATION_CONFIGS,
  POOL,
  POOL_AUTHORITY,
  POOL_DISCRIMINATOR,
  POOL_LENGTH,
  PROGRAM_ID,
} from "./layout.ts";
import { liquidityShares, withdraw } from "./positions.ts";
import { pointOf, quoteExactIn, statusAt } from "./quote.ts";

const Q128 = 1n << 128n;
const ALL_PPM = 1_000_000;
const PAIR_FIELDS = {
  programId: PROGRAM_ID,
  dataSize: POOL_LENGTH,
  discriminator: POOL_DISCRIMINATOR,
  mintA: POOL.tokenAMint,
  mintB: POOL.tokenBMint,
};

/** Meteora's constant-product program with price ranges, fee schedules and compounding pools. */
export const meteoraDammV2: Venue<DammV2State> = {
  id: "meteora-damm-v2",
  family: "meteora",
  kind: "amm",
  programId: PROGRAM_ID,
  vaultAuthority: POOL_AUTHORITY,
  search,
  accountsNeeded,
  outline: (pool, known) => vaultsOutline(known, poolAddresses(pool, known)),
  shares: liquidityShares,
  decode,
  status: statusAt,
  cautions: ({ tokenA, tokenB }) => hookCautions(tokenA, tokenB),
  quoteExactIn,
  spotPrice,
  reachable,
  withdraw,
  transfers,
  feePpm: (state, inputMint, clock) =>
    growingFee(state, inputMint, clock)?.(SMALL_FALL_BPS) ??
    feePpmOf(state, { inputMint, clock, amountIn: 1n }),
  growingFee,
  openFast: openFastDammV2,
};

function search(mint: Address, pairedWith: Address | null): PoolSearch {
  const partners = partnersOf(mint, pairedWith);
  const graduationPools = () =>
    partners.flatMap((partner) =>
      GRADUATION_CONFIGS.map((config) => configuredPool(config, mint, partner)),
    );
  return {
    derived: [],
    configured: () => [
      ...partners.map((partner) => customizablePool(mint, partner)),
      ...graduationPools(),
    ],
    // The configurations name the bonding curve's authority as the only creator of pools.
    graduated: { addresses: graduationPools, isReserved: true },
    filters: pairFilters(PAIR_FIELDS, mint, pairedWith),
  };
}

/** The pool of two mints under a configuration; the seeds name the greater mint first. */
export function configuredPool(config: Address, mintA: Address, mintB: Address): Address {
  return findProgramAddress(["pool", { address: config }, ...pairSeeds(mintA, mintB)], PROGRAM_ID);
}

function customizablePool(mintA: Address, mintB: Address): Address {
  return findProgramAddress(["cpool", ...pairSeeds(mintA, mintB)], PROGRAM_ID);
}

function pairSeeds(mintA: Address, mintB: Address) {
  const [lesser, greater] = ascendingMints(mintA, mintB);
  return [{ address: greater }, { address: lesser }];
}

function accountsNeeded(pool: Address, known: AccountSet): readonly Address[] {
  const found = poolAddresses(pool, known);
  if (found === null) return [pool];
  const needed = [pool, found.vaultA, found.vaultB];
  if (found.isExtendedA) needed.push(found.mintA);
  if (found.isExtendedB) needed.push(found.mintB);
  return needed;
}

function spotPrice(state: DammV2State, inputMint: Address): Ratio | null {
  if (reachable(state, inputMint, 10_000) === 0n) return null;
  const isAToB = inputMint === state.tokenA.mint;
  if (state.collectFeeMode === "compounding") {
    const [reserveIn, reserveOut] = reservesOf(state, isAToB);
    return { numerator: reserveOut, denominator: reserveIn };
  }
  const price = state.sqrtPrice * state.sqrtPrice;
  return isAToB ? { numerator: price, denominator: Q128 } : { numerator: Q128, denominator: price };
}

function reachable(state: DammV2State, inputMint: Address, fallBps: number): bigint {
  const isAToB = inputMint === state.tokenA.mint;
  const [reserveIn, reserveOut] = reservesOf(state, isAToB);
  const output = isAToB ? state.tokenB : state.tokenA;
  if (state.liquidity === 0n) return 0n;
  if (state.collectFeeMode === "compounding") {
    const onCurve = reserveIn === 0n ? 0n : constantProductReachable(reserveOut, fallBps);
    return minBigint(onCurve, output.vaultAmount ?? onCurve);
  }
  const onCurve = isAToB ? reachableB(state, fallBps) : reachableA(state, fallBps);
  return minBigint(onCurve, minBigint(reserveOut, output.vaultAmount ?? reserveOut));
}

/** B between the price now and the price fallen by `fallBps`, or the range's lower end. */
function reachableB(state: DammV2State, fallBps: number): bigint {
  const { liquidity, sqrtPrice, sqrtMinPrice } = state;
  const left = BigInt(10_000 - fallBps);
  const fallen = squareRootFloor((sqrtPrice * sqrtPrice * left) / 10_000n);
  const end = fallen > sqrtMinPrice ? fallen : sqrtMinPrice;
  return end >= sqrtPrice ? 0n : (liquidity * (sqrtPrice - end)) >> 128n;
}

/** A between the price now and the price whose inverse has fallen by `fallBps`, or the upper end. */
function reachableA(state: DammV2State, fallBps: number): bigint {
  const { liquidity, sqrtPrice, sqrtMaxPrice } = state;
  if (sqrtPrice === 0n) return 0n;
  const left = BigInt(10_000 - fallBps);
  const risen =
    left === 0n ? sqrtMaxPrice : squareRootFloor((sqrtPrice * sqrtPrice * 10_000n) / left);
  const end = minBigint(risen, sqrtMaxPrice);
  return end <= sqrtPrice ? 0n : (liquidity * (end - sqrtPrice)) / (sqrtPrice * end);
}

function reservesOf(state: DammV2State, isAToB: boolean): readonly [bigint, bigint] {
  const { tokenA, tokenB } = state;
  return isAToB ? [tokenA.reserve, tokenB.reserve] : [tokenB.reserve, tokenA.reserve];
}

function transfers({ tokenA, tokenB }: DammV2State, inputMint: Address): ChargedTransfers {
  return transfersOf(inputMint === tokenA.mint, tokenA.transferFee, tokenB.transferFee);
}

/**
 * A rate limiter charges a first unit its least fee, also where it takes 99 % of every real sale, so that no seller is
 * paid the pool's price.
 */
function growingFee(state: DammV2State, inputMint: Address, clock: Clock): GrowingFee | null {
  if (state.baseFee.kind !== "rate-limiter" || inputMint === state.tokenA.mint) return null;
  return (fallBps) => {
    const sold = saleOfFall({ venue: meteoraDammV2, state, inputMint }, fallBps);
    const amountIn = minBigint(maxBigint(sold, 1n), U64_MAX);
    return feePpmOf(state, { inputMint, clock, amountIn });
  };
}

function feePpmOf(state: DammV2State, { inputMint, clock, amountIn }: ExactIn): number {
  const isAToB = inputMint === state.tokenA.mint;
  const ppm = nullOnMathError(() => {
    const point = pointOf(state, clock);
    const numerator = tradeFeeNumerator(state, { isAToB, point, amountIn });
    const side = { venue: meteoraDammV2, state, inputMint, epoch: clock.epoch };
    return allFeesPpm(toNumber(divCeil(numerator, 1000n)), transfers(state, inputMint), side);
  });
  // A fee that the program can't compute takes the whole order: it refuses.
  return ppm ?? ALL_PPM;
}
