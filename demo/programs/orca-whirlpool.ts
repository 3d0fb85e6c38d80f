import type { AccountChanges } from "#src/node/ledger.ts";
import type { Address } from "#src/units/address.ts";
import { mulDivFloor } from "#src/units/integer.ts";
import { TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import { findProgramAddress, u16LeSeed } from "#src/units/program-address.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import { ByteReader, discriminator } from "#src/venues/byte-reader.ts";
import { orcaWhirlpool, orcaWhirlpoolImmutable } from "#src/venues/orca-whirlpool/adapter.ts";
import { type PoolHeader, readPoolHeader } from "#src/venues/orca-whirlpool/decode.ts";
import {
  FIXED_TICK,
  FIXED_TICK_ARRAY,
  IMMUTABLE,
  positionLayout,
  TICKS_PER_ARRAY,
  UPGRADEABLE,
  WHIRLPOOL,
  type WhirlpoolDeployment,
} from "#src/venues/orca-whirlpool/layout.ts";
import type { WhirlpoolState } from "#src/venues/orca-whirlpool/pool-state.ts";
import { quoteExactIn } from "#src/venues/orca-whirlpool/quote.ts";
import {
  oracleAddress,
  type PoolOf,
  tickArrayAddress,
} from "#src/venues/orca-whirlpool/tick-arrays.ts";
import {
  MAX_TICK,
  MIN_TICK,
  sqrtPriceAtTick,
  tickAtSqrtPrice,
} from "#src/venues/orca-whirlpool/tick-math.ts";
import { arrayStarts, ticksPerArray } from "#src/venues/orca-whirlpool/tick-sequence.ts";
import type { TickQuote } from "#src/venues/shared/tick-pool.ts";
import { transferFee } from "#src/venues/shared/token/transfer-fee.ts";
import type { Venue } from "#src/venues/venue.ts";
import { logEvents } from "../anchor-event.ts";
import {
  type LiquidityTick,
  liquidityAtTick,
  openingLiquidity,
  scaleLiquidity,
} from "../concentrated-positions.ts";
import { FieldWriter } from "../field-writer.ts";
import type { MarketProgram, NewPool, OpenedPool, Trade } from "../market-program.ts";
import { changedPositions, nestedPositions } from "../nested-positions.ts";
import { fixedTickArrayAccount, whirlpoolAccount, writePrice } from "./orca-whirlpool-accounts.ts";
import {
  type AccountEntry,
  type ChangeLiquidity,
  editStored,
  missingMint,
  newVaults,
  type SetFee,
  sortedSides,
  swapWith,
  tokenAmounts,
  vaultsWithoutShare,
} from "./pool-program.ts";

const TICK_SPACING = 64;
const FEE_RATE_PPM = 3_000;
/** Of 10,000 of the fee. */
const PROTOCOL_FEE_RATE = 1_300;

const SWAP_V2 = discriminator("2b04ed0b1ac91e62");
const TRADED_EVENT = discriminator("e1ca49af932ba096");

function createPool(
  { programId, config }: WhirlpoolDeployment,
  known: AccountSet,
  opening: NewPool,
): OpenedPool {
  const { baseMint, baseAmount, creator, clock, freshAddress } = opening;
  const { slot } = clock;
  const [a, b] = sortedSides(opening);
  const seeds = [{ address: config }, { address: a.mint }, { address: b.mint }];
  const pool = findProgramAddress(["whirlpool", ...seeds, u16LeSeed(TICK_SPACING)], programId);
  const vaults = [a, b].map((side) => ({ ...side, vault: freshAddress() }));
  const [vaultA = pool, vaultB = pool] = vaults.map(({ vault }) => vault);
  const amounts = [a.amount, b.amount] as const;
  const liquidity = openingLiquidity({ sqrtPriceAtTick, tickAtSqrtPrice }, TICK_SPACING, amounts);
  const account = whirlpoolAccount({
    ...liquidity,
    programId,
    config,
    mintA: a.mint,
    mintB: b.mint,
    vaultA,
    vaultB,
    tickSpacing: TICK_SPACING,
    feeTierIndex: TICK_SPACING,
    feeRatePpm: FEE_RATE_PPM,
    protocolFeeRate: PROTOCOL_FEE_RATE,
    slot,
  });
  return {
    pool,
    changes: new Map([
      [pool, account],
      ...missingMint(known, baseMint, baseAmount, slot),
      ...tickArrays({ pool, programId }, liquidity.ticks, slot),
      ...nestedPositions(positionLayout(programId), {
        ...{ pool, owner: creator, slot },
        ticks: liquidity.ticks,
      }),
      ...newVaults(known, vaults, pool, slot),
    ]),
  };
}

function tickArrays(pool: PoolOf, ticks: readonly LiquidityTick[], slot: bigint) {
  const span = ticksPerArray(TICK_SPACING);
  const byStart = Map.groupBy(ticks, ({ tick }) => Math.floor(tick / span) * span);
  return [...byStart].map(([start, inArray]) => tickArray(pool, start, inArray, slot));
}

function tickArray(
  pool: PoolOf,
  start: number,
  ticks: readonly LiquidityTick[],
  slot: bigint,
): AccountEntry {
  const fields = { ...pool, start, tickSpacing: TICK_SPACING, ticks, slot };
  return [tickArrayAddress(pool, start), fixedTickArrayAccount(fields)];
}

const swapIn = (venue: Venue<WhirlpoolState>) =>
  swapWith({
    venue,
    readPool: (pool, known) => readPoolHeader(known.get(pool)),
    quote: quoteExactIn,
    perform: ({ known, trade, pool: header, state, quote }) => {
      const aToB = trade.inputMint === header.mintA;
      const protocolFee = mulDivFloor(quote.tradeFee, BigInt(PROTOCOL_FEE_RATE), 10_000n);
      const done = { known, trade, header, state, quote, aToB, protocolFee };
      return {
        changes: changesOf(done),
        amountOut: quote.amountOut,
        instructionAccounts: instructionAccounts(trade, header, aToB),
        instructionData: new FieldWriter()
          .raw(SWAP_V2)
          .u64(trade.amountIn, 0n, 0n, 0n)
          .bool(true)
          .bool(aToB)
          .u8(0)
          .bytes(),
        ...logEvents(header.programId, "SwapV2", [tradedEvent(done)]),
      };
    },
  });

/** The instruction's accounts without the memo program; the trader's address replaces its token accounts. */
function instructionAccounts(
  { pool, user }: Trade,
  { programId, mintA, mintB, vaultA, vaultB, tickCurrent, tickSpacing }: PoolHeader,
  aToB: boolean,
): readonly Address[] {
  const arrays = arrayStarts(tickCurrent, tickSpacing, aToB ? "down" : "up").map((start) =>
    tickArrayAddress({ pool, programId }, start),
  );
  const tokens = [mintA, mintB, user, vaultA, user, vaultB];
  const oracle = oracleAddress({ pool, programId });
  return [TOKEN_PROGRAM, TOKEN_PROGRAM, user, pool, ...tokens, ...arrays, oracle];
}

type DoneSwap = {
  readonly known: AccountSet;
  readonly trade: Trade;
  readonly header: PoolHeader;
  /** Before the swap. */
  readonly state: WhirlpoolState;
  readonly quote: Extract<TickQuote<WhirlpoolState>, { readonly kind: "filled" }>;
  readonly aToB: boolean;
  readonly protocolFee: bigint;
};

/** Fee growth does not change: it pays liquidity providers and enters no quote. */
function changesOf({ known, trade, header, quote, aToB, protocolFee }: DoneSwap): AccountChanges {
  const { after } = quote;
  const owedAt = aToB ? WHIRLPOOL.protocolFeeOwedA : WHIRLPOOL.protocolFeeOwedB;
  const account = editStored(known, trade.pool, trade.clock, (writer) => {
    writePrice(writer, after);
    writer.u64(owedAt, header.reader.u64(owedAt) + protocolFee);
  });
  const amounts = [
    [header.vaultA, after.tokenA.heldInVault],
    [header.vaultB, after.tokenB.heldInVault],
  ] as const;
  return new Map([...(account ?? []), ...tokenAmounts(known, amounts, trade.clock.slot)]);
}

/** Traded, 121 bytes: the input with its transfer fee, the output before its own. */
function tradedEvent({ trade, state, quote, aToB, protocolFee }: DoneSwap): Uint8Array {
  const { amountIn, pool, clock } = trade;
  const sold = aToB ? state.tokenA : state.tokenB;
  const { amountOut, grossOut, tradeFee, after } = quote;
  return new FieldWriter()
    .raw(TRADED_EVENT)
    .address(pool)
    .bool(aToB)
    .i128(state.sqrtPriceX64)
    .i128(after.sqrtPriceX64)
    .u64(amountIn, grossOut)
    .u64(transferFee(sold.transferFee, amountIn, clock.epoch), grossOut - amountOut)
    .u64(tradeFee - protocolFee, protocolFee)
    .bytes();
}

/** Scales every position alike. */
const changeLiquidity: ChangeLiquidity = (known, pool, shareBps, clock) => {
  const header = readPoolHeader(known.get(pool));
  if (header === null) return null;
  const { slot } = clock;
  const { programId, tickCurrent, reader, vaultA, vaultB } = header;
  const of = { pool, programId };
  const arrays = existingArrays(of, known);
  const stored = arrays.flatMap(({ ticks }) => ticks);
  const scaled = scaleLiquidity(stored, 10_000 - shareBps);
  const used = scaled.filter(({ liquidityGross }) => liquidityGross > 0n);
  const account = editStored(known, pool, clock, (writer) =>
    writePrice(writer, {
      liquidity: liquidityAtTick(scaled, tickCurrent),
      sqrtPriceX64: reader.u128(WHIRLPOOL.sqrtPrice),
      tickCurrent,
    }),
  );
  const empty = arrays.map(({ start }) => tickArray(of, start, [], slot));
  return new Map([
    ...empty,
    ...tickArrays(of, used, slot),
    ...changedPositions(positionLayout(programId), known, { pool, ticks: scaled, slot }),
    ...(account ?? []),
    ...vaultsWithoutShare(known, [vaultA, vaultB], shareBps, slot),
  ]);
};

type StoredArray = { readonly start: number; readonly ticks: readonly LiquidityTick[] };

/** All tick arrays of the pool, ascending, wherever the price is now. */
function existingArrays(pool: PoolOf, known: AccountSet): readonly StoredArray[] {
  const span = ticksPerArray(TICK_SPACING);
  const found: StoredArray[] = [];
  for (let start = Math.floor(MIN_TICK / span) * span; start <= MAX_TICK; start += span) {
    const account = known.get(tickArrayAddress(pool, start));
    if (account) found.push({ start, ticks: storedTicks(new ByteReader(account.data), start) });
  }
  return found;
}

function storedTicks(reader: ByteReader, start: number): readonly LiquidityTick[] {
  const ticks: LiquidityTick[] = [];
  for (let slot = 0; slot < TICKS_PER_ARRAY; slot++) {
    const offset = FIXED_TICK_ARRAY.ticks + slot * FIXED_TICK.length;
    if (!reader.bool(offset + FIXED_TICK.initialized)) continue;
    ticks.push({
      tick: start + slot * TICK_SPACING,
      liquidityNet: reader.i128(offset + FIXED_TICK.liquidityNet),
      liquidityGross: reader.u128(offset + FIXED_TICK.liquidityGross),
    });
  }
  return ticks;
}

const setFee: SetFee = (known, pool, feePpm, clock) =>
  editStored(known, pool, clock, (writer) => writer.u16(WHIRLPOOL.feeRate, feePpm));

/** Orca Whirlpools in the demo market: static fee, fixed tick arrays, three positions per pool. */
export const orcaWhirlpoolProgram = programOf(UPGRADEABLE, orcaWhirlpool);
export const orcaWhirlpoolImmutableProgram = programOf(IMMUTABLE, orcaWhirlpoolImmutable);

function programOf(deployment: WhirlpoolDeployment, venue: Venue<WhirlpoolState>): MarketProgram {
  return {
    venue: venue.id,
    setup: () => new Map(),
    createPool: (known, opening) => createPool(deployment, known, opening),
    swap: swapIn(venue),
    changeLiquidity,
    setFee,
  };
}
