import type { Address } from "#src/units/address.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { Account } from "../account-set.ts";
import { ByteReader } from "../byte-reader.ts";
import { DerivedAddresses } from "../derived-addresses.ts";
import {
  DEPLOYMENTS,
  DYNAMIC_TICK,
  DYNAMIC_TICK_ARRAY,
  FIXED_TICK,
  FIXED_TICK_ARRAY,
  TICKS_PER_ARRAY,
} from "./layout.ts";
import type { Tick, TickArray } from "./pool-state.ts";
import { MAX_TICK, MIN_TICK } from "./tick-math.ts";

/** A pool of one of the deployments. */
export type PoolOf = { readonly pool: Address; readonly programId: Address };

const tickArrayAddresses = new Map(
  DEPLOYMENTS.map(({ programId }) => [
    programId,
    new DerivedAddresses(65_536, (pool, startTick) =>
      findProgramAddress(["tick_array", { address: pool }, String(startTick)], programId),
    ),
  ]),
);
const oracleAddresses = new Map(
  DEPLOYMENTS.map(({ programId }) => [
    programId,
    new DerivedAddresses(16_384, (pool) =>
      findProgramAddress(["oracle", { address: pool }], programId),
    ),
  ]),
);

/** The address of the array that starts at `startTick`, whether it exists or not. */
export function tickArrayAddress({ pool, programId }: PoolOf, startTick: number): Address {
  return ofDeployment(tickArrayAddresses, programId).get(pool, startTick);
}

/** The address of the pool's Oracle, whether it exists or not. */
export function oracleAddress({ pool, programId }: PoolOf): Address {
  return ofDeployment(oracleAddresses, programId).get(pool, 0);
}

function ofDeployment<Value>(values: ReadonlyMap<Address, Value>, programId: Address): Value {
  const own = values.get(programId);
  if (own === undefined) throw new RangeError(`${programId} is not a deployment of Whirlpool`);
  return own;
}

/** Which array the bytes must be. */
type Expected = PoolOf & { readonly start: number; readonly tickSpacing: number };

/** An array of either kind, or null where the bytes are not this pool's array. */
export function readTickArray(account: Account, expected: Expected): TickArray | null {
  if (account.owner !== expected.programId) return null;
  const reader = new ByteReader(account.data);
  if (reader.has(0, FIXED_TICK_ARRAY.discriminator)) return readFixed(reader, expected);
  if (reader.has(0, DYNAMIC_TICK_ARRAY.discriminator)) return readDynamic(reader, expected);
  return null;
}

function readFixed(reader: ByteReader, expected: Expected): TickArray | null {
  const { start } = expected;
  const isOurs =
    reader.length === FIXED_TICK_ARRAY.length &&
    reader.i32(FIXED_TICK_ARRAY.startTickIndex) === start &&
    reader.address(FIXED_TICK_ARRAY.whirlpool) === expected.pool;
  if (!isOurs) return null;
  const ticks: Tick[] = [];
  for (let slot = 0; slot < TICKS_PER_ARRAY; slot++) {
    const offset = FIXED_TICK_ARRAY.ticks + slot * FIXED_TICK.length;
    if (!reader.bool(offset + FIXED_TICK.initialized)) continue;
    const tick = start + slot * expected.tickSpacing;
    if (!isInRange(tick)) return null;
    ticks.push({ tick, liquidityNet: reader.i128(offset + FIXED_TICK.liquidityNet) });
  }
  return { start, ticks };
}

/** The bitmap says which ticks are there; each takes its room in turn. */
function readDynamic(reader: ByteReader, expected: Expected): TickArray | null {
  const { start } = expected;
  const isOurs =
    reader.i32(DYNAMIC_TICK_ARRAY.startTickIndex) === start &&
    reader.address(DYNAMIC_TICK_ARRAY.whirlpool) === expected.pool;
  if (!isOurs) return null;
  const ticks: Tick[] = [];
  let offset: number = DYNAMIC_TICK_ARRAY.ticks;
  for (let slot = 0; slot < TICKS_PER_ARRAY; slot++) {
    const bits = reader.u8(DYNAMIC_TICK_ARRAY.tickBitmap + (slot >> 3));
    const isThere = (bits & (1 << (slot & 7))) !== 0;
    if (reader.bool(offset) !== isThere) return null;
    if (!isThere) {
      offset += DYNAMIC_TICK.absentLength;
      continue;
    }
    const tick = start + slot * expected.tickSpacing;
    if (!isInRange(tick)) return null;
    ticks.push({ tick, liquidityNet: reader.i128(offset + DYNAMIC_TICK.liquidityNet) });
    offset += DYNAMIC_TICK.length;
  }
  return offset <= reader.length ? { start, ticks } : null;
}

function isInRange(tick: number): boolean {
  return tick >= MIN_TICK && tick <= MAX_TICK;
}
