import { edited } from "#demo/byte-writer.ts";
import { dammV2PoolAccount } from "#demo/programs/meteora-damm-v2-accounts.ts";
import { binArrayAccount, pairAccount } from "#demo/programs/meteora-dlmm-accounts.ts";
import { orcaWhirlpoolProgram } from "#demo/programs/orca-whirlpool.ts";
import { ammPoolAccount } from "#demo/programs/raydium-amm-v4-accounts.ts";
import { cpmmConfigAccount, cpmmPoolAccount } from "#demo/programs/raydium-cpmm-accounts.ts";
import type { SeededRandom } from "#demo/seeded-random.ts";
import { tokenAccount } from "#demo/token-accounts.ts";
import { type Address, compareAddressBytes } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { ByteReader } from "#src/venues/byte-reader.ts";
import { amountA } from "#src/venues/meteora-damm-v2/curve.ts";
import type { DammToken, DammV2State } from "#src/venues/meteora-damm-v2/decode.ts";
import { POOL_AUTHORITY } from "#src/venues/meteora-damm-v2/layout.ts";
import { binArrayAddress } from "#src/venues/meteora-dlmm/accounts.ts";
import { binArrayIndex, binPrice } from "#src/venues/meteora-dlmm/bin-price.ts";
import type { DlmmParameters } from "#src/venues/meteora-dlmm/state.ts";
import { FIXED_TICK_ARRAY, WHIRLPOOL } from "#src/venues/orca-whirlpool/layout.ts";
import { tickArrayAddress } from "#src/venues/orca-whirlpool/tick-arrays.ts";
import { AUTHORITY as AMM_AUTHORITY } from "#src/venues/raydium-amm-v4/layout.ts";
import type { Clock } from "#src/venues/venue.ts";
import type { PlannedPool, PoolPlan } from "./pool-plan.ts";

export const PLAN_CLOCK: Clock = {
  slot: 450_000_000n,
  unixTimestamp: 1_790_000_000n,
  epoch: 1_041n,
};

/** Decimals of every token of a plan but SOL. */
export const DECIMALS = 6;
const Q64 = 2 ** 64;
/** DAMM v2's lowest price, as a Q64.64 square root. */
const SQRT_MIN_PRICE = 4_295_048_016n;
const MAX_BINS = 60;
const { slot: SLOT } = PLAN_CLOCK;

export type Writer = {
  readonly accounts: Map<Address, Account>;
  readonly random: SeededRandom;
  readonly baseMint: Address;
};

type Placed = { readonly plan: PoolPlan; readonly baseMint: Address; readonly quoteMint: Address };

/** Writes one pool's accounts; the mints and the clock are the caller's. */
export function writePool(writer: Writer, placed: Placed): PlannedPool {
  switch (placed.plan.venue) {
    case "raydium-amm-v4":
      return writeAmmV4(writer, placed);
    case "raydium-cpmm":
      return writeCpmm(writer, placed);
    case "meteora-damm-v2":
      return writeDammV2(writer, placed);
    case "meteora-dlmm":
      return writeDlmm(writer, placed);
    case "orca-whirlpool":
      return writeWhirlpool(writer, placed);
  }
}

/** Both reserves of a constant-product pool. */
function reservesOf({ sol, price }: PoolPlan): { readonly base: bigint; readonly quote: bigint } {
  const quote = units(sol * 1e9);
  return { base: units((sol * 1e9) / price), quote };
}

function units(amount: number): bigint {
  return BigInt(Math.max(1, Math.round(amount)));
}

function vault(
  { accounts, random }: Writer,
  mint: Address,
  owner: Address,
  amount: bigint,
): Address {
  const address = random.address();
  accounts.set(address, tokenAccount({ mint, owner, amount, slot: SLOT }));
  return address;
}

function writeAmmV4(writer: Writer, { plan, baseMint, quoteMint }: Placed): PlannedPool {
  const { accounts, random } = writer;
  const { base, quote } = reservesOf(plan);
  const address = random.address();
  const account = ammPoolAccount({
    coinVault: vault(writer, baseMint, AMM_AUTHORITY, base),
    pcVault: vault(writer, quoteMint, AMM_AUTHORITY, quote),
    coinMint: baseMint,
    pcMint: quoteMint,
    lpMint: random.address(),
    market: random.address(),
    marketProgram: random.address(),
    openOrders: random.address(),
    targetOrders: random.address(),
    owner: random.address(),
    coinDecimals: DECIMALS,
    pcDecimals: 9,
    lpAmount: 1_000_000_000n,
    openTime: PLAN_CLOCK.unixTimestamp - 1_000n,
    swapFeeNumerator: BigInt(Math.round(plan.feePct * 100)),
    swapFeeDenominator: 10_000n,
    status: 6,
    slot: SLOT,
  });
  accounts.set(address, account);
  return { venue: "raydium-amm-v4", address, baseMint, quoteMint };
}

function writeCpmm(writer: Writer, { plan, baseMint, quoteMint }: Placed): PlannedPool {
  const { accounts, random } = writer;
  const { base, quote } = reservesOf(plan);
  const address = random.address();
  const config = random.address();
  const creator = random.address();
  accounts.set(
    config,
    cpmmConfigAccount({
      index: 0,
      tradeFeeRate: BigInt(Math.round(plan.feePct * 10_000)),
      protocolFeeRate: 120_000n,
      fundFeeRate: 40_000n,
      creatorFeeRate: 0n,
      owner: creator,
      slot: SLOT,
    }),
  );
  const sides = [
    { mint: baseMint, vault: vault(writer, baseMint, creator, base) },
    { mint: quoteMint, vault: vault(writer, quoteMint, creator, quote) },
  ].toSorted((a, b) => compareAddressBytes(a.mint, b.mint));
  const [side0, side1] = sides;
  if (side0 === undefined || side1 === undefined) throw new RangeError("two sides");
  accounts.set(
    address,
    cpmmPoolAccount({
      config,
      creator,
      vault0: side0.vault,
      vault1: side1.vault,
      mint0: side0.mint,
      mint1: side1.mint,
      lpMint: random.address(),
      observation: random.address(),
      decimals0: DECIMALS,
      decimals1: 9,
      lpSupply: 1_000_000_000n,
      openTime: PLAN_CLOCK.unixTimestamp - 1_000n,
      epoch: PLAN_CLOCK.epoch,
      creatorFeeOn: 0,
      isCreatorFeeEnabled: false,
      slot: SLOT,
    }),
  );
  return { venue: "raydium-cpmm", address, baseMint, quoteMint };
}

function sqrtPriceOf(price: number): bigint {
  return BigInt(Math.round(Math.sqrt(price) * Q64));
}

/** A pool with one range below the spot price, and one above it if the pool also sells. */
function writeDammV2(writer: Writer, { plan, baseMint, quoteMint }: Placed): PlannedPool {
  const { accounts, random } = writer;
  const quote = units(plan.sol * 1e9);
  const sqrtPrice = sqrtPriceOf(plan.price);
  const isWide = plan.range >= 1;
  const sqrtMinPrice = isWide ? SQRT_MIN_PRICE : sqrtPriceOf(plan.price * (1 - plan.range));
  const top = isWide ? plan.price * 1e6 : plan.price / (1 - plan.range);
  const sqrtMaxPrice = plan.sells ? sqrtPriceOf(top) : sqrtPrice;
  const liquidity = (quote << 128n) / maxOne(sqrtPrice - sqrtMinPrice);
  const base = plan.sells
    ? amountA(liquidity, sqrtPrice, maxOf(sqrtMaxPrice, sqrtPrice + 1n), "up")
    : 0n;
  const address = random.address();
  const token = (mint: Address, reserve: bigint): DammToken => ({
    mint,
    vaultAmount: reserve,
    reserve,
    protocolFee: 0n,
    transferFee: null,
    isStuck: false,
    hasHook: false,
  });
  const { unixTimestamp } = PLAN_CLOCK;
  const state: DammV2State = {
    tokenA: token(baseMint, base),
    tokenB: token(quoteMint, quote),
    liquidity,
    sqrtMinPrice,
    sqrtMaxPrice: maxOf(sqrtMaxPrice, sqrtPrice),
    sqrtPrice,
    initSqrtPrice: sqrtPrice,
    activationPoint: plan.opensLater ? unixTimestamp + 86_400n : unixTimestamp - 1_000n,
    activationType: "time",
    isEnabled: true,
    collectFeeMode: "only-b",
    maxFeeNumerator: 990_000_000n,
    baseFee: {
      kind: "time-linear",
      cliffFeeNumerator: BigInt(Math.min(990_000_000, Math.round(plan.feePct * 1e7))),
      periods: 0n,
      periodFrequency: 0n,
      reductionFactor: 0n,
    },
    dynamicFee: null,
    protocolFeePercent: 20n,
    compoundingFeeBps: 0n,
  };
  const account = dammV2PoolAccount(state, {
    vaultA: vault(writer, baseMint, POOL_AUTHORITY, base),
    vaultB: vault(writer, quoteMint, POOL_AUTHORITY, quote),
    creator: random.address(),
    isExtendedA: false,
    isExtendedB: false,
    slot: SLOT,
  });
  accounts.set(address, account);
  return { venue: "meteora-damm-v2", address, baseMint, quoteMint };
}

function maxOne(value: bigint): bigint {
  return maxOf(value, 1n);
}

function maxOf(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** A pool with equal bins below the spot price, at most sixty, and the same above it if the pool also sells. */
function writeDlmm(writer: Writer, { plan, baseMint, quoteMint }: Placed): PlannedPool {
  const { accounts, random } = writer;
  const wanted = -Math.log(1 - Math.min(plan.range, 0.999));
  const binStep = Math.min(400, Math.max(1, Math.ceil((wanted / MAX_BINS) * 10_000)));
  const step = Math.log1p(binStep / 10_000);
  const count = Math.max(1, Math.min(MAX_BINS, Math.round(wanted / step)));
  const activeId = Math.round(Math.log(plan.price) / step);
  const each = units((plan.sol * 1e9) / count);
  const bins = Array.from({ length: plan.sells ? 2 * count : count }, (_, place) => {
    const id = place < count ? activeId - place : activeId + 1 + place - count;
    const isBid = place < count;
    const unitPrice = Math.exp(id * step);
    return {
      id,
      amountX: isBid ? 0n : units(Number(each) / unitPrice),
      amountY: isBid ? each : 0n,
      liquiditySupply: 0n,
      price: binPrice(id, binStep),
      orders: { isAskSide: false, processedRemaining: 0n, open: 0n },
    };
  });
  const address = random.address();
  const arrays = [...new Set(bins.map(({ id }) => binArrayIndex(id)))];
  const heldX = bins.reduce((sum, { amountX }) => sum + amountX, 0n);
  const heldY = bins.reduce((sum, { amountY }) => sum + amountY, 0n);
  const parameters: DlmmParameters = {
    binStep,
    // The base fee is baseFactor * binStep * 10 / 10^9, of at most 10 %.
    baseFactor: Math.min(65_535, Math.round((Math.min(plan.feePct, 10) * 1e6) / binStep)),
    baseFeePowerFactor: 0,
    variableFeeControl: 0,
    maxVolatilityAccumulator: 0,
    filterPeriod: 30,
    decayPeriod: 600,
    reductionFactorBps: 5_000,
    protocolShareBps: 500,
    hasLimitOrders: false,
    collectsOnlyY: false,
  };
  const account = pairAccount(
    {
      parameters,
      mintX: baseMint,
      mintY: quoteMint,
      reserveX: vault(writer, baseMint, address, heldX),
      reserveY: vault(writer, quoteMint, address, heldY),
      oracle: random.address(),
      creator: random.address(),
      arrays,
      slot: SLOT,
    },
    {
      isEnabled: true,
      protocolFeeX: 0n,
      protocolFeeY: 0n,
      volatility: {
        accumulator: 0,
        reference: 0,
        indexReference: activeId,
        lastUpdateTimestamp: 0n,
      },
      activeId,
    },
  );
  accounts.set(address, account);
  for (const index of arrays) {
    const array = { pair: address, index, version: 2, slot: SLOT };
    accounts.set(binArrayAddress(address, index), binArrayAccount(array, bins));
  }
  return { venue: "meteora-dlmm", address, baseMint, quoteMint };
}

/** A pool over all prices, as the demo market's program opens it, at an address of its own. */
function writeWhirlpool(writer: Writer, { plan, baseMint, quoteMint }: Placed): PlannedPool {
  const { accounts, random } = writer;
  const { base, quote } = reservesOf(plan);
  const created = orcaWhirlpoolProgram.createPool(
    { get: (address) => accounts.get(address) ?? null },
    {
      baseMint,
      quoteMint,
      baseAmount: base,
      quoteAmount: quote,
      creator: random.address(),
      clock: PLAN_CLOCK,
      freshAddress: () => random.address(),
    },
  );
  const pool = random.address();
  for (const [address, account] of created.changes) {
    if (account === null) continue;
    if (address === created.pool) {
      const priced = edited(account, SLOT, (bytes) =>
        bytes.u16(WHIRLPOOL.feeRate, Math.round(plan.feePct * 10_000)),
      );
      accounts.set(pool, priced);
    } else if (account.data.length === FIXED_TICK_ARRAY.length) {
      const start = new ByteReader(account.data).i32(FIXED_TICK_ARRAY.startTickIndex);
      const moved = edited(account, SLOT, (bytes) =>
        bytes.address(FIXED_TICK_ARRAY.whirlpool, pool),
      );
      accounts.set(tickArrayAddress({ pool, programId: moved.owner }, start), moved);
    } else accounts.set(address, account);
  }
  return { venue: "orca-whirlpool", address: pool, baseMint, quoteMint };
}
