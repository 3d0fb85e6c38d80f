import type { Address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM } from "#src/units/known-addresses.ts";
import type { Account, AccountSet } from "../account-set.ts";
import { ByteReader, BytesEnded } from "../byte-reader.ts";
import { DIRECTIONS } from "../curves/direction.ts";
import { decodeMint } from "../token/mint.ts";
import { decodeTokenAccount, type TokenAccount } from "../token/token-account.ts";
import type { Decoded, UnusableReason } from "../venue.ts";
import { type AdaptiveFee, MAX_CROSSED } from "./adaptive-fee.ts";
import { ORACLE, PROGRAM_ID, WHIRLPOOL } from "./layout.ts";
import type { Side, TickArray, WhirlpoolState } from "./pool-state.ts";
import { oracleAddress, readTickArray, tickArrayAddress } from "./tick-arrays.ts";
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
  readonly mintA: Address;
  readonly mintB: Address;
  readonly vaultA: Address;
  readonly vaultB: Address;
  readonly tickSpacing: number;
  readonly tickCurrent: number;
  /** Whether the pool stands under a fee tier of its own, and so may have an Oracle. */
  readonly hasOwnFeeTier: boolean;
};

/** Why a pool can't be used; caught by `decode`. */
class Unusable extends Error {
  readonly reason: UnusableReason;

  constructor(reason: UnusableReason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/**
 * A pool's state, from the pool, its vaults, mints, Oracle and the tick arrays that swaps in either
 * direction use. An array that does not exist is empty; one that was not delivered ends what can be
 * quoted, and sets the pool aside where a swap in both directions would begin in it.
 */
export function decode(pool: Address, known: AccountSet): Decoded<WhirlpoolState> {
  try {
    return { kind: "pool", state: decodeOrThrow(pool, known) };
  } catch (error) {
    if (error instanceof Unusable) {
      return { kind: "unusable", reason: error.reason, detail: error.message };
    }
    if (error instanceof BytesEnded) {
      return { kind: "unusable", reason: "undecodable", detail: error.message };
    }
    throw error;
  }
}

/** The fields that lead to a pool's other accounts, or null where the account is no pool. */
export function readPoolHeader(account: Account | null | undefined): PoolHeader | null {
  if (account === null || account === undefined || account.owner !== PROGRAM_ID) return null;
  const reader = new ByteReader(account.data);
  if (reader.length !== WHIRLPOOL.length || !reader.has(0, WHIRLPOOL.discriminator)) return null;
  const tickSpacing = reader.u16(WHIRLPOOL.tickSpacing);
  const tickCurrent = reader.i32(WHIRLPOOL.tickCurrentIndex);
  // A price at the lower end leaves the current tick one below it.
  if (tickSpacing === 0 || tickCurrent < MIN_TICK - 1 || tickCurrent > MAX_TICK) return null;
  return {
    reader,
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

function decodeOrThrow(pool: Address, known: AccountSet): WhirlpoolState {
  const header = readPoolHeader(loaded(known, pool, "pool"));
  if (header === null) throw new Unusable("undecodable", "the account is no Whirlpool");
  const { reader } = header;
  const vaultA = readVault(known, header.vaultA, header.mintA);
  const vaultB = readVault(known, header.vaultB, header.mintB);
  const feeRatePpm = reader.u16(WHIRLPOOL.feeRate);
  if (feeRatePpm > MAX_FEE_RATE) throw new Unusable("undecodable", `fee rate ${feeRatePpm}`);
  const oracle = header.hasOwnFeeTier ? readOracle(pool, known) : null;
  const arrays = readArrays(pool, header, known);
  return {
    tokenA: readSide(known, header.mintA, vaultA),
    tokenB: readSide(known, header.mintB, vaultB),
    hasFrozenVault: vaultA.isFrozen || vaultB.isFrozen,
    tickSpacing: header.tickSpacing,
    feeRatePpm,
    liquidity: reader.u128(WHIRLPOOL.liquidity),
    sqrtPriceX64: readSqrtPrice(header),
    tickCurrent: header.tickCurrent,
    tradeEnableTimestamp: oracle?.tradeEnableTimestamp ?? 0n,
    adaptiveFee: oracle?.adaptiveFee ?? null,
    arrays,
    isPartlyLoaded: neededArrayStarts(header).some((start) => !arrays.has(start)),
  };
}

function loaded(known: AccountSet, address: Address, what: string): Account {
  const account = known.get(address);
  if (account === null || account === undefined) {
    throw new Unusable("missing-account", `${what} ${address} is missing`);
  }
  return account;
}

function readVault(known: AccountSet, address: Address, mint: Address): TokenAccount {
  const vault = decodeTokenAccount(loaded(known, address, "vault"));
  if (vault === null || vault.mint !== mint) {
    throw new Unusable("undecodable", `vault ${address} is no token account of ${mint}`);
  }
  return vault;
}

function readSide(known: AccountSet, address: Address, vault: TokenAccount): Side {
  const mint = decodeMint(loaded(known, address, "mint"));
  if (mint === null) throw new Unusable("undecodable", `${address} is no mint`);
  return {
    mint: address,
    transferFee: mint.transferFee,
    heldInVault: vault.amount,
    hasHook: mint.transferHook !== null,
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
  if (!isOfTick) throw new Unusable("undecodable", `price is not at tick ${tickCurrent}`);
  return sqrtPriceX64;
}

type Oracle = { readonly tradeEnableTimestamp: bigint; readonly adaptiveFee: AdaptiveFee };

/** Null where the account does not exist: the fee is static, and trading was never held back. */
function readOracle(pool: Address, known: AccountSet): Oracle | null {
  const address = oracleAddress(pool);
  const account = known.get(address);
  if (account === undefined) {
    throw new Unusable("missing-account", `oracle ${address} was not delivered`);
  }
  if (account === null || isUnused(account)) return null;
  const reader = new ByteReader(account.data);
  const isOracle =
    account.owner === PROGRAM_ID &&
    reader.length === ORACLE.length &&
    reader.has(0, ORACLE.discriminator) &&
    reader.address(ORACLE.whirlpool) === pool;
  const groupSize = isOracle ? reader.u16(ORACLE.tickGroupSize) : 0;
  const maxAccumulator = isOracle ? reader.u32(ORACLE.maxVolatilityAccumulator) : 0;
  if (groupSize === 0 || maxAccumulator * groupSize > MAX_CROSSED) {
    throw new Unusable("undecodable", `${address} is no oracle of this pool`);
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

/** An address that holds lamports at most: to the program it does not exist. */
function isUnused(account: Account): boolean {
  return account.owner === SYSTEM_PROGRAM && account.data.length === 0;
}

function readArrays(
  pool: Address,
  header: PoolHeader,
  known: AccountSet,
): ReadonlyMap<number, TickArray> {
  const { tickSpacing } = header;
  const arrays = new Map<number, TickArray>();
  for (const start of neededArrayStarts(header)) {
    const address = tickArrayAddress(pool, start);
    const account = known.get(address);
    if (account === undefined) continue;
    if (account === null || isUnused(account)) {
      arrays.set(start, { start, ticks: [] });
      continue;
    }
    const array = readTickArray(account, { pool, start, tickSpacing });
    if (array === null) {
      throw new Unusable("undecodable", `${address} is no tick array at ${start} of this pool`);
    }
    arrays.set(start, array);
  }
  const firsts = DIRECTIONS.map(
    (direction) => arrayStarts(header.tickCurrent, tickSpacing, direction)[0] ?? header.tickCurrent,
  );
  if (firsts.every((start) => !arrays.has(start))) {
    throw new Unusable("missing-account", "no tick array around the price was delivered");
  }
  return arrays;
}
