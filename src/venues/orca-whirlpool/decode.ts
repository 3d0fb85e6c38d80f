import type { Address } from "#src/units/address.ts";
import { maxBigint } from "#src/units/integer.ts";
import type { Account, AccountSet } from "../account-set.ts";
import { ByteReader } from "../byte-reader.ts";
import { DIRECTIONS } from "../shared/curves/direction.ts";
import { type AccountKind, loaded, madeByProgram, readOwn } from "../shared/own-account.ts";
import { decodable, decodedOrUnusable, UnusableError } from "../shared/refusals.ts";
import { readTickSide } from "../shared/tick-pool.ts";
import { loadedVault } from "../shared/token/token-account.ts";
import type { Decoded } from "../venue.ts";
import { type AdaptiveFee, MAX_CROSSED } from "./adaptive-fee.ts";
import { DEPLOYMENTS, ORACLE, WHIRLPOOL } from "./layout.ts";
import type { TickArray, WhirlpoolState } from "./pool-state.ts";
import { oracleAddress, type PoolOf, readTickArray, tickArrayAddress } from "./tick-arrays.ts";
import {
  MAX_SQRT_PRICE_X64,
  MAX_TICK,
  MIN_SQRT_PRICE_X64,
  MIN_TICK,
  sqrtPriceAtTick,
} from "./tick-math.ts";
import { arrayStarts } from "./tick-sequence.ts";

/** The program's own limit of the static rate. */
const MAX_FEE_RATE = 60_000;

/** What the pool account alone says: where everything else is. */
export type PoolHeader = {
  readonly reader: ByteReader;
  /** The deployment to which the pool belongs. */
  readonly programId: Address;
  readonly mintA: Address;
  readonly mintB: Address;
  readonly vaultA: Address;
  readonly vaultB: Address;
  readonly tickSpacing: number;
  readonly tickCurrent: number;
  /** Whether the pool has its own fee tier, and so may have an Oracle. */
  readonly hasOwnFeeTier: boolean;
};

/**
 * A pool's state, from the pool, its vaults, mints, Oracle and the tick arrays that swaps in either
 * direction use. An array that does not exist is empty; one that was not delivered ends what can be
 * quoted, and sets the pool aside where a swap in both directions would begin in it.
 */
export function decode(pool: Address, known: AccountSet): Decoded<WhirlpoolState> {
  return decodedOrUnusable(() => readState(pool, known));
}

const POOL_KINDS: ReadonlyMap<Address, AccountKind> = new Map(
  DEPLOYMENTS.map(({ programId }) => {
    const { discriminator, length } = WHIRLPOOL;
    return [programId, { programId, discriminator, length }];
  }),
);

/** The fields that lead to a pool's other accounts, or null where the account is not a pool. */
export function readPoolHeader(account: Account | null | undefined): PoolHeader | null {
  if (account === null || account === undefined) return null;
  const kind = POOL_KINDS.get(account.owner);
  const reader = kind === undefined ? null : readOwn(account, kind);
  if (reader === null) return null;
  const tickSpacing = reader.u16(WHIRLPOOL.tickSpacing);
  const tickCurrent = reader.i32(WHIRLPOOL.tickCurrentIndex);
  // A price at the lower end leaves the current tick one below it.
  if (tickSpacing === 0 || tickCurrent < MIN_TICK - 1 || tickCurrent > MAX_TICK) return null;
  return {
    reader,
    programId: account.owner,
    mintA: reader.address(WHIRLPOOL.tokenMintA),
    mintB: reader.address(WHIRLPOOL.tokenMintB),
    vaultA: reader.address(WHIRLPOOL.tokenVaultA),
    vaultB: reader.address(WHIRLPOOL.tokenVaultB),
    tickSpacing,
    tickCurrent,
    hasOwnFeeTier: reader.u16(WHIRLPOOL.feeTierIndexSeed) !== tickSpacing,
  };
}

/** Starts of the arrays that a swap in either direction uses, without repeats. */
export function neededArrayStarts(header: PoolHeader): readonly number[] {
  const { tickCurrent, tickSpacing } = header;
  return [
    ...new Set(DIRECTIONS.flatMap((direction) => arrayStarts(tickCurrent, tickSpacing, direction))),
  ];
}

function readState(pool: Address, known: AccountSet): WhirlpoolState {
  const header = decodable(readPoolHeader(loaded(known, pool, "pool")), "not a Whirlpool");
  const { reader, programId } = header;
  const vaultA = loadedVault(known, header.vaultA, header.mintA);
  const vaultB = loadedVault(known, header.vaultB, header.mintB);
  const feeRatePpm = reader.u16(WHIRLPOOL.feeRate);
  if (feeRatePpm > MAX_FEE_RATE) throw new UnusableError("undecodable", `fee rate ${feeRatePpm}`);
  const oracle = header.hasOwnFeeTier ? readOracle({ pool, programId }, known) : null;
  const arrays = readArrays(pool, header, known);
  return {
    tokenA: readTickSide(known, header.mintA, vaultA),
    tokenB: readTickSide(known, header.mintB, vaultB),
    tickSpacing: header.tickSpacing,
    feeRatePpm,
    liquidity: reader.u128(WHIRLPOOL.liquidity),
    sqrtPriceX64: readSqrtPrice(header),
    tickCurrent: header.tickCurrent,
    tradeEnableTimestamp: oracle?.tradeEnableTimestamp ?? 0n,
    adaptiveFee: oracle?.adaptiveFee ?? null,
    writtenAt: latestTime(reader, oracle),
    arrays,
    isPartlyLoaded: neededArrayStarts(header).some((start) => !arrays.has(start)),
  };
}

/** The price must lie within the current tick, as every swap leaves it. */
function readSqrtPrice(header: PoolHeader): bigint {
  const sqrtPriceX64 = header.reader.u128(WHIRLPOOL.sqrtPrice);
  const { tickCurrent } = header;
  const isOfTick =
    sqrtPriceX64 >= MIN_SQRT_PRICE_X64 &&
    sqrtPriceX64 <= MAX_SQRT_PRICE_X64 &&
    sqrtPriceX64 >= sqrtPriceAtTick(Math.max(tickCurrent, MIN_TICK)) &&
    sqrtPriceX64 <= sqrtPriceAtTick(Math.min(tickCurrent + 1, MAX_TICK));
  if (!isOfTick) throw new UnusableError("undecodable", `price is not at tick ${tickCurrent}`);
  return sqrtPriceX64;
}

type Oracle = { readonly tradeEnableTimestamp: bigint; readonly adaptiveFee: AdaptiveFee };

/** Null where the account does not exist: the fee is static, and trading was never held back. */
function readOracle({ pool, programId }: PoolOf, known: AccountSet): Oracle | null {
  const address = oracleAddress({ pool, programId });
  const account = madeByProgram(known, address);
  if (account === undefined) {
    throw new UnusableError("missing-account", `oracle ${address} was not delivered`);
  }
  if (account === null) return null;
  const reader = new ByteReader(account.data);
  const isOracle =
    account.owner === programId &&
    reader.length === ORACLE.length &&
    reader.has(0, ORACLE.discriminator) &&
    reader.address(ORACLE.whirlpool) === pool;
  const groupSize = isOracle ? reader.u16(ORACLE.tickGroupSize) : 0;
  const maxAccumulator = isOracle ? reader.u32(ORACLE.maxVolatilityAccumulator) : 0;
  if (groupSize === 0 || maxAccumulator * groupSize > MAX_CROSSED) {
    throw new UnusableError("undecodable", `${address} is not an oracle of this pool`);
  }
  return {
    tradeEnableTimestamp: reader.u64(ORACLE.tradeEnableTimestamp),
    adaptiveFee: {
      filterPeriod: BigInt(reader.u16(ORACLE.filterPeriod)),
      decayPeriod: BigInt(reader.u16(ORACLE.decayPeriod)),
      reductionFactor: reader.u16(ORACLE.reductionFactor),
      controlFactor: reader.u32(ORACLE.adaptiveFeeControlFactor),
      maxAccumulator,
      groupSize,
      majorSwapThresholdTicks: reader.u16(ORACLE.majorSwapThresholdTicks),
      lastReferenceUpdate: reader.u64(ORACLE.lastReferenceUpdateTimestamp),
      lastMajorSwap: reader.u64(ORACLE.lastMajorSwapTimestamp),
      volatilityReference: reader.u32(ORACLE.volatilityReference),
      groupReference: reader.i32(ORACLE.tickGroupIndexReference),
      accumulator: reader.u32(ORACLE.volatilityAccumulator),
    },
  };
}

function latestTime(pool: ByteReader, oracle: Oracle | null): bigint {
  const swapped = pool.u64(WHIRLPOOL.rewardLastUpdatedTimestamp);
  if (oracle === null) return swapped;
  const { lastReferenceUpdate, lastMajorSwap } = oracle.adaptiveFee;
  return maxBigint(swapped, maxBigint(lastReferenceUpdate, lastMajorSwap));
}

function readArrays(
  pool: Address,
  header: PoolHeader,
  known: AccountSet,
): ReadonlyMap<number, TickArray> {
  const { tickSpacing, programId } = header;
  const arrays = new Map<number, TickArray>();
  for (const start of neededArrayStarts(header)) {
    const address = tickArrayAddress({ pool, programId }, start);
    const account = madeByProgram(known, address);
    if (account === undefined) continue;
    if (account === null) {
      arrays.set(start, { start, ticks: [] });
      continue;
    }
    const array = readTickArray(account, { pool, programId, start, tickSpacing });
    arrays.set(start, decodable(array, `${address} is not a tick array at ${start} of this pool`));
  }
  const firsts = DIRECTIONS.map(
    (direction) => arrayStarts(header.tickCurrent, tickSpacing, direction)[0] ?? header.tickCurrent,
  );
  if (firsts.every((start) => !arrays.has(start))) {
    throw new UnusableError("missing-account", "no tick array around the price was delivered");
  }
  return arrays;
}
