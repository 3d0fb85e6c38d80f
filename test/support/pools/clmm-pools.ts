import fc from "fast-check";
import {
  clmmConfigAccount,
  clmmPoolAccount,
  withTickArrays,
} from "#demo/programs/raydium-clmm-accounts.ts";
import { mintAccount, tokenAccount } from "#demo/token-accounts.ts";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { DynamicFee } from "#src/venues/raydium-clmm/dynamic-fee.ts";
import type { Tick } from "#src/venues/raydium-clmm/pool-state.ts";
import { sqrtPriceAtTick, tickAtSqrtPrice } from "#src/venues/raydium-clmm/tick-math.ts";
import type { TransferFeeSchedule } from "#src/venues/shared/token/transfer-fee.ts";
import { type PoolFixture, testAddress } from "#test/support/pools/raydium-pools.ts";

const CLMM_POOL = testAddress(11);
export const CLMM_CONFIG = testAddress(16);
const MINT_0 = testAddress(12);
const MINT_1 = testAddress(13);
const VAULT_0 = testAddress(14);
const VAULT_1 = testAddress(15);
const OTHER = testAddress(17);

/** A range that holds liquidity; ends are ticks. */
export type Position = {
  readonly lower: number;
  readonly upper: number;
  readonly liquidity: bigint;
};

/** Limit orders resting at a tick, base units of the token they sell. */
export type RestingOrders = {
  readonly tick: number;
  readonly fresh: bigint;
  readonly partFilled: bigint;
};

export type ClmmFixture = {
  readonly tickSpacing: number;
  readonly sqrtPriceX64: bigint;
  readonly positions: readonly Position[];
  readonly orders?: readonly RestingOrders[];
  readonly tradeFeePpm?: number;
  readonly feeOn?: 0 | 1 | 2;
  readonly status?: number;
  readonly openTime?: bigint;
  readonly dynamicFee?: DynamicFee;
  readonly transferFee0?: TransferFeeSchedule;
  readonly transferFee1?: TransferFeeSchedule;
};

/** A CLMM pool; open, 2500 ppm on the input unless overridden. */
export function clmmFixture(fields: ClmmFixture): PoolFixture {
  const tickCurrent = tickAtSqrtPrice(fields.sqrtPriceX64);
  const pool = clmmPoolAccount({
    config: CLMM_CONFIG,
    creator: OTHER,
    mint0: MINT_0,
    mint1: MINT_1,
    vault0: VAULT_0,
    vault1: VAULT_1,
    observation: OTHER,
    decimals0: 6,
    decimals1: 9,
    tickSpacing: fields.tickSpacing,
    liquidity: liquidityAt(fields.positions, tickCurrent),
    sqrtPriceX64: fields.sqrtPriceX64,
    tickCurrent,
    status: fields.status ?? 0,
    feeOn: fields.feeOn ?? 0,
    openTime: fields.openTime ?? 0n,
    dynamicFee: fields.dynamicFee ?? null,
    slot: 1n,
  });
  const ticks = ticksOf(fields.positions, fields.orders ?? []);
  const accounts = new Map<Address, Account>([
    ...withTickArrays(CLMM_POOL, pool, fields.tickSpacing, ticks),
    [
      CLMM_CONFIG,
      clmmConfigAccount({
        index: 1,
        tradeFeePpm: fields.tradeFeePpm ?? 2500,
        protocolFeePpm: 120_000,
        fundFeePpm: 40_000,
        tickSpacing: fields.tickSpacing,
        owner: OTHER,
        slot: 1n,
      }),
    ],
  ]);
  for (const [mint, vault, transferFee] of [
    [MINT_0, VAULT_0, fields.transferFee0],
    [MINT_1, VAULT_1, fields.transferFee1],
  ] as const) {
    const minted = mintAccount({
      supply: 1n << 63n,
      decimals: 6,
      ...(transferFee === undefined ? {} : { transferFee }),
      slot: 1n,
    });
    accounts.set(mint, minted);
    const held = { mint, owner: CLMM_POOL, amount: 1n << 62n, program: minted.owner, slot: 1n };
    accounts.set(vault, tokenAccount(held));
  }
  return { pool: CLMM_POOL, mintA: MINT_0, mintB: MINT_1, accounts };
}

/** The liquidity of all positions around a tick. */
export function liquidityAt(positions: readonly Position[], tick: number): bigint {
  return positions
    .filter(({ lower, upper }) => lower <= tick && tick < upper)
    .reduce((sum, { liquidity }) => sum + liquidity, 0n);
}

/** The ticks that positions and orders initialise, ascending. */
export function ticksOf(
  positions: readonly Position[],
  orders: readonly RestingOrders[],
): readonly Tick[] {
  const ticks = new Map<number, Tick>();
  const change = (index: number, edit: (tick: Tick) => Tick) => {
    const empty = {
      tick: index,
      liquidityNet: 0n,
      liquidityGross: 0n,
      ordersAmount: 0n,
      partFilledOrdersRemaining: 0n,
    };
    ticks.set(index, edit(ticks.get(index) ?? empty));
  };
  for (const { lower, upper, liquidity } of positions) {
    for (const [index, net] of [
      [lower, liquidity],
      [upper, -liquidity],
    ] as const) {
      change(index, (tick) => ({
        ...tick,
        liquidityNet: tick.liquidityNet + net,
        liquidityGross: tick.liquidityGross + liquidity,
      }));
    }
  }
  for (const { tick: index, fresh, partFilled } of orders) {
    change(index, (tick) => ({
      ...tick,
      ordersAmount: fresh,
      partFilledOrdersRemaining: partFilled,
    }));
  }
  return [...ticks.values()].sort((a, b) => a.tick - b.tick);
}

const dynamicFee: fc.Arbitrary<DynamicFee> = fc.record({
  filterPeriod: fc.constant(30n),
  decayPeriod: fc.constant(600n),
  reductionFactor: fc.integer({ min: 1, max: 9999 }),
  control: fc.integer({ min: 1, max: 99_999 }),
  maxAccumulator: fc.integer({ min: 10_000, max: 600_000 }),
  indexReference: fc.integer({ min: -50, max: 50 }),
  volatilityReference: fc.integer({ min: 0, max: 10_000 }),
  accumulator: fc.integer({ min: 0, max: 10_000 }),
  lastUpdate: fc.bigInt({ min: 1_789_999_000n, max: 1_790_000_100n }),
});

const spread = fc.constantFrom(1, 10, 60, 120);

/** Pools of a few positions around a price, with or without dynamic fee, fee side and orders. */
export const clmmPools: fc.Arbitrary<ClmmFixture> = spread.chain((tickSpacing) =>
  fc
    .record({
      center: fc.integer({ min: -400, max: 400 }),
      within: fc.integer({ min: 0, max: tickSpacing * 8 }),
      positions: fc.array(
        fc.record({
          below: fc.integer({ min: 1, max: 90 }),
          above: fc.integer({ min: 1, max: 90 }),
          shift: fc.integer({ min: -60, max: 60 }),
          liquidity: fc.bigInt({ min: 1n, max: 1n << 50n }),
        }),
        { minLength: 1, maxLength: 6 },
      ),
      orders: fc.array(
        fc.record({
          offset: fc.integer({ min: -40, max: 40 }),
          fresh: fc.bigInt({ min: 0n, max: 1n << 34n }),
          partFilled: fc.bigInt({ min: 0n, max: 1n << 34n }),
        }),
        { maxLength: 3 },
      ),
      tradeFeePpm: fc.constantFrom(0, 100, 400, 2500, 10_000),
      feeOn: fc.constantFrom(0 as const, 1 as const, 2 as const),
      dynamicFee: fc.option(dynamicFee, { nil: null }),
    })
    .map(({ center, within, positions, orders, dynamicFee: fee, ...rest }) => {
      const middle = center * tickSpacing;
      const tick = middle + (within % tickSpacing);
      const low = sqrtPriceAtTick(tick);
      return {
        ...rest,
        tickSpacing,
        sqrtPriceX64: low + ((sqrtPriceAtTick(tick + 1) - low) * BigInt(within)) / 1000n,
        positions: positions.map(({ below, above, shift, liquidity }) => ({
          lower: middle + (shift - below) * tickSpacing,
          upper: middle + (shift + above) * tickSpacing,
          liquidity,
        })),
        orders: orders.map(({ offset, fresh, partFilled }) => ({
          tick: middle + offset * tickSpacing,
          fresh,
          partFilled,
        })),
        ...(fee === null ? {} : { dynamicFee: fee }),
      };
    }),
);

/**
 * A pool like a graduated coin's, 6 decimals against SOL: sixty ticks in four tick arrays below the
 * price, of which sales worth 0.5 to 50 SOL cross one to most.
 */
export const BENCHMARK_CLMM: ClmmFixture = {
  tickSpacing: 10,
  sqrtPriceX64: sqrtPriceAtTick(-62_150) + 12_345n,
  tradeFeePpm: 2_500,
  positions: [
    { lower: -66_000, upper: -58_000, liquidity: 8_000_000_000_000n },
    ...Array.from({ length: 60 }, (_, index) => ({
      lower: -62_160 - index * 40,
      upper: -61_800,
      liquidity: 31_000_000_000n + BigInt(index) * 7_919n,
    })),
  ],
};
