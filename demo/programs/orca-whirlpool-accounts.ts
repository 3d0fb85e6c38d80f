import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { AdaptiveFee } from "#src/venues/orca-whirlpool/adaptive-fee.ts";
import {
  DYNAMIC_TICK,
  DYNAMIC_TICK_ARRAY,
  FIXED_TICK,
  FIXED_TICK_ARRAY,
  ORACLE,
  TICKS_PER_ARRAY,
  WHIRLPOOL,
} from "#src/venues/orca-whirlpool/layout.ts";
import type { PoolOf } from "#src/venues/orca-whirlpool/tick-arrays.ts";
import { ByteWriter } from "../byte-writer.ts";
import type { LiquidityTick } from "../concentrated-positions.ts";

export type NewWhirlpool = {
  readonly programId: Address;
  readonly config: Address;
  readonly mintA: Address;
  readonly mintB: Address;
  readonly vaultA: Address;
  readonly vaultB: Address;
  readonly tickSpacing: number;
  /** Other than the tick spacing: the pool has an adaptive fee and an Oracle. */
  readonly feeTierIndex: number;
  readonly feeRatePpm: number;
  /** Of 10,000 of the fee. */
  readonly protocolFeeRate: number;
  readonly liquidity: bigint;
  readonly sqrtPriceX64: bigint;
  readonly tickCurrent: number;
  readonly slot: bigint;
};

/** A Whirlpool account. */
export function whirlpoolAccount(fields: NewWhirlpool): Account {
  const writer = new ByteWriter(new Uint8Array(WHIRLPOOL.length))
    .raw(0, WHIRLPOOL.discriminator)
    .address(WHIRLPOOL.whirlpoolsConfig, fields.config)
    .u8(WHIRLPOOL.bump, 255)
    .u16(WHIRLPOOL.tickSpacing, fields.tickSpacing)
    .u16(WHIRLPOOL.feeTierIndexSeed, fields.feeTierIndex)
    .u16(WHIRLPOOL.feeRate, fields.feeRatePpm)
    .u16(WHIRLPOOL.protocolFeeRate, fields.protocolFeeRate)
    .address(WHIRLPOOL.tokenMintA, fields.mintA)
    .address(WHIRLPOOL.tokenVaultA, fields.vaultA)
    .address(WHIRLPOOL.tokenMintB, fields.mintB)
    .address(WHIRLPOOL.tokenVaultB, fields.vaultB);
  writePrice(writer, fields);
  const { programId: owner, slot } = fields;
  return { owner, lamports: 5_435_760n, data: writer.bytes, slot };
}

/** The fields of a pool account that every swap moves. */
export function writePrice(
  writer: ByteWriter,
  fields: Pick<NewWhirlpool, "liquidity" | "sqrtPriceX64" | "tickCurrent">,
): void {
  writer
    .u128(WHIRLPOOL.liquidity, fields.liquidity)
    .u128(WHIRLPOOL.sqrtPrice, fields.sqrtPriceX64)
    .i32(WHIRLPOOL.tickCurrentIndex, fields.tickCurrent);
}

export type NewTickArray = PoolOf & {
  readonly start: number;
  readonly tickSpacing: number;
  readonly ticks: readonly LiquidityTick[];
  readonly slot: bigint;
};

/** A TickArray account of fixed size. */
export function fixedTickArrayAccount(fields: NewTickArray): Account {
  const writer = new ByteWriter(new Uint8Array(FIXED_TICK_ARRAY.length))
    .raw(0, FIXED_TICK_ARRAY.discriminator)
    .i32(FIXED_TICK_ARRAY.startTickIndex, fields.start)
    .address(FIXED_TICK_ARRAY.whirlpool, fields.pool);
  for (const { tick, liquidityNet, liquidityGross } of fields.ticks) {
    const slot = (tick - fields.start) / fields.tickSpacing;
    const offset = FIXED_TICK_ARRAY.ticks + slot * FIXED_TICK.length;
    writer
      .u8(offset + FIXED_TICK.initialized, 1)
      .u128(offset + FIXED_TICK.liquidityNet, BigInt.asUintN(128, liquidityNet))
      .u128(offset + FIXED_TICK.liquidityGross, liquidityGross);
  }
  const { programId: owner, slot: at } = fields;
  return { owner, lamports: 70_407_360n, data: writer.bytes, slot: at };
}

/** A DynamicTickArray account: only initialised ticks take room. */
export function dynamicTickArrayAccount(fields: NewTickArray): Account {
  const { programId: owner, start, tickSpacing, ticks } = fields;
  const extra = ticks.length * (DYNAMIC_TICK.length - DYNAMIC_TICK.absentLength);
  const length = DYNAMIC_TICK_ARRAY.ticks + TICKS_PER_ARRAY * DYNAMIC_TICK.absentLength + extra;
  const writer = new ByteWriter(new Uint8Array(length))
    .raw(0, DYNAMIC_TICK_ARRAY.discriminator)
    .i32(DYNAMIC_TICK_ARRAY.startTickIndex, start)
    .address(DYNAMIC_TICK_ARRAY.whirlpool, fields.pool);
  const bySlot = new Map(ticks.map((tick) => [(tick.tick - start) / tickSpacing, tick]));
  let bitmap = 0n;
  let offset: number = DYNAMIC_TICK_ARRAY.ticks;
  for (let slot = 0; slot < TICKS_PER_ARRAY; slot++) {
    const tick = bySlot.get(slot);
    if (tick === undefined) {
      offset += DYNAMIC_TICK.absentLength;
      continue;
    }
    bitmap |= 1n << BigInt(slot);
    writer
      .u8(offset, 1)
      .u128(offset + DYNAMIC_TICK.liquidityNet, BigInt.asUintN(128, tick.liquidityNet))
      .u128(offset + DYNAMIC_TICK.liquidityGross, tick.liquidityGross);
    offset += DYNAMIC_TICK.length;
  }
  writer.u128(DYNAMIC_TICK_ARRAY.tickBitmap, bitmap);
  return { owner, lamports: 1_920_960n, data: writer.bytes, slot: fields.slot };
}

export type NewOracle = PoolOf & {
  readonly tradeEnableTimestamp: bigint;
  readonly fee: AdaptiveFee;
  readonly slot: bigint;
};

/** The Oracle account of a pool with an adaptive fee. */
export function oracleAccount({
  pool,
  programId,
  tradeEnableTimestamp,
  fee,
  slot,
}: NewOracle): Account {
  const writer = new ByteWriter(new Uint8Array(ORACLE.length))
    .raw(0, ORACLE.discriminator)
    .address(ORACLE.whirlpool, pool)
    .u64(ORACLE.tradeEnableTimestamp, tradeEnableTimestamp)
    .u16(ORACLE.filterPeriod, Number(fee.filterPeriod))
    .u16(ORACLE.decayPeriod, Number(fee.decayPeriod))
    .u16(ORACLE.reductionFactor, fee.reductionFactor)
    .u32(ORACLE.adaptiveFeeControlFactor, fee.controlFactor)
    .u32(ORACLE.maxVolatilityAccumulator, fee.maxAccumulator)
    .u16(ORACLE.tickGroupSize, fee.groupSize)
    .u16(ORACLE.majorSwapThresholdTicks, fee.majorSwapThresholdTicks);
  writeAdaptiveFee(writer, fee);
  return { owner: programId, lamports: 2_658_720n, data: writer.bytes, slot };
}

/** The fields of an Oracle that every swap moves. */
function writeAdaptiveFee(writer: ByteWriter, fee: AdaptiveFee): void {
  writer
    .u64(ORACLE.lastReferenceUpdateTimestamp, fee.lastReferenceUpdate)
    .u64(ORACLE.lastMajorSwapTimestamp, fee.lastMajorSwap)
    .u32(ORACLE.volatilityReference, fee.volatilityReference)
    .i32(ORACLE.tickGroupIndexReference, fee.groupReference)
    .u32(ORACLE.volatilityAccumulator, fee.accumulator);
}
