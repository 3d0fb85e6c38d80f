import { type Address, address } from "#src/units/address.ts";
import { TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import { findProgramAddress, u16LeSeed } from "#src/units/program-address.ts";
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
import { DLMM_PROGRAM, LB_PAIR, MAX_BIN_ID, POSITION } from "#src/venues/meteora-dlmm/layout.ts";
import { type DlmmSwap, swapExactIn } from "#src/venues/meteora-dlmm/quote.ts";
import type { Bin, DlmmParameters, DlmmState } from "#src/venues/meteora-dlmm/state.ts";
import { associatedTokenAddress } from "#src/venues/shared/token/associated-token.ts";
import { emitEventCalls } from "../anchor-event.ts";
import { FieldWriter } from "../field-writer.ts";
import type { MarketProgram, Trade } from "../market-program.ts";
import { tokenAccount } from "../token-accounts.ts";
import {
  binArrayAccount,
  bitmapExtensionAccount,
  changedBinArray,
  changedPair,
  changedPosition,
  oracleAccount,
  pairAccount,
  pairWithParameters,
  positionAccount,
} from "./meteora-dlmm-accounts.ts";
import {
  type ChangeLiquidity,
  type CreatePool,
  editStored,
  missingMint,
  type SetFee,
  type SetPaused,
  swapWith,
  tokenAmounts,
} from "./pool-program.ts";

/** The usual pair of a launch: bins of one percent, a base fee of one percent. */
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
/** Liquidity is spread evenly over this many bins on each side of the active one. */
const BINS_PER_SIDE = 69;
const ARRAY_VERSION = 3;
/** Of each bin: what its deposit was counted as, whatever it held. */
const BIN_SUPPLY = 1n << 64n;
/** A base fee of one part per million is this much of `baseFactor * binStep * 10`. */
const RATE_PER_PPM = 1_000;
const LARGEST_BASE_FACTOR = 65_535;
const NO_ORDERS: Bin["orders"] = { isAskSide: false, processedRemaining: 0n, open: 0n };

const MEMO_PROGRAM = address("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr");

const SWAP2 = discriminator("414b3f4ceb5b5b88");
const SWAP_EVENT = discriminator("516ce3becdd00ac4");
const SWAP2_EVENT = discriminator("2e7452d7941b544d");

const createPool: CreatePool = (known, opening) => {
  const { baseMint, quoteMint, baseAmount, quoteAmount, creator, clock } = opening;
  const { slot } = clock;
  const pool = presetPairAddress(baseMint, quoteMint, PARAMETERS);
  const activeId = binAtPrice(toNumber(quoteAmount) / toNumber(baseAmount));
  const bins = spreadBins(activeId, { x: baseAmount, y: quoteAmount });
  const arrays = arrayIndexes(bins);
  const reserveX = reserveAddress(pool, baseMint);
  const reserveY = reserveAddress(pool, quoteMint);
  const oracle = oracleAddress(pool);
  const volatility = { accumulator: 0, reference: 0, indexReference: activeId };
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
      volatility: { ...volatility, lastUpdateTimestamp: 0n },
    },
  );
  const changes = new Map<Address, Account>([
    [pool, pair],
    [oracle, oracleAccount(slot)],
    [reserveX, tokenAccount({ mint: baseMint, owner: pool, amount: baseAmount, slot })],
    [reserveY, tokenAccount({ mint: quoteMint, owner: pool, amount: quoteAmount, slot })],
    ...missingMint(known, baseMint, baseAmount, slot),
  ]);
  for (const index of arrays) {
    const array = { pair: pool, index, version: ARRAY_VERSION, slot };
    changes.set(binArrayAddress(pool, index), binArrayAccount(array, bins));
  }
  // Two positions side by side: one holds 70 bins at most.
  for (const place of [0, 1]) {
    const lower = activeId - BINS_PER_SIDE + place * POSITION.ownBins;
    const range = { pair: pool, owner: creator, lower, upper: lower + POSITION.ownBins };
    changes.set(positionAddress(pool, place), positionAccount(range, bins, slot));
  }
  if (arrays.some(needsExtension)) {
    changes.set(bitmapExtensionAddress(pool), bitmapExtensionAccount(pool, arrays, slot));
  }
  return { pool, changes };
};

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

/** Equal parts of X from the active bin up and of Y from it down; the active bin takes the remainder. */
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
    const price = binPrice(id, PARAMETERS.binStep);
    return { id, ...amounts, liquiditySupply: BIN_SUPPLY, price, orders: NO_ORDERS };
  });
}

const swap = swapWith({
  venue: meteoraDlmm,
  readPool: (pool) => pool,
  quote: swapExactIn,
  perform: ({ known, trade, state, quote: { swap: done } }) => ({
    changes: stateChanges(
      known,
      trade.pool,
      { before: state, after: done.after },
      trade.clock.slot,
    ),
    amountOut: done.amountOut,
    instructionAccounts: instructionAccounts(known, trade, state),
    // No minimum, no remaining accounts for a transfer hook.
    instructionData: new FieldWriter().raw(SWAP2).u64(trade.amountIn, 0n).u32(0).bytes(),
    ...emitEventCalls(DLMM_PROGRAM, [
      swapEvent(trade, state, done),
      swap2Event(trade, state, done),
    ]),
  }),
});

/** In the order of swap2; the program's address replaces an optional account. */
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

/** Pair, bin arrays and reserves as the later state has them. Bins that are the same objects in both did not change. */
function stateChanges(
  known: AccountSet,
  pool: Address,
  { before, after }: { readonly before: DlmmState; readonly after: DlmmState },
  slot: bigint,
) {
  const changes = new Map<Address, Account>();
  const pair = known.get(pool);
  if (pair) changes.set(pool, changedPair(pair, after, slot));
  const bins = after.bins.filter((bin, place) => bin !== before.bins[place]);
  for (const index of arrayIndexes(after.bins)) {
    const at = binArrayAddress(pool, index);
    const array = known.get(at);
    if (array) changes.set(at, changedBinArray(array, index, { bins, slot }));
  }
  const reserves = [
    [reserveAddress(pool, after.mintX), after.reserveX],
    [reserveAddress(pool, after.mintY), after.reserveY],
  ] as const;
  return new Map([...changes, ...tokenAmounts(known, reserves, slot)]);
}

/** Takes the share out of every bin, as closing that part of every position does. */
const changeLiquidity: ChangeLiquidity = (known, pool, shareBps, { slot }) => {
  const decoded = meteoraDlmm.decode(pool, known);
  if (decoded.kind === "unusable") return null;
  const { state } = decoded;
  const taken = (amount: bigint) => (amount * BigInt(shareBps)) / 10_000n;
  const bins = state.bins.map((bin) => ({
    ...bin,
    amountX: bin.amountX - taken(bin.amountX),
    amountY: bin.amountY - taken(bin.amountY),
    liquiditySupply: bin.liquiditySupply - taken(bin.liquiditySupply),
  }));
  let [reserveX, reserveY] = [state.reserveX ?? 0n, state.reserveY ?? 0n];
  for (const { amountX, amountY } of state.bins) {
    reserveX -= taken(amountX);
    reserveY -= taken(amountY);
  }
  const after = { ...state, bins, reserveX, reserveY };
  return new Map([
    ...stateChanges(known, pool, { before: state, after }, slot),
    ...[0, 1].flatMap((place): (readonly [Address, Account])[] => {
      const address = positionAddress(pool, place);
      const position = known.get(address);
      return position ? [[address, changedPosition(position, bins, slot)]] : [];
    }),
  ]);
};

function positionAddress(pool: Address, place: number): Address {
  return findProgramAddress(["demo position", { address: pool }, u16LeSeed(place)], DLMM_PROGRAM);
}

/** Sets the base fee, not the variable one. A fee too large for the factor uses its power of ten. */
const setFee: SetFee = (known, pool, feePpm, { slot }) => {
  const pair = known.get(pool);
  const decoded = meteoraDlmm.decode(pool, known);
  if (!pair || decoded.kind === "unusable") return null;
  const { parameters } = decoded.state;
  const factor = Math.round((feePpm * RATE_PER_PPM) / (parameters.binStep * 10));
  const baseFeePowerFactor = factor > LARGEST_BASE_FACTOR ? 1 : 0;
  const baseFactor = Math.round(factor / 10 ** baseFeePowerFactor);
  const changed = { ...parameters, baseFactor, baseFeePowerFactor };
  return new Map([[pool, pairWithParameters(pair, changed, slot)]]);
};

const setPaused: SetPaused = (known, pool, isPaused, clock) =>
  editStored(known, pool, clock, (writer) => writer.u8(LB_PAIR.status, isPaused ? 1 : 0));

/** The Swap event of every version; `amount_out` is the output before a transfer fee. */
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

/** Swap2Evt, emitted beside it since 0.12. The demo market has no limit orders. */
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

/** Meteora DLMM in the demo market: X is the coin, Y its quote. */
export const meteoraDlmmProgram: MarketProgram = {
  venue: "meteora-dlmm",
  setup: () => new Map(),
  createPool,
  swap,
  changeLiquidity,
  setFee,
  setPaused,
};
