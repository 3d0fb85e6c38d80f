import { type Address, compareAddressBytes } from "#src/units/address.ts";
import { mulDivFloor } from "#src/units/integer.ts";
import { TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import { findProgramAddress, u16LeSeed } from "#src/units/program-address.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import { ByteReader, discriminator } from "#src/venues/byte-reader.ts";
import { orcaWhirlpool } from "#src/venues/orca-whirlpool/adapter.ts";
import { type PoolHeader, readPoolHeader } from "#src/venues/orca-whirlpool/decode.ts";
import {
  FIXED_TICK,
  FIXED_TICK_ARRAY,
  ORCA_CONFIG,
  PROGRAM_ID,
  TICKS_PER_ARRAY,
  WHIRLPOOL,
} from "#src/venues/orca-whirlpool/layout.ts";
import type { WhirlpoolState } from "#src/venues/orca-whirlpool/pool-state.ts";
import { quoteSwap, type SwapQuote } from "#src/venues/orca-whirlpool/quote.ts";
import { oracleAddress, tickArrayAddress } from "#src/venues/orca-whirlpool/tick-arrays.ts";
import {
  MAX_TICK,
  MIN_TICK,
  sqrtPriceAtTick,
  tickAtSqrtPrice,
} from "#src/venues/orca-whirlpool/tick-math.ts";
import { arrayStarts, ticksPerArray } from "#src/venues/orca-whirlpool/tick-sequence.ts";
import { transferFee } from "#src/venues/token/transfer-fee.ts";
import type { Clock } from "#src/venues/venue.ts";
import { logEvents } from "../anchor-event.ts";
import { ByteWriter } from "../byte-writer.ts";
import {
  type LiquidityTick,
  liquidityAtTick,
  openingLiquidity,
  scaleLiquidity,
} from "../concentrated-positions.ts";
import { FieldWriter } from "../field-writer.ts";
import type {
  AccountChanges,
  MarketProgram,
  NewPool,
  Trade,
  TradeResult,
} from "../market-program.ts";
import { mintAccount, tokenAccount, withTokenAmount } from "../token-accounts.ts";
import { fixedTickArrayAccount, whirlpoolAccount, writePrice } from "./orca-whirlpool-accounts.ts";

const TICK_SPACING = 64;
const FEE_RATE_PPM = 3_000;
/** Of 10,000 of the fee. */
const PROTOCOL_FEE_RATE = 1_300;
const MINTED = 1_000_000_000_000_000n;

const SWAP_V2 = discriminator("2b04ed0b1ac91e62");
const TRADED_EVENT = discriminator("e1ca49af932ba096");

/** Orca Whirlpools in the demo market: static fee, fixed tick arrays, three positions per pool. */
export const orcaWhirlpoolProgram: MarketProgram = {
  venue: "orca-whirlpool",
  setup: () => new Map(),
  createPool,
  swap,
  changeLiquidity,
  setFee,
};

function createPool(
  known: AccountSet,
  { baseMint, quoteMint, baseAmount, quoteAmount, clock, freshAddress }: NewPool,
): { readonly pool: Address; readonly changes: AccountChanges } {
  const { slot } = clock;
  const isBaseFirst = compareAddressBytes(baseMint, quoteMint) < 0;
  const [mintA, mintB] = isBaseFirst ? [baseMint, quoteMint] : [quoteMint, baseMint];
  const amounts: readonly [bigint, bigint] = isBaseFirst
    ? [baseAmount, quoteAmount]
    : [quoteAmount, baseAmount];
  const seeds = [{ address: ORCA_CONFIG }, { address: mintA }, { address: mintB }];
  const pool = findProgramAddress(["whirlpool", ...seeds, u16LeSeed(TICK_SPACING)], PROGRAM_ID);
  const [vaultA, vaultB] = [freshAddress(), freshAddress()];
  const opening = openingLiquidity({ sqrtPriceAtTick, tickAtSqrtPrice }, TICK_SPACING, amounts);

  const minted = known.get(baseMint) ?? mintAccount({ supply: MINTED, decimals: 6, slot });
  const programOf = (mint: Address) =>
    mint === baseMint ? minted.owner : (known.get(mint)?.owner ?? TOKEN_PROGRAM);
  const account = whirlpoolAccount({
    config: ORCA_CONFIG,
    mintA,
    mintB,
    vaultA,
    vaultB,
    tickSpacing: TICK_SPACING,
    feeTierIndex: TICK_SPACING,
    feeRatePpm: FEE_RATE_PPM,
    protocolFeeRate: PROTOCOL_FEE_RATE,
    liquidity: opening.liquidity,
    sqrtPriceX64: opening.sqrtPriceX64,
    tickCurrent: opening.tickCurrent,
    slot,
  });
  const changes = new Map<Address, Account | null>([
    [pool, account],
    [baseMint, minted],
    ...tickArrays(pool, opening.ticks, slot),
  ]);
  for (const [mint, vault, amount] of [
    [mintA, vaultA, amounts[0]],
    [mintB, vaultB, amounts[1]],
  ] as const) {
    const fields = { mint, owner: pool, amount, program: programOf(mint), slot };
    changes.set(vault, tokenAccount(fields));
  }
  return { pool, changes };
}

function tickArrays(
  pool: Address,
  ticks: readonly LiquidityTick[],
  slot: bigint,
): ReadonlyMap<Address, Account> {
  const span = ticksPerArray(TICK_SPACING);
  const byStart = Map.groupBy(ticks, ({ tick }) => Math.floor(tick / span) * span);
  return new Map(
    [...byStart].map(([start, inArray]) => [
      tickArrayAddress(pool, start),
      fixedTickArrayAccount({ pool, start, tickSpacing: TICK_SPACING, ticks: inArray, slot }),
    ]),
  );
}

function swap(known: AccountSet, trade: Trade): TradeResult {
  const account = known.get(trade.pool);
  const header = readPoolHeader(account);
  const decoded = orcaWhirlpool.decode(trade.pool, known);
  if (decoded.kind === "unusable") return { kind: "refused", reason: decoded.detail };
  if (!account || header === null) return { kind: "refused", reason: "no pool" };
  const quote = quoteSwap(decoded.state, trade);
  if (quote.kind === "unfillable") return { kind: "refused", reason: quote.reason };
  const aToB = trade.inputMint === header.mintA;
  const protocolFee = mulDivFloor(quote.tradeFee, BigInt(PROTOCOL_FEE_RATE), 10_000n);
  const event = tradedEvent({ trade, state: decoded.state, quote, aToB, protocolFee });
  return {
    kind: "done",
    changes: movedAccounts({ known, trade, account, header, quote, aToB, protocolFee }),
    amountOut: quote.amountOut,
    instructionAccounts: instructionAccounts(trade, header, aToB),
    instructionData: new FieldWriter()
      .raw(SWAP_V2)
      .u64(trade.amountIn, 0n, 0n, 0n)
      .bool(true)
      .bool(aToB)
      .u8(0)
      .bytes(),
    ...logEvents(PROGRAM_ID, "SwapV2", [event]),
  };
}

/** The instruction's accounts without the memo program; the trader stands for its token accounts. */
function instructionAccounts(
  { pool, user }: Trade,
  { mintA, mintB, vaultA, vaultB, tickCurrent, tickSpacing }: PoolHeader,
  aToB: boolean,
): readonly Address[] {
  const arrays = arrayStarts(tickCurrent, tickSpacing, aToB ? "down" : "up").map((start) =>
    tickArrayAddress(pool, start),
  );
  const tokens = [mintA, mintB, user, vaultA, user, vaultB];
  return [TOKEN_PROGRAM, TOKEN_PROGRAM, user, pool, ...tokens, ...arrays, oracleAddress(pool)];
}

type Filled = Extract<SwapQuote, { readonly kind: "filled" }>;

type Move = {
  readonly known: AccountSet;
  readonly trade: Trade;
  readonly account: Account;
  readonly header: PoolHeader;
  readonly quote: Filled;
  readonly aToB: boolean;
  readonly protocolFee: bigint;
};

/** Fee growth stays as it is: it pays liquidity providers, never a quote. */
function movedAccounts(move: Move): AccountChanges {
  const { known, trade, account, header, quote, aToB, protocolFee } = move;
  const { after } = quote;
  const { slot } = trade.clock;
  const owedAt = aToB ? WHIRLPOOL.protocolFeeOwedA : WHIRLPOOL.protocolFeeOwedB;
  const writer = new ByteWriter(account.data.slice());
  writePrice(writer, after);
  writer.u64(owedAt, header.reader.u64(owedAt) + protocolFee);
  const changes = new Map<Address, Account | null>([
    [trade.pool, { ...account, data: writer.bytes, slot }],
  ]);
  for (const [address, held] of [
    [header.vaultA, after.tokenA.heldInVault],
    [header.vaultB, after.tokenB.heldInVault],
  ] as const) {
    const vault = known.get(address);
    if (vault) changes.set(address, withTokenAmount(vault, held, slot));
  }
  return changes;
}

type Told = {
  readonly trade: Trade;
  readonly state: WhirlpoolState;
  readonly quote: Filled;
  readonly aToB: boolean;
  readonly protocolFee: bigint;
};

/** Traded, 121 bytes: the input with its transfer fee, the output before its own. */
function tradedEvent({ trade, state, quote, aToB, protocolFee }: Told): Uint8Array {
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

/** Every position shrinks or grows alike. */
function changeLiquidity(
  known: AccountSet,
  pool: Address,
  shareBps: number,
  { slot }: Clock,
): AccountChanges | null {
  const account = known.get(pool);
  const header = readPoolHeader(account);
  if (!account || header === null) return null;
  const keepBps = 10_000 - shareBps;
  const arrays = existingArrays(pool, known);
  const scaled = scaleLiquidity(
    arrays.flatMap(({ ticks }) => ticks),
    keepBps,
  );
  const left = scaled.filter(({ liquidityGross }) => liquidityGross > 0n);
  const writer = new ByteWriter(account.data.slice());
  writePrice(writer, {
    liquidity: liquidityAtTick(scaled, header.tickCurrent),
    sqrtPriceX64: header.reader.u128(WHIRLPOOL.sqrtPrice),
    tickCurrent: header.tickCurrent,
  });
  const empty = arrays.map(({ start }) => {
    const fields = { pool, start, tickSpacing: TICK_SPACING, ticks: [], slot };
    return [tickArrayAddress(pool, start), fixedTickArrayAccount(fields)] as const;
  });
  const changes = new Map<Address, Account | null>([
    ...empty,
    ...tickArrays(pool, left, slot),
    [pool, { ...account, data: writer.bytes, slot }],
  ]);
  for (const address of [header.vaultA, header.vaultB]) {
    const vault = known.get(address);
    if (!vault) continue;
    const held = new ByteReader(vault.data).u64(64);
    changes.set(address, withTokenAmount(vault, (held * BigInt(keepBps)) / 10_000n, slot));
  }
  return changes;
}

type StoredArray = { readonly start: number; readonly ticks: readonly LiquidityTick[] };

/** All of the pool's arrays, ascending, wherever the price has gone since they were made. */
function existingArrays(pool: Address, known: AccountSet): readonly StoredArray[] {
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

function setFee(
  known: AccountSet,
  pool: Address,
  feePpm: number,
  { slot }: Clock,
): AccountChanges | null {
  const account = known.get(pool);
  if (!account || readPoolHeader(account) === null) return null;
  const { bytes } = new ByteWriter(account.data.slice()).u16(WHIRLPOOL.feeRate, feePpm);
  return new Map([[pool, { ...account, data: bytes, slot }]]);
}
