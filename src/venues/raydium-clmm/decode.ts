import { type Address, bytesOf } from "#src/units/address.ts";
import type { Account, AccountSet } from "../account-set.ts";
import { ByteReader } from "../byte-reader.ts";
import { DIRECTIONS } from "../shared/curves/direction.ts";
import { loaded, madeByProgram, readOwn } from "../shared/own-account.ts";
import { decodable, decodedOrUnusable, UnusableError } from "../shared/refusals.ts";
import { readTickSide } from "../shared/tick-pool.ts";
import { loadedVault } from "../shared/token/token-account.ts";
import type { Decoded } from "../venue.ts";
import { type DynamicFee, MAX_CROSSED } from "./dynamic-fee.ts";
import {
  AMM_CONFIG,
  DYNAMIC_FEE_INFO,
  POOL_STATE,
  PROGRAM_ID,
  REWARD_INFO,
  STATUS_SWAP_DISABLED,
} from "./layout.ts";
import type { ClmmState, FeeSide, Tick } from "./pool-state.ts";
import {
  ARRAYS_EACH_WAY,
  bitmapExtensionAddress,
  hasBitmapExtension,
  markedArrays,
  readBitmapExtension,
  readTickArray,
  tickArrayAddress,
} from "./tick-arrays.ts";
import {
  MAX_SQRT_PRICE_X64,
  MAX_TICK,
  MIN_SQRT_PRICE_X64,
  MIN_TICK,
  sqrtPriceAtTick,
} from "./tick-math.ts";

const FEE_DENOMINATOR = 1_000_000;

/** What the pool account alone says: where everything else is. */
export type PoolHeader = {
  readonly reader: ByteReader;
  readonly ammConfig: Address;
  readonly mint0: Address;
  readonly mint1: Address;
  readonly vault0: Address;
  readonly vault1: Address;
  readonly tickSpacing: number;
  readonly tickCurrent: number;
};

/**
 * A pool's state, from the pool, its config, vaults, mints and the tick arrays that are loaded around
 * the price. The array where a sale begins must be there in both directions, and the one after it
 * may not be known to be absent; sales that leave the loaded arrays are refused.
 */
export function decode(pool: Address, known: AccountSet): Decoded<ClmmState> {
  return decodedOrUnusable(() => readState(pool, known));
}

const POOL_KIND = {
  programId: PROGRAM_ID,
  discriminator: POOL_STATE.discriminator,
  length: POOL_STATE.length,
} as const;

/** The fields that lead to a pool's other accounts, or null where the account is not a pool. */
export function readPoolHeader(account: Account | null | undefined): PoolHeader | null {
  const reader = readOwn(account, POOL_KIND);
  if (reader === null) return null;
  const tickSpacing = reader.u16(POOL_STATE.tickSpacing);
  const tickCurrent = reader.i32(POOL_STATE.tickCurrent);
  if (tickSpacing === 0 || tickCurrent < MIN_TICK || tickCurrent > MAX_TICK) return null;
  return {
    reader,
    ammConfig: reader.address(POOL_STATE.ammConfig),
    mint0: reader.address(POOL_STATE.tokenMint0),
    mint1: reader.address(POOL_STATE.tokenMint1),
    vault0: reader.address(POOL_STATE.tokenVault0),
    vault1: reader.address(POOL_STATE.tokenVault1),
    tickSpacing,
    tickCurrent,
  };
}

function readState(pool: Address, known: AccountSet): ClmmState {
  const header = decodable(readPoolHeader(loaded(known, pool, "pool")), "not a CLMM pool");
  const { reader } = header;
  const vault0 = loadedVault(known, header.vault0, header.mint0);
  const vault1 = loadedVault(known, header.vault1, header.mint1);
  const sqrtPriceX64 = readSqrtPrice(header);
  const reach = readTicks(pool, header, known);
  return {
    token0: readTickSide(known, header.mint0, vault0),
    token1: readTickSide(known, header.mint1, vault1),
    isSwapDisabled: (reader.u8(POOL_STATE.status) & STATUS_SWAP_DISABLED) !== 0,
    openTime: reader.u64(POOL_STATE.openTime),
    writtenAt: lastRewardUpdate(reader),
    feeSide: feeSideOf(reader.u8(POOL_STATE.feeOn)),
    tradeFeePpm: readTradeFee(known, header.ammConfig),
    tickSpacing: header.tickSpacing,
    liquidity: reader.u128(POOL_STATE.liquidity),
    sqrtPriceX64,
    tickCurrent: header.tickCurrent,
    dynamicFee: readDynamicFee(header),
    ticks: reach.ticks,
    isPartlyLoaded: reach.isPartlyLoaded,
  };
}

/** A reward that has not begun states its opening time, which may lie ahead, as its last update. */
function lastRewardUpdate(reader: ByteReader): bigint {
  let latest = 0n;
  for (let reward = 0; reward < REWARD_INFO.perPool; reward++) {
    const base = POOL_STATE.rewardInfos + reward * REWARD_INFO.length;
    const updated = reader.u64(base + REWARD_INFO.lastUpdateTime);
    if (updated > latest && updated > reader.u64(base + REWARD_INFO.openTime)) latest = updated;
  }
  return latest;
}

/** The price must lie within the current tick, as every swap leaves it. */
function readSqrtPrice(header: PoolHeader): bigint {
  const sqrtPriceX64 = header.reader.u128(POOL_STATE.sqrtPriceX64);
  const { tickCurrent } = header;
  const isInRange = sqrtPriceX64 >= MIN_SQRT_PRICE_X64 && sqrtPriceX64 < MAX_SQRT_PRICE_X64;
  const isOfTick =
    isInRange &&
    sqrtPriceX64 >= sqrtPriceAtTick(tickCurrent) &&
    (tickCurrent === MAX_TICK || sqrtPriceX64 <= sqrtPriceAtTick(tickCurrent + 1));
  if (!isOfTick) throw new UnusableError("undecodable", `price is not at tick ${tickCurrent}`);
  return sqrtPriceX64;
}

function feeSideOf(feeOn: number): FeeSide {
  return feeOn === 1 ? "token0" : feeOn === 2 ? "token1" : "input";
}

function readTradeFee(known: AccountSet, address: Address): number {
  const account = loaded(known, address, "config");
  const reader = new ByteReader(account.data);
  const isConfig =
    account.owner === PROGRAM_ID &&
    reader.length === AMM_CONFIG.length &&
    reader.has(0, AMM_CONFIG.discriminator);
  const tradeFeePpm = isConfig ? reader.u32(AMM_CONFIG.tradeFeeRate) : FEE_DENOMINATOR;
  if (tradeFeePpm >= FEE_DENOMINATOR) {
    throw new UnusableError(
      "undecodable",
      `${address} is not a config with a fee below everything`,
    );
  }
  return tradeFeePpm;
}

/** Null where all bytes are zero: the pool's fee is static. */
function readDynamicFee({ reader, tickSpacing }: PoolHeader): DynamicFee | null {
  const base = POOL_STATE.dynamicFeeInfo;
  if (reader.has(base, new Uint8Array(DYNAMIC_FEE_INFO.length))) return null;
  const maxAccumulator = reader.u32(base + DYNAMIC_FEE_INFO.maxVolatilityAccumulator);
  if (maxAccumulator * tickSpacing > MAX_CROSSED) {
    throw new UnusableError("undecodable", `accumulator up to ${maxAccumulator}`);
  }
  return {
    filterPeriod: BigInt(reader.u16(base + DYNAMIC_FEE_INFO.filterPeriod)),
    decayPeriod: BigInt(reader.u16(base + DYNAMIC_FEE_INFO.decayPeriod)),
    reductionFactor: reader.u16(base + DYNAMIC_FEE_INFO.reductionFactor),
    control: reader.u32(base + DYNAMIC_FEE_INFO.dynamicFeeControl),
    maxAccumulator,
    indexReference: reader.i32(base + DYNAMIC_FEE_INFO.tickSpacingIndexReference),
    volatilityReference: reader.u32(base + DYNAMIC_FEE_INFO.volatilityReference),
    accumulator: reader.u32(base + DYNAMIC_FEE_INFO.volatilityAccumulator),
    lastUpdate: reader.u64(base + DYNAMIC_FEE_INFO.lastUpdateTimestamp),
  };
}

type Reach = { readonly ticks: readonly Tick[]; readonly isPartlyLoaded: boolean };

/** The ticks of the arrays that are loaded without a gap, downwards and upwards from the price. */
function readTicks(pool: Address, header: PoolHeader, known: AccountSet): Reach {
  const extension = readExtension(pool, header, known);
  const isExtensionUnknown =
    hasBitmapExtension(header.tickSpacing) && known.get(bitmapExtensionAddress(pool)) === undefined;
  const bitmaps = { pool: header.reader, extension, tickSpacing: header.tickSpacing };
  const poolBytes = bytesOf(pool);
  const ticks: Tick[] = [];
  let isPartlyLoaded = false;
  const read = new Set<number>();
  for (const direction of DIRECTIONS) {
    const starts = markedArrays(bitmaps, header.tickCurrent, direction);
    // Arrays beyond the pool's own bitmap may be marked in the extension.
    if (isExtensionUnknown && starts.length < ARRAYS_EACH_WAY) isPartlyLoaded = true;
    for (const [position, start] of starts.entries()) {
      const address = tickArrayAddress(pool, start);
      const account = madeByProgram(known, address);
      if (account === null || account === undefined) {
        if (position === 0 || (position === 1 && account === null)) {
          throw new UnusableError(
            "missing-account",
            `tick array ${address} at ${start} is missing`,
          );
        }
        isPartlyLoaded = true;
        break;
      }
      if (read.has(start)) continue;
      read.add(start);
      const found = decodable(
        readTickArray(account, {
          pool: poolBytes,
          startTick: start,
          tickSpacing: header.tickSpacing,
        }),
        `${address} is not a tick array at ${start} of this pool`,
      );
      // The program refuses to enter a marked array that holds nothing.
      if (found.length === 0 && position > 0) break;
      ticks.push(...found);
    }
  }
  return { ticks: ticks.sort((a, b) => a.tick - b.tick), isPartlyLoaded };
}

/** Null where the extension is absent, not delivered or not needed. */
function readExtension(pool: Address, header: PoolHeader, known: AccountSet): ByteReader | null {
  if (!hasBitmapExtension(header.tickSpacing)) return null;
  const address = bitmapExtensionAddress(pool);
  const account = madeByProgram(known, address);
  if (account === null || account === undefined) return null;
  const reader = readBitmapExtension(account, bytesOf(pool));
  return decodable(reader, `${address} is not a bitmap of this pool`);
}
