import { type Address, address } from "#src/units/address.ts";
import { TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import { discriminator } from "#src/venues/byte-reader.ts";
import {
  binArrayAddress,
  bitmapExtensionAddress,
  presetPairAddress,
} from "#src/venues/meteora-dlmm/accounts.ts";
import { meteoraDlmm } from "#src/venues/meteora-dlmm/adapter.ts";
import { binArrayIndex, binPrice } from "#src/venues/meteora-dlmm/bin-price.ts";
import { needsExtension } from "#src/venues/meteora-dlmm/bitmap.ts";
import { DLMM_PROGRAM, MAX_BIN_ID } from "#src/venues/meteora-dlmm/layout.ts";
import { type DlmmSwap, swapExactIn } from "#src/venues/meteora-dlmm/quote.ts";
import type { Bin, DlmmParameters, DlmmState } from "#src/venues/meteora-dlmm/state.ts";
import type { Clock } from "#src/venues/venue.ts";
import { emitEventCalls } from "../anchor-event.ts";
import { associatedTokenAddress } from "../associated-token.ts";
import { FieldWriter } from "../field-writer.ts";
import type {
  AccountChanges,
  MarketProgram,
  NewPool,
  Trade,
  TradeResult,
} from "../market-program.ts";
import { mintAccount, tokenAccount, withTokenAmount } from "../token-accounts.ts";
import {
  binArrayAccount,
  bitmapExtensionAccount,
  movedBinArray,
  movedPair,
  oracleAccount,
  pairAccount,
  pairWithParameters,
} from "./meteora-dlmm-accounts.ts";

/** A launch's usual pair: bins of one percent, one percent of fee at rest. */
const PARAMETERS: DlmmParameters = {
  binStep: 100,
  baseFactor: 10_000,
  baseFeePowerFactor: 0,
  variableFeeControl: 7_500,
  maxVolatilityAccumulator: 150_000,
  filterPeriod: 30,
  decayPeriod: 600,
  reductionFactorBps: 5_000,
  protocolShareBps: 1_000,
  hasLimitOrders: false,
  collectsOnlyY: false,
};
/** Liquidity lies evenly over this many bins to each side of the active one. */
const BINS_PER_SIDE = 69;
const ARRAY_VERSION = 3;
const LAUNCH_SUPPLY = 1_000_000_000_000_000n;
/** A base fee of one part per million is this much of `baseFactor * binStep * 10`. */
const RATE_PER_PPM = 1_000;
const LARGEST_BASE_FACTOR = 65_535;
const NO_ORDERS: Bin["orders"] = { isAskSide: false, processedRemaining: 0n, open: 0n };

const MEMO_PROGRAM = address("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr");

const SWAP2 = discriminator("414b3f4ceb5b5b88");
const SWAP_EVENT = discriminator("516ce3becdd00ac4");
const SWAP2_EVENT = discriminator("2e7452d7941b544d");

/** Meteora DLMM in the demo market: X is the coin, Y what it is paid in. */
export const meteoraDlmmProgram: MarketProgram = {
  venue: "meteora-dlmm",
  setup: () => new Map(),
  createPool,
  swap,
  changeLiquidity,
  setFee,
  setPaused,
};

function createPool(
  known: AccountSet,
  { baseMint, quoteMint, baseAmount, quoteAmount, creator, clock }: NewPool,
): { readonly pool: Address; readonly changes: AccountChanges } {
  const { slot } = clock;
  const pool = presetPairAddress(baseMint, quoteMint, PARAMETERS);
  const activeId = binAtPrice(toNumber(quoteAmount) / toNumber(baseAmount));
  const bins = spreadBins(activeId, { x: baseAmount, y: quoteAmount });
  const arrays = arrayIndexes(bins);
  const reserveX = reserveAddress(pool, baseMint);
  const reserveY = reserveAddress(pool, quoteMint);
  const oracle = oracleAddress(pool);
  const pair = pairAccount(
    {
      parameters: PARAMETERS,
      mintX: baseMint,
      mintY: quoteMint,
      reserveX,
      reserveY,
      oracle,
      creator,
      arrays,
      slot,
    },
    {
      isEnabled: true,
      activeId,
      protocolFeeX: 0n,
      protocolFeeY: 0n,
      volatility: {
        accumulator: 0,
        reference: 0,
        indexReference: activeId,
        lastUpdateTimestamp: 0n,
      },
    },
  );
  const changes = new Map<Address, Account | null>([
    [pool, pair],
    [oracle, oracleAccount(slot)],
    [reserveX, tokenAccount({ mint: baseMint, owner: pool, amount: baseAmount, slot })],
    [reserveY, tokenAccount({ mint: quoteMint, owner: pool, amount: quoteAmount, slot })],
  ]);
  for (const index of arrays) {
    const array = { pair: pool, index, version: ARRAY_VERSION, slot };
    changes.set(binArrayAddress(pool, index), binArrayAccount(array, bins));
  }
  if (arrays.some(needsExtension)) {
    changes.set(bitmapExtensionAddress(pool), bitmapExtensionAccount(pool, arrays, slot));
  }
  if (!known.get(baseMint)) {
    const supply = baseAmount > LAUNCH_SUPPLY ? baseAmount : LAUNCH_SUPPLY;
    changes.set(baseMint, mintAccount({ supply, decimals: 6, slot }));
  }
  return { pool, changes };
}

function reserveAddress(pool: Address, mint: Address): Address {
  return findProgramAddress([{ address: pool }, { address: mint }], DLMM_PROGRAM);
}

function oracleAddress(pool: Address): Address {
  return findProgramAddress(["oracle", { address: pool }], DLMM_PROGRAM);
}

function arrayIndexes(bins: readonly Bin[]): readonly number[] {
  return [...new Set(bins.map(({ id }) => binArrayIndex(id)))];
}

/** The bin whose price is nearest to Y base units per X base unit. */
function binAtPrice(price: number): number {
  const id = Math.round(Math.log(price) / Math.log1p(PARAMETERS.binStep / 10_000));
  const farthest = MAX_BIN_ID / PARAMETERS.binStep;
  return Math.max(-farthest, Math.min(farthest, id));
}

/** X from the active bin up and Y from it down, in equal parts; the active bin takes what is left over. */
function spreadBins(
  activeId: number,
  { x, y }: { readonly x: bigint; readonly y: bigint },
): readonly Bin[] {
  const parts = BigInt(BINS_PER_SIDE + 1);
  const active = {
    amountX: x - (x / parts) * (parts - 1n),
    amountY: y - (y / parts) * (parts - 1n),
  };
  return Array.from({ length: 2 * BINS_PER_SIDE + 1 }, (_, place) => {
    const id = activeId - BINS_PER_SIDE + place;
    const amounts =
      id === activeId
        ? active
        : { amountX: id > activeId ? x / parts : 0n, amountY: id < activeId ? y / parts : 0n };
    return { id, ...amounts, price: binPrice(id, PARAMETERS.binStep), orders: NO_ORDERS };
  });
}

function swap(known: AccountSet, trade: Trade): TradeResult {
  const decoded = meteoraDlmm.decode(trade.pool, known);
  if (decoded.kind === "unusable") return { kind: "refused", reason: decoded.detail };
  const { state } = decoded;
  const result = swapExactIn(state, trade);
  if (result.kind === "unfillable") return { kind: "refused", reason: result.reason };
  const events = [swapEvent(trade, state, result.swap), swap2Event(trade, state, result.swap)];
  return {
    kind: "done",
    changes: stateChanges(known, trade.pool, { state: result.swap.after, clock: trade.clock }),
    amountOut: result.swap.amountOut,
    instructionAccounts: instructionAccounts(known, trade, state),
    // No minimum, no remaining accounts for a transfer hook.
    instructionData: new FieldWriter().raw(SWAP2).u64(trade.amountIn, 0n).u32(0).bytes(),
    ...emitEventCalls(DLMM_PROGRAM, "Swap2", events),
  };
}

/** In the order of swap2; an optional account that is left out is the program itself. */
function instructionAccounts(
  known: AccountSet,
  { pool, user, inputMint, outputMint }: Trade,
  { mintX, mintY, bins }: DlmmState,
): readonly Address[] {
  const extension = bitmapExtensionAddress(pool);
  const tokenProgramOf = (mint: Address) => known.get(mint)?.owner ?? TOKEN_PROGRAM;
  return [
    pool,
    known.get(extension) ? extension : DLMM_PROGRAM,
    reserveAddress(pool, mintX),
    reserveAddress(pool, mintY),
    associatedTokenAddress(user, inputMint),
    associatedTokenAddress(user, outputMint),
    mintX,
    mintY,
    oracleAddress(pool),
    DLMM_PROGRAM,
    user,
    tokenProgramOf(mintX),
    tokenProgramOf(mintY),
    MEMO_PROGRAM,
    findProgramAddress(["__event_authority"], DLMM_PROGRAM),
    DLMM_PROGRAM,
    ...arrayIndexes(bins).map((index) => binArrayAddress(pool, index)),
  ];
}

/** Pair, bin arrays and reserves, rewritten to hold a state. */
function stateChanges(
  known: AccountSet,
  pool: Address,
  { state, clock }: { readonly state: DlmmState; readonly clock: Clock },
): AccountChanges {
  const { slot } = clock;
  const changes = new Map<Address, Account | null>();
  const pair = known.get(pool);
  if (pair) changes.set(pool, movedPair(pair, state, slot));
  for (const index of arrayIndexes(state.bins)) {
    const at = binArrayAddress(pool, index);
    const array = known.get(at);
    if (array) changes.set(at, movedBinArray(array, index, { bins: state.bins, slot }));
  }
  for (const [mint, amount] of [
    [state.mintX, state.reserveX],
    [state.mintY, state.reserveY],
  ] as const) {
    const at = reserveAddress(pool, mint);
    const reserve = known.get(at);
    if (reserve && amount !== null) changes.set(at, withTokenAmount(reserve, amount, slot));
  }
  return changes;
}

/** Takes the share out of every bin alike, as closing that part of every position would. */
function changeLiquidity(
  known: AccountSet,
  pool: Address,
  shareBps: number,
  clock: Clock,
): AccountChanges | null {
  const decoded = meteoraDlmm.decode(pool, known);
  if (decoded.kind === "unusable") return null;
  const { state } = decoded;
  const taken = (amount: bigint) => (amount * BigInt(shareBps)) / 10_000n;
  const bins = state.bins.map((bin) => ({
    ...bin,
    amountX: bin.amountX - taken(bin.amountX),
    amountY: bin.amountY - taken(bin.amountY),
  }));
  const total = (side: (bin: Bin) => bigint) =>
    state.bins.reduce((sum, bin) => sum + taken(side(bin)), 0n);
  const minus = (balance: bigint | null, amount: bigint) =>
    balance === null ? null : balance - amount;
  const changed: DlmmState = {
    ...state,
    bins,
    reserveX: minus(
      state.reserveX,
      total(({ amountX }) => amountX),
    ),
    reserveY: minus(
      state.reserveY,
      total(({ amountY }) => amountY),
    ),
  };
  return stateChanges(known, pool, { state: changed, clock });
}

/** Sets the base fee; the variable part stays. A fee too large for the factor goes into its power of ten. */
function setFee(
  known: AccountSet,
  pool: Address,
  feePpm: number,
  { slot }: Clock,
): AccountChanges | null {
  const pair = known.get(pool);
  const decoded = meteoraDlmm.decode(pool, known);
  if (!pair || decoded.kind === "unusable") return null;
  const { parameters } = decoded.state;
  const factor = Math.round((feePpm * RATE_PER_PPM) / (parameters.binStep * 10));
  const baseFeePowerFactor = factor > LARGEST_BASE_FACTOR ? 1 : 0;
  const baseFactor = Math.round(factor / 10 ** baseFeePowerFactor);
  const changed = { ...parameters, baseFactor, baseFeePowerFactor };
  return new Map([[pool, pairWithParameters(pair, changed, slot)]]);
}

function setPaused(
  known: AccountSet,
  pool: Address,
  isPaused: boolean,
  { slot }: Clock,
): AccountChanges | null {
  const pair = known.get(pool);
  const decoded = meteoraDlmm.decode(pool, known);
  if (!pair || decoded.kind === "unusable") return null;
  return new Map([[pool, movedPair(pair, { ...decoded.state, isEnabled: !isPaused }, slot)]]);
}

/** The Swap event of every version; `amount_out` is what the pool pays, before a transfer fee. */
function swapEvent(trade: Trade, before: DlmmState, done: DlmmSwap): Uint8Array {
  return new FieldWriter()
    .raw(SWAP_EVENT)
    .address(trade.pool, trade.user)
    .i32(before.activeId)
    .i32(done.after.activeId)
    .u64(done.grossIn, done.grossOut)
    .bool(trade.inputMint === before.mintX)
    .u64(done.fee, done.protocolFee)
    .u128(done.feeRate)
    .u64(0n)
    .bytes();
}

/** Swap2Evt, beside it since 0.12. No limit orders stand in the demo market. */
function swap2Event(trade: Trade, before: DlmmState, done: DlmmSwap): Uint8Array {
  const sellsX = trade.inputMint === before.mintX;
  const isFeeOnInput = !(before.parameters.collectsOnlyY && sellsX);
  return new FieldWriter()
    .raw(SWAP2_EVENT)
    .address(trade.pool, trade.user)
    .i32(before.activeId)
    .i32(done.after.activeId)
    .bool(sellsX)
    .u128(done.feeRate)
    .u64(done.grossIn, 0n, done.grossOut)
    .u64(done.fee - done.protocolFee, done.protocolFee, 0n, 0n)
    .bool(isFeeOnInput)
    .bool(isFeeOnInput && sellsX)
    .bytes();
}
