import type { Address } from "#src/units/address.ts";
import { minBigint } from "#src/units/integer.ts";
import { TOKEN_2022_PROGRAM } from "#src/units/known-addresses.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import { discriminator } from "#src/venues/byte-reader.ts";
import { squareRootFloor } from "#src/venues/curves/constant-product.ts";
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
import type { Clock } from "#src/venues/venue.ts";
import { emitEventCalls } from "../anchor-event.ts";
import { ByteWriter } from "../byte-writer.ts";
import { FieldWriter } from "../field-writer.ts";
import type {
  AccountChanges,
  MarketProgram,
  NewPool,
  Trade,
  TradeResult,
} from "../market-program.ts";
import { tokenAccount } from "../token-accounts.ts";
import { dammV2PoolAccount, movedDammV2Pool } from "./meteora-damm-v2-accounts.ts";
import { firstPosition, movedFirstPosition } from "./meteora-damm-v2-positions.ts";
import { missingMint, tokenAmounts, tradedMint } from "./traded-mint.ts";

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

/** The pool of the 1 % configuration where that is free, else one at another address. */
function createPool(
  known: AccountSet,
  { baseMint, quoteMint, baseAmount, quoteAmount, creator, takers, clock, freshAddress }: NewPool,
): { readonly pool: Address; readonly changes: AccountChanges } {
  const { slot } = clock;
  const standard = configuredPool(STANDARD_CONFIG, baseMint, quoteMint);
  const pool = known.get(standard) ? freshAddress() : standard;
  const vaultA = vaultAddress(pool, baseMint);
  const vaultB = vaultAddress(pool, quoteMint);
  const state = openingState({ baseMint, quoteMint, baseAmount, quoteAmount, clock });
  const programs = [tradedMint(known, baseMint).program, tradedMint(known, quoteMint).program];
  const [programA, programB] = programs;
  const account = dammV2PoolAccount(state, {
    vaultA,
    vaultB,
    creator,
    isExtendedA: programA === TOKEN_2022_PROGRAM,
    isExtendedB: programB === TOKEN_2022_PROGRAM,
    slot,
  });
  const vault = (token: DammToken, program: Address | undefined) =>
    tokenAccount({
      mint: token.mint,
      owner: POOL_AUTHORITY,
      amount: token.reserve,
      ...(program === undefined ? {} : { program }),
      slot,
    });
  return {
    pool,
    changes: new Map([
      ...missingMint(known, baseMint, baseAmount, slot),
      [pool, account],
      [vaultA, vault(state.tokenA, programA)],
      [vaultB, vault(state.tokenB, programB)],
      ...firstPosition({
        pool,
        owner: creator,
        liquidity: state.liquidity,
        // What others get of shares is locked in a position.
        lockedBps: takers?.reduce((sum, { bps }) => sum + bps, 0) ?? 0,
        slot,
      }),
    ]),
  };
}

function vaultAddress(pool: Address, mint: Address): Address {
  return findProgramAddress(["token_vault", { address: mint }, { address: pool }], PROGRAM_ID);
}

type Opening = Pick<NewPool, "baseMint" | "quoteMint" | "baseAmount" | "quoteAmount" | "clock">;

/** A is the base token. What the range can't take of the two amounts stays with the creator. */
function openingState(opening: Opening): DammV2State {
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

function swap(known: AccountSet, trade: Trade): TradeResult {
  const addresses = poolAddresses(trade.pool, known);
  const decoded = meteoraDammV2.decode(trade.pool, known);
  if (addresses === null || decoded.kind === "unusable") {
    return { kind: "refused", reason: decoded.kind === "unusable" ? decoded.detail : "no pool" };
  }
  const result = swapExactIn(decoded.state, trade);
  if (result.kind === "unfillable") return { kind: "refused", reason: result.reason };
  const { pool, amountIn, clock } = trade;
  return {
    kind: "done",
    changes: poolChanges(known, { pool, addresses, state: result.after, clock }),
    amountOut: result.swap.received,
    instructionAccounts: instructionAccounts(trade, addresses),
    instructionData: new FieldWriter().raw(SWAP_2).u64(amountIn, 0n).u8(EXACT_IN).bytes(),
    ...emitEventCalls(PROGRAM_ID, "Swap2", [swapEvent(trade, result.swap, result.after)]),
  };
}

/** The accounts up to the trader; the trader stands for its token accounts. */
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

type Moved = {
  readonly pool: Address;
  readonly addresses: DammV2Addresses;
  readonly state: DammV2State;
  readonly clock: Clock;
};

function poolChanges(known: AccountSet, moved: Moved): AccountChanges {
  const { pool, addresses, state, clock } = moved;
  const account = known.get(pool);
  return new Map([
    ...(account ? ([[pool, movedDammV2Pool(account, state, clock.slot)]] as const) : []),
    ...tokenAmounts(
      known,
      [
        [addresses.vaultA, state.tokenA.vaultAmount ?? 0n],
        [addresses.vaultB, state.tokenB.vaultAmount ?? 0n],
      ],
      clock.slot,
    ),
  ]);
}

/** Positions over the pool's whole range leave or join at the price as it stands. */
function changeLiquidity(
  known: AccountSet,
  pool: Address,
  shareBps: number,
  clock: Clock,
): AccountChanges | null {
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
}

function setFee(
  known: AccountSet,
  pool: Address,
  feePpm: number,
  clock: Clock,
): AccountChanges | null {
  return edited(known, pool, clock, (writer) =>
    writer.u64(POOL.cliffFeeNumerator, BigInt(feePpm) * 1_000n),
  );
}

function setPaused(
  known: AccountSet,
  pool: Address,
  isPaused: boolean,
  clock: Clock,
): AccountChanges | null {
  return edited(known, pool, clock, (writer) => writer.u8(POOL.poolStatus, isPaused ? 1 : 0));
}

function edited(
  known: AccountSet,
  pool: Address,
  { slot }: Clock,
  edit: (writer: ByteWriter) => ByteWriter,
): AccountChanges | null {
  const account = known.get(pool);
  if (!account || poolAddresses(pool, known) === null) return null;
  const { bytes } = edit(new ByteWriter(account.data.slice()));
  return new Map([[pool, { ...account, data: bytes, slot }]]);
}
