import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { DynamicFee } from "#src/venues/raydium-clmm/dynamic-fee.ts";
import {
  AMM_CONFIG,
  BITMAP_EXTENSION,
  DYNAMIC_FEE_INFO,
  POOL_STATE,
  PROGRAM_ID,
  TICK_ARRAY_STATE,
  TICK_STATE,
} from "#src/venues/raydium-clmm/layout.ts";
import type { Tick } from "#src/venues/raydium-clmm/pool-state.ts";
import {
  bitmapExtensionAddress,
  hasBitmapExtension,
  locateBitmapBit,
  tickArrayAddress,
  ticksPerArray,
} from "#src/venues/raydium-clmm/tick-arrays.ts";
import { ByteWriter } from "../byte-writer.ts";

export type NewClmmPool = {
  readonly config: Address;
  readonly creator: Address;
  readonly mint0: Address;
  readonly mint1: Address;
  readonly vault0: Address;
  readonly vault1: Address;
  readonly observation: Address;
  readonly decimals0: number;
  readonly decimals1: number;
  readonly tickSpacing: number;
  readonly liquidity: bigint;
  readonly sqrtPriceX64: bigint;
  readonly tickCurrent: number;
  readonly status: number;
  /** 0: from the input, 1: token0 only, 2: token1 only. */
  readonly feeOn: number;
  readonly openTime: bigint;
  readonly dynamicFee: DynamicFee | null;
  readonly slot: bigint;
};

/** A PoolState account without any tick array marked in its bitmap. */
export function clmmPoolAccount(fields: NewClmmPool): Account {
  const writer = new ByteWriter(new Uint8Array(POOL_STATE.length))
    .raw(0, POOL_STATE.discriminator)
    .u8(POOL_STATE.bump, 255)
    .address(POOL_STATE.ammConfig, fields.config)
    .address(POOL_STATE.owner, fields.creator)
    .address(POOL_STATE.tokenMint0, fields.mint0)
    .address(POOL_STATE.tokenMint1, fields.mint1)
    .address(POOL_STATE.tokenVault0, fields.vault0)
    .address(POOL_STATE.tokenVault1, fields.vault1)
    .address(POOL_STATE.observationKey, fields.observation)
    .u8(POOL_STATE.mintDecimals0, fields.decimals0)
    .u8(POOL_STATE.mintDecimals1, fields.decimals1)
    .u16(POOL_STATE.tickSpacing, fields.tickSpacing)
    .u8(POOL_STATE.status, fields.status)
    .u8(POOL_STATE.feeOn, fields.feeOn)
    .u64(POOL_STATE.openTime, fields.openTime);
  writePrice(writer, fields);
  if (fields.dynamicFee !== null) writeDynamicFee(writer, fields.dynamicFee);
  return { owner: PROGRAM_ID, lamports: 11_637_120n, data: writer.bytes, slot: fields.slot };
}

/** The fields of a pool account that every swap moves. */
export function writePrice(
  writer: ByteWriter,
  fields: Pick<NewClmmPool, "liquidity" | "sqrtPriceX64" | "tickCurrent">,
): void {
  writer
    .u128(POOL_STATE.liquidity, fields.liquidity)
    .u128(POOL_STATE.sqrtPriceX64, fields.sqrtPriceX64)
    .i32(POOL_STATE.tickCurrent, fields.tickCurrent);
}

export function writeDynamicFee(writer: ByteWriter, fee: DynamicFee): void {
  const base = POOL_STATE.dynamicFeeInfo;
  writer
    .u16(base + DYNAMIC_FEE_INFO.filterPeriod, Number(fee.filterPeriod))
    .u16(base + DYNAMIC_FEE_INFO.decayPeriod, Number(fee.decayPeriod))
    .u16(base + DYNAMIC_FEE_INFO.reductionFactor, fee.reductionFactor)
    .u32(base + DYNAMIC_FEE_INFO.dynamicFeeControl, fee.control)
    .u32(base + DYNAMIC_FEE_INFO.maxVolatilityAccumulator, fee.maxAccumulator)
    .i32(base + DYNAMIC_FEE_INFO.tickSpacingIndexReference, fee.indexReference)
    .u32(base + DYNAMIC_FEE_INFO.volatilityReference, fee.volatilityReference)
    .u32(base + DYNAMIC_FEE_INFO.volatilityAccumulator, fee.accumulator)
    .u64(base + DYNAMIC_FEE_INFO.lastUpdateTimestamp, fee.lastUpdate);
}

export type NewClmmConfig = {
  readonly index: number;
  readonly tradeFeePpm: number;
  readonly protocolFeePpm: number;
  readonly fundFeePpm: number;
  readonly tickSpacing: number;
  readonly owner: Address;
  readonly slot: bigint;
};

/** An AmmConfig account. */
export function clmmConfigAccount(fields: NewClmmConfig): Account {
  const writer = new ByteWriter(new Uint8Array(AMM_CONFIG.length))
    .raw(0, AMM_CONFIG.discriminator)
    .u8(AMM_CONFIG.bump, 255)
    .u16(AMM_CONFIG.index, fields.index)
    .address(AMM_CONFIG.owner, fields.owner)
    .u32(AMM_CONFIG.protocolFeeRate, fields.protocolFeePpm)
    .u32(AMM_CONFIG.tradeFeeRate, fields.tradeFeePpm)
    .u16(AMM_CONFIG.tickSpacing, fields.tickSpacing)
    .u32(AMM_CONFIG.fundFeeRate, fields.fundFeePpm)
    .address(AMM_CONFIG.fundOwner, fields.owner);
  return { owner: PROGRAM_ID, lamports: 1_705_200n, data: writer.bytes, slot: fields.slot };
}

/** A pool with its tick arrays and bitmap extension, marked as the program marks them. */
export function withTickArrays(
  pool: Address,
  account: Account,
  tickSpacing: number,
  ticks: readonly Tick[],
): Map<Address, Account> {
  const { slot } = account;
  const poolWriter = new ByteWriter(account.data.slice());
  const extensionWriter = new ByteWriter(new Uint8Array(BITMAP_EXTENSION.length))
    .raw(0, BITMAP_EXTENSION.discriminator)
    .address(BITMAP_EXTENSION.poolId, pool);
  const arrays = new Map<number, Tick[]>();
  const span = ticksPerArray(tickSpacing);
  for (const tick of ticks) {
    const start = Math.floor(tick.tick / span) * span;
    arrays.set(start, [...(arrays.get(start) ?? []), tick]);
  }
  for (const start of arrays.keys()) {
    const bit = locateBitmapBit(start / span);
    const { bytes } = bit.isInPool ? poolWriter : extensionWriter;
    bytes[bit.byte] = (bytes[bit.byte] ?? 0) | bit.mask;
  }
  const accounts = new Map<Address, Account>([[pool, { ...account, data: poolWriter.bytes }]]);
  if (hasBitmapExtension(tickSpacing)) {
    const data = extensionWriter.bytes;
    const extension = { owner: PROGRAM_ID, lamports: 13_641_600n, data, slot };
    accounts.set(bitmapExtensionAddress(pool), extension);
  }
  for (const [start, inArray] of arrays) {
    accounts.set(
      tickArrayAddress(pool, start),
      clmmTickArrayAccount({ pool, start, tickSpacing, ticks: inArray, slot }),
    );
  }
  return accounts;
}

export type NewClmmTickArray = {
  readonly pool: Address;
  readonly start: number;
  readonly tickSpacing: number;
  readonly ticks: readonly Tick[];
  readonly slot: bigint;
};

/** A TickArrayState account. */
function clmmTickArrayAccount(fields: NewClmmTickArray): Account {
  const { pool, start, tickSpacing, ticks, slot } = fields;
  const writer = new ByteWriter(new Uint8Array(TICK_ARRAY_STATE.length))
    .raw(0, TICK_ARRAY_STATE.discriminator)
    .address(TICK_ARRAY_STATE.poolId, pool)
    .i32(TICK_ARRAY_STATE.startTickIndex, start)
    .u8(TICK_ARRAY_STATE.initializedTickCount, ticks.length);
  for (const tick of ticks) {
    const index = (tick.tick - start) / tickSpacing;
    const offset = TICK_ARRAY_STATE.ticks + index * TICK_STATE.length;
    writer
      .i32(offset + TICK_STATE.tick, tick.tick)
      .u128(offset + TICK_STATE.liquidityNet, BigInt.asUintN(128, tick.liquidityNet))
      .u128(offset + TICK_STATE.liquidityGross, tick.liquidityGross)
      .u64(offset + TICK_STATE.ordersAmount, tick.ordersAmount)
      .u64(offset + TICK_STATE.partFilledOrdersRemaining, tick.partFilledOrdersRemaining);
  }
  return { owner: PROGRAM_ID, lamports: 72_161_280n, data: writer.bytes, slot };
}
