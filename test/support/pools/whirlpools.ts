import fc from "fast-check";
import type { LiquidityTick } from "#demo/concentrated-positions.ts";
import {
  dynamicTickArrayAccount,
  fixedTickArrayAccount,
  oracleAccount,
  whirlpoolAccount,
} from "#demo/programs/orca-whirlpool-accounts.ts";
import { mintAccount, tokenAccount } from "#demo/token-accounts.ts";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { AdaptiveFee } from "#src/venues/orca-whirlpool/adaptive-fee.ts";
import { UPGRADEABLE } from "#src/venues/orca-whirlpool/layout.ts";
import { oracleAddress, tickArrayAddress } from "#src/venues/orca-whirlpool/tick-arrays.ts";
import { sqrtPriceAtTick, tickAtSqrtPrice } from "#src/venues/orca-whirlpool/tick-math.ts";
import { arrayStarts, ticksPerArray } from "#src/venues/orca-whirlpool/tick-sequence.ts";
import { DIRECTIONS } from "#src/venues/shared/curves/direction.ts";
import type { TransferFeeSchedule } from "#src/venues/shared/token/transfer-fee.ts";
import { liquidityAt, type Position, ticksOf } from "#test/support/pools/clmm-pools.ts";
import { type PoolFixture, testAddress } from "#test/support/pools/raydium-pools.ts";

const WHIRLPOOL_ADDRESS = testAddress(21);
const MINT_A = testAddress(22);
const MINT_B = testAddress(23);
const VAULT_A = testAddress(24);
const VAULT_B = testAddress(25);
const OTHER = testAddress(27);

export type WhirlpoolFixture = {
  /** Default: the upgradeable deployment. */
  readonly programId?: Address;
  /** Default: a token of no interest. */
  readonly mintB?: Address;
  readonly tickSpacing: number;
  readonly sqrtPriceX64: bigint;
  readonly positions: readonly Position[];
  readonly feeRatePpm?: number;
  readonly adaptiveFee?: AdaptiveFee;
  readonly tradeEnableTimestamp?: bigint;
  readonly arrayKind?: "fixed" | "dynamic";
  readonly transferFeeA?: TransferFeeSchedule;
  readonly transferFeeB?: TransferFeeSchedule;
};

/** A Whirlpool; 3000 ppm, static, fixed arrays unless overridden. Arrays without ticks are null. */
export function whirlpoolFixture(fields: WhirlpoolFixture): PoolFixture & {
  readonly known: Map<Address, Account | null>;
} {
  const { tickSpacing, programId = UPGRADEABLE.programId, mintB = MINT_B } = fields;
  const at = { pool: WHIRLPOOL_ADDRESS, programId };
  const tickCurrent = tickAtSqrtPrice(fields.sqrtPriceX64);
  const pool = whirlpoolAccount({
    programId,
    config: OTHER,
    mintA: MINT_A,
    mintB,
    vaultA: VAULT_A,
    vaultB: VAULT_B,
    tickSpacing,
    feeTierIndex: fields.adaptiveFee === undefined ? tickSpacing : 1024,
    feeRatePpm: fields.feeRatePpm ?? 3000,
    protocolFeeRate: 1300,
    liquidity: liquidityAt(fields.positions, tickCurrent),
    sqrtPriceX64: fields.sqrtPriceX64,
    tickCurrent,
    slot: 1n,
  });
  const accounts = new Map<Address, Account>([[WHIRLPOOL_ADDRESS, pool]]);
  for (const [start, ticks] of ticksByArray(fields)) {
    const array = { ...at, start, tickSpacing, ticks, slot: 1n };
    const make = fields.arrayKind === "dynamic" ? dynamicTickArrayAccount : fixedTickArrayAccount;
    accounts.set(tickArrayAddress(at, start), make(array));
  }
  if (fields.adaptiveFee !== undefined) {
    const oracle = oracleAccount({
      ...at,
      tradeEnableTimestamp: fields.tradeEnableTimestamp ?? 0n,
      fee: fields.adaptiveFee,
      slot: 1n,
    });
    accounts.set(oracleAddress(at), oracle);
  }
  for (const [mint, vault, transferFee] of [
    [MINT_A, VAULT_A, fields.transferFeeA],
    [mintB, VAULT_B, fields.transferFeeB],
  ] as const) {
    const minted = mintAccount({
      supply: 1n << 63n,
      decimals: 6,
      ...(transferFee === undefined ? {} : { transferFee }),
      slot: 1n,
    });
    accounts.set(mint, minted);
    const held = { mint, owner: OTHER, amount: 1n << 62n, program: minted.owner, slot: 1n };
    accounts.set(vault, tokenAccount(held));
  }
  const known = new Map<Address, Account | null>(accounts);
  for (const direction of DIRECTIONS) {
    for (const start of arrayStarts(tickCurrent, tickSpacing, direction)) {
      const address = tickArrayAddress(at, start);
      if (!known.has(address)) known.set(address, null);
    }
  }
  return { pool: WHIRLPOOL_ADDRESS, mintA: MINT_A, mintB, accounts, known };
}

function ticksByArray(fields: WhirlpoolFixture): ReadonlyMap<number, readonly LiquidityTick[]> {
  const span = ticksPerArray(fields.tickSpacing);
  const arrays = new Map<number, LiquidityTick[]>();
  for (const tick of ticksOf(fields.positions, [])) {
    const start = Math.floor(tick.tick / span) * span;
    arrays.set(start, [...(arrays.get(start) ?? []), tick]);
  }
  return arrays;
}

const adaptiveFee = (tickSpacing: number): fc.Arbitrary<AdaptiveFee> =>
  fc.record({
    filterPeriod: fc.constant(30n),
    decayPeriod: fc.constant(600n),
    reductionFactor: fc.integer({ min: 1, max: 9999 }),
    controlFactor: fc.integer({ min: 0, max: 99_999 }),
    maxAccumulator: fc.integer({ min: 20_000, max: 600_000 }),
    groupSize: fc.constantFrom(tickSpacing, tickSpacing % 2 === 0 ? tickSpacing / 2 : tickSpacing),
    majorSwapThresholdTicks: fc.integer({ min: 1, max: 500 }),
    lastReferenceUpdate: fc.bigInt({ min: 1_789_995_000n, max: 1_790_000_000n }),
    lastMajorSwap: fc.bigInt({ min: 1_789_995_000n, max: 1_790_000_000n }),
    volatilityReference: fc.integer({ min: 0, max: 10_000 }),
    groupReference: fc.integer({ min: -50, max: 50 }),
    accumulator: fc.integer({ min: 0, max: 10_000 }),
  });

/** Pools of a few positions around a price, with or without an adaptive fee, of both array kinds. */
export const whirlpools: fc.Arbitrary<WhirlpoolFixture> = fc
  .constantFrom(1, 8, 64, 128)
  .chain((tickSpacing) =>
    fc
      .record({
        center: fc.integer({ min: -400, max: 400 }),
        within: fc.integer({ min: 0, max: tickSpacing * 8 }),
        positions: fc.array(
          fc.record({
            below: fc.integer({ min: 1, max: 120 }),
            above: fc.integer({ min: 1, max: 120 }),
            shift: fc.integer({ min: -60, max: 60 }),
            liquidity: fc.bigInt({ min: 1n, max: 1n << 50n }),
          }),
          { minLength: 1, maxLength: 6 },
        ),
        feeRatePpm: fc.constantFrom(0, 100, 500, 3000, 10_000),
        arrayKind: fc.constantFrom("fixed" as const, "dynamic" as const),
        fee: fc.option(adaptiveFee(tickSpacing), { nil: null }),
      })
      .map(({ center, within, positions, fee, ...rest }) => {
        const middle = center * tickSpacing;
        const tick = middle + (within % tickSpacing);
        const low = sqrtPriceAtTick(tick);
        return {
          ...rest,
          tickSpacing,
          sqrtPriceX64: low + ((sqrtPriceAtTick(tick + 1) - low) * BigInt(within)) / 1100n,
          positions: positions.map(({ below, above, shift, liquidity }) => ({
            lower: middle + (shift - below) * tickSpacing,
            upper: middle + (shift + above) * tickSpacing,
            liquidity,
          })),
          ...(fee === null ? {} : { adaptiveFee: fee }),
        };
      }),
  );

/**
 * A pool like a listed coin's, 6 decimals against SOL: sixty ticks in three tick arrays below the
 * price, of which sales worth 0.5 to 50 SOL cross one to most.
 */
export const BENCHMARK_WHIRLPOOL: WhirlpoolFixture = {
  tickSpacing: 16,
  sqrtPriceX64: sqrtPriceAtTick(-62_150) + 12_345n,
  feeRatePpm: 3_000,
  positions: [
    { lower: -70_400, upper: -54_400, liquidity: 8_000_000_000_000n },
    ...Array.from({ length: 60 }, (_, index) => ({
      lower: -62_160 - index * 48,
      upper: -61_808,
      liquidity: 31_000_000_000n + BigInt(index) * 7_919n,
    })),
  ],
};
