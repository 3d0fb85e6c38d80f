import type { AccountChanges } from "#src/node/ledger.ts";
import type { Address } from "#src/units/address.ts";
import { minBigint } from "#src/units/integer.ts";
import { TOKEN_2022_PROGRAM } from "#src/units/known-addresses.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import { discriminator } from "#src/venues/byte-reader.ts";
import { configuredPool, meteoraDammV2 } from "#src/venues/meteora-damm-v2/adapter.ts";
import { amountA, amountB } from "#src/venues/meteora-damm-v2/curve.ts";
import {
  COLLECT_FEE_MODES,
  type DammToken,
  type DammV2Addresses,
  type DammV2State,
  type DynamicFee,
  poolAddresses,
} from "#src/venues/meteora-damm-v2/decode.ts";
import {
  GRADUATION_CONFIGS,
  POOL,
  POOL_AUTHORITY,
  PROGRAM_ID,
} from "#src/venues/meteora-damm-v2/layout.ts";
import { type Swap, swapExactIn } from "#src/venues/meteora-damm-v2/quote.ts";
import { squareRootFloor } from "#src/venues/shared/curves/constant-product.ts";
import { emitEventCalls } from "../anchor-event.ts";
import { FieldWriter } from "../field-writer.ts";
import type { MarketProgram, NewPool, Trade } from "../market-program.ts";
import { dammV2PoolAccount, writeDammV2Changes } from "./meteora-damm-v2-accounts.ts";
import { firstPosition, movedFirstPosition } from "./meteora-damm-v2-positions.ts";
import {
  type ChangeLiquidity,
  type CreatePool,
  editStored,
  missingMint,
  newVaults,
  type PoolUpdate,
  type SetFee,
  type SetPaused,
  swapWith,
  tokenAmounts,
  tradedMint,
} from "./pool-program.ts";

const STANDARD_CONFIG = GRADUATION_CONFIGS[2];
const SQRT_MIN_PRICE = 4_295_048_016n;
const SQRT_MAX_PRICE = 79_226_673_521_066_979_257_578_248_091n;

const SWAP_2 = discriminator("414b3f4ceb5b5b88");
const EVT_SWAP_2 = discriminator("bd4233a826507599");
const EXACT_IN = 0;

/** The dynamic fee that pools get by default: over bins of one basis point. */
const DYNAMIC_FEE: Omit<DynamicFee, "lastUpdateTimestamp" | "sqrtPriceReference"> = {
  maxVolatilityAccumulator: 14_460_000n,
  variableFeeControl: 956n,
  binStep: 1n,
  filterPeriod: 10n,
  decayPeriod: 120n,
  reductionFactor: 5_000n,
  binStepQ64: 1_844_674_407_370_955n,
  volatilityAccumulator: 0n,
  volatilityReference: 0n,
};

/** Creates the pool of the 1 % configuration, or one at a fresh address if that pool exists. */
const createPool: CreatePool = (known, opening) => {
  const { baseMint, quoteMint, baseAmount, creator, takers, clock } = opening;
  const { slot } = clock;
  const standard = configuredPool(STANDARD_CONFIG, baseMint, quoteMint);
  const pool = known.get(standard) ? opening.freshAddress() : standard;
  const vaultA = vaultAddress(pool, baseMint);
  const vaultB = vaultAddress(pool, quoteMint);
  const state = openingState(opening);
  const isExtended = (mint: Address) => tradedMint(known, mint).program === TOKEN_2022_PROGRAM;
  const account = dammV2PoolAccount(state, {
    vaultA,
    vaultB,
    creator,
    isExtendedA: isExtended(baseMint),
    isExtendedB: isExtended(quoteMint),
    slot,
  });
  const vaults = [
    { vault: vaultA, mint: baseMint, amount: state.tokenA.reserve },
    { vault: vaultB, mint: quoteMint, amount: state.tokenB.reserve },
  ];
  return {
    pool,
    changes: new Map([
      ...missingMint(known, baseMint, baseAmount, slot),
      [pool, account],
      ...newVaults(known, vaults, POOL_AUTHORITY, slot),
      ...firstPosition({
        pool,
        owner: creator,
        liquidity: state.liquidity,
        // The shares of others are locked in a position.
        lockedBps: takers?.reduce((sum, { bps }) => sum + bps, 0) ?? 0,
        slot,
      }),
    ]),
  };
};

function vaultAddress(pool: Address, mint: Address): Address {
  return findProgramAddress(["token_vault", { address: mint }, { address: pool }], PROGRAM_ID);
}

/** A is the base token. The part of the deposits that does not fit the range stays with the creator. */
function openingState(opening: NewPool): DammV2State {
  const { baseAmount, quoteAmount, clock } = opening;
  const sqrtPrice = squareRootFloor((quoteAmount << 128n) / baseAmount);
  const liquidity = minBigint(
    (baseAmount * sqrtPrice * SQRT_MAX_PRICE) / (SQRT_MAX_PRICE - sqrtPrice),
    (quoteAmount << 128n) / (sqrtPrice - SQRT_MIN_PRICE),
  );
  const token = (mint: Address, reserve: bigint): DammToken => ({
    mint,
    vaultAmount: reserve,
    reserve,
    protocolFee: 0n,
    transferFee: null,
    isStuck: false,
    hasHook: false,
  });
  const { unixTimestamp } = clock;
  return {
    tokenA: token(opening.baseMint, amountA(liquidity, sqrtPrice, SQRT_MAX_PRICE, "up")),
    tokenB: token(opening.quoteMint, amountB(liquidity, SQRT_MIN_PRICE, sqrtPrice, "up")),
    liquidity,
    sqrtMinPrice: SQRT_MIN_PRICE,
    sqrtMaxPrice: SQRT_MAX_PRICE,
    sqrtPrice,
    initSqrtPrice: sqrtPrice,
    activationPoint: unixTimestamp,
    activationType: "time",
    isEnabled: true,
    collectFeeMode: "only-b",
    maxFeeNumerator: 990_000_000n,
    baseFee: {
      kind: "time-linear",
      cliffFeeNumerator: 10_000_000n,
      periods: 0n,
      periodFrequency: 0n,
      reductionFactor: 0n,
    },
    dynamicFee: {
      ...DYNAMIC_FEE,
      lastUpdateTimestamp: unixTimestamp,
      sqrtPriceReference: sqrtPrice,
    },
    protocolFeePercent: 20n,
    compoundingFeeBps: 0n,
  };
}

const swap = swapWith({
  venue: meteoraDammV2,
  readPool: poolAddresses,
  quote: swapExactIn,
  perform: ({ known, trade, pool: addresses, quote }) => ({
    changes: poolChanges(known, { ...trade, addresses, state: quote.after }),
    amountOut: quote.swap.received,
    instructionAccounts: instructionAccounts(trade, addresses),
    instructionData: new FieldWriter().raw(SWAP_2).u64(trade.amountIn, 0n).u8(EXACT_IN).bytes(),
    ...emitEventCalls(PROGRAM_ID, [swapEvent(trade, quote.swap, quote.after)]),
  }),
});

/** The accounts up to the trader; the trader's address replaces its token accounts. */
function instructionAccounts(trade: Trade, addresses: DammV2Addresses): readonly Address[] {
  const { pool, user } = trade;
  const { vaultA, vaultB, mintA, mintB } = addresses;
  return [POOL_AUTHORITY, pool, user, user, vaultA, vaultB, mintA, mintB, user];
}

/** EvtSwap2: 188 bytes, of which 180 follow the discriminator. */
function swapEvent(trade: Trade, swapped: Swap, after: DammV2State): Uint8Array {
  const { amountIn, pool, clock } = trade;
  return new FieldWriter()
    .raw(EVT_SWAP_2)
    .address(pool)
    .u8(swapped.isAToB ? 0 : 1)
    .u8(COLLECT_FEE_MODES.indexOf(after.collectFeeMode))
    .bool(false)
    .u64(amountIn, 0n)
    .u8(EXACT_IN)
    .u64(swapped.included, swapped.excluded, 0n, swapped.output)
    .u64(BigInt.asUintN(64, after.sqrtPrice), after.sqrtPrice >> 64n)
    .u64(swapped.claimingFee, swapped.protocolFee, swapped.compoundingFee, 0n)
    .u64(amountIn, swapped.output, swapped.received)
    .u64(clock.unixTimestamp, after.tokenA.reserve, after.tokenB.reserve)
    .bytes();
}

function poolChanges(
  known: AccountSet,
  { pool, addresses, state, clock }: PoolUpdate<DammV2Addresses, DammV2State>,
): AccountChanges {
  return new Map([
    ...(editStored(known, pool, clock, (writer) => writeDammV2Changes(writer, state)) ?? []),
    ...tokenAmounts(
      known,
      [
        [addresses.vaultA, state.tokenA.vaultAmount],
        [addresses.vaultB, state.tokenB.vaultAmount],
      ],
      clock.slot,
    ),
  ]);
}

/** Positions over the whole range leave or join at the current price. */
const changeLiquidity: ChangeLiquidity = (known, pool, shareBps, clock) => {
  const addresses = poolAddresses(pool, known);
  const decoded = meteoraDammV2.decode(pool, known);
  if (addresses === null || decoded.kind === "unusable") return null;
  const { state } = decoded;
  if (state.collectFeeMode === "compounding") return null;
  const isLeaving = shareBps > 0;
  const delta = (state.liquidity * BigInt(Math.abs(shareBps))) / 10_000n;
  const rounding = isLeaving ? "down" : "up";
  const { sqrtPrice, sqrtMinPrice, sqrtMaxPrice } = state;
  const moved = (token: DammToken, amount: bigint): DammToken => {
    const change = isLeaving ? -minBigint(amount, token.reserve) : amount;
    return {
      ...token,
      reserve: token.reserve + change,
      vaultAmount: (token.vaultAmount ?? 0n) + change,
    };
  };
  const after: DammV2State = {
    ...state,
    liquidity: isLeaving ? state.liquidity - delta : state.liquidity + delta,
    tokenA: moved(state.tokenA, amountA(delta, sqrtPrice, sqrtMaxPrice, rounding)),
    tokenB: moved(state.tokenB, amountB(delta, sqrtMinPrice, sqrtPrice, rounding)),
  };
  return new Map([
    ...poolChanges(known, { pool, addresses, state: after, clock }),
    ...movedFirstPosition(known, pool, after.liquidity - state.liquidity, clock.slot),
  ]);
};

const setFee: SetFee = (known, pool, feePpm, clock) =>
  editStored(known, pool, clock, (writer) =>
    writer.u64(POOL.cliffFeeNumerator, BigInt(feePpm) * 1_000n),
  );

const setPaused: SetPaused = (known, pool, isPaused, clock) =>
  editStored(known, pool, clock, (writer) => writer.u8(POOL.poolStatus, isPaused ? 1 : 0));

/** DAMM v2 in the demo market: pools over the whole price range, 1 % and a dynamic fee. */
export const meteoraDammV2Program: MarketProgram = {
  venue: "meteora-damm-v2",
  setup: () => new Map(),
  createPool,
  swap,
  changeLiquidity,
  setFee,
  setPaused,
};
