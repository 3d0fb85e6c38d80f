import type { Address } from "#src/units/address.ts";
import { isStable, SYSTEM_PROGRAM, WSOL } from "#src/units/known-addresses.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { Account, AccountSet } from "../account-set.ts";
import type { ByteReader } from "../byte-reader.ts";
import type { Direction } from "../shared/curves/direction.ts";
import { loaded, madeByProgram, readOwn } from "../shared/own-account.ts";
import { decodable, decodedOrUnusable, UnusableError } from "../shared/refusals.ts";
import { isStopped, loadedMint } from "../shared/token/mint.ts";
import { isFrozenAccount, tokenBalance } from "../shared/token/token-account.ts";
import type { Decoded } from "../venue.ts";
import {
  arraysInReach,
  binArrayAddress,
  bitmapExtensionAddress,
  kindOf,
  readBitmapExtension,
  readPair,
} from "./accounts.ts";
import { binArrayIndex, binPrice, lowestBinId } from "./bin-price.ts";
import { needsExtension } from "./bitmap.ts";
import {
  BIN,
  BIN_ARRAY,
  BITMAP_EXTENSION,
  FIRST_BIN_ARRAY_VERSION_WITH_ORDERS,
  LB_PAIR,
  MAX_BIN_ID,
  MAX_BIN_PER_ARRAY,
  MIN_BIN_ID,
  NEWEST_BIN_ARRAY_VERSION,
} from "./layout.ts";
import type { Activation, Bin, BinOrders, DlmmParameters, DlmmState } from "./state.ts";

const PAIR_STATUS = { enabled: 0, disabled: 1 } as const;
const PAIR_TYPES = 4;
/** Permission and customizable pairs open at their activation point, the others at once. */
const PAIR_TYPES_WITH_ACTIVATION: readonly number[] = [1, 2];
const FUNCTION_TYPE = { undetermined: 0, liquidityMining: 1, limitOrder: 2 } as const;
const BIN_ARRAY_KIND = kindOf(BIN_ARRAY);
const COLLECT_FEE_MODE = { inputOnly: 0, onlyY: 1 } as const;

/**
 * The pair and the bins that one swap can reach. On the way to SOL or a stable a marked array that does
 * not exist, or a first one that is not loaded, leaves the pool without a price: unknown depth is not an
 * empty stretch. Where a later one is not loaded, or on the way back, which no exit goes, the bins end
 * there and a swap that gets there is refused.
 */
export function decodePool(pool: Address, known: AccountSet): Decoded<DlmmState> {
  return decodedOrUnusable(() => readState(pool, known));
}

function readState(pool: Address, known: AccountSet): DlmmState {
  const pair = decodable(readPair(loaded(known, pool, "pair")), "not a pair of this program");
  const activeId = pair.i32(LB_PAIR.activeId);
  if (activeId < MIN_BIN_ID || activeId > MAX_BIN_ID) {
    throw new UnusableError("undecodable", `active bin ${activeId} is out of range`);
  }
  const parameters = readParameters(pair);
  const mintX = pair.address(LB_PAIR.tokenXMint);
  const mintY = pair.address(LB_PAIR.tokenYMint);
  const inReach = arraysInReach({ pair, extension: readExtension(pool, known, activeId) });
  const found = new Map<number, BinArray>();
  const gaps = {
    down: addArrays(found, inReach.down, (index) => readArray(pool, known, index)),
    up: addArrays(found, inReach.up, (index) => readArray(pool, known, index)),
  };
  const exit = exitDirection(mintX, mintY);
  const gapOnExit = exit === null ? (gaps.down ?? gaps.up) : gaps[exit];
  if (exit !== null && gapOnExit !== null && (gapOnExit.isAbsent || gapOnExit.isFirst)) {
    throw new UnusableError("missing-account", `bin array ${gapOnExit.index}`);
  }
  const factsX = loadedMint(known, mintX);
  const factsY = loadedMint(known, mintY);
  const reserveX = known.get(pair.address(LB_PAIR.reserveX));
  const reserveY = known.get(pair.address(LB_PAIR.reserveY));
  const arrays = [...found].toSorted(([a], [b]) => a - b).map(([, array]) => array);
  return {
    parameters,
    isEnabled: readStatus(pair),
    isStuck:
      isFrozenAccount(reserveX) ||
      isFrozenAccount(reserveY) ||
      isStopped(factsX) ||
      isStopped(factsY),
    activation: readActivation(pair),
    mintX,
    mintY,
    transferFeeX: factsX.transferFee,
    transferFeeY: factsY.transferFee,
    reserveX: tokenBalance(reserveX),
    reserveY: tokenBalance(reserveY),
    protocolFeeX: pair.u64(LB_PAIR.protocolFeeX),
    protocolFeeY: pair.u64(LB_PAIR.protocolFeeY),
    volatility: {
      accumulator: pair.u32(LB_PAIR.volatilityAccumulator),
      reference: pair.u32(LB_PAIR.volatilityReference),
      indexReference: pair.i32(LB_PAIR.indexReference),
      lastUpdateTimestamp: pair.i64(LB_PAIR.lastUpdateTimestamp),
    },
    activeId,
    bins: arrays.flatMap((array) => binsOf(array, parameters.binStep)),
    endsUnknown: { down: gaps.down !== null, up: gaps.up !== null },
    isPartlyLoaded: gapOnExit !== null,
    hasDoubtfulOrders:
      parameters.hasLimitOrders && arrays.some(({ fields }) => holdsOrdersOlderThanOrders(fields)),
  };
}

function readParameters(pair: ByteReader): DlmmParameters {
  const collectFeeMode = pair.u8(LB_PAIR.collectFeeMode);
  if (collectFeeMode !== COLLECT_FEE_MODE.inputOnly && collectFeeMode !== COLLECT_FEE_MODE.onlyY) {
    throw new UnusableError("unsupported", `collect fee mode ${collectFeeMode}`);
  }
  return {
    binStep: pair.u16(LB_PAIR.binStep),
    baseFactor: pair.u16(LB_PAIR.baseFactor),
    baseFeePowerFactor: pair.u8(LB_PAIR.baseFeePowerFactor),
    variableFeeControl: pair.u32(LB_PAIR.variableFeeControl),
    maxVolatilityAccumulator: pair.u32(LB_PAIR.maxVolatilityAccumulator),
    filterPeriod: pair.u16(LB_PAIR.filterPeriod),
    decayPeriod: pair.u16(LB_PAIR.decayPeriod),
    reductionFactorBps: pair.u16(LB_PAIR.reductionFactor),
    protocolShareBps: pair.u16(LB_PAIR.protocolShare),
    hasLimitOrders: readHasLimitOrders(pair),
    collectsOnlyY: collectFeeMode === COLLECT_FEE_MODE.onlyY,
  };
}

/** An undetermined pair takes limit orders as long as it pays no farming rewards. */
function readHasLimitOrders(pair: ByteReader): boolean {
  const functionType = pair.u8(LB_PAIR.functionType);
  switch (functionType) {
    case FUNCTION_TYPE.undetermined:
      // The system program's address is the zero key, which marks a reward that is not set up.
      return LB_PAIR.rewardMints.every((offset) => pair.address(offset) === SYSTEM_PROGRAM);
    case FUNCTION_TYPE.liquidityMining:
      return false;
    case FUNCTION_TYPE.limitOrder:
      return true;
    default:
      throw new UnusableError("unsupported", `function type ${functionType}`);
  }
}

function readStatus(pair: ByteReader): boolean {
  const status = pair.u8(LB_PAIR.status);
  if (status !== PAIR_STATUS.enabled && status !== PAIR_STATUS.disabled) {
    throw new UnusableError("unsupported", `pair status ${status}`);
  }
  return status === PAIR_STATUS.enabled;
}

function readActivation(pair: ByteReader): Activation | null {
  const pairType = pair.u8(LB_PAIR.pairType);
  if (pairType >= PAIR_TYPES) throw new UnusableError("unsupported", `pair type ${pairType}`);
  if (!PAIR_TYPES_WITH_ACTIVATION.includes(pairType)) return null;
  const activationType = pair.u8(LB_PAIR.activationType);
  if (activationType > 1)
    throw new UnusableError("unsupported", `activation type ${activationType}`);
  return {
    by: activationType === 0 ? "slot" : "time",
    point: pair.u64(LB_PAIR.activationPoint),
  };
}

/**
 * The extension, or null where the pair has none. One that was not looked for counts as none while
 * the active array is in the pair's own bitmap: few pairs ever make one.
 */
function readExtension(pool: Address, known: AccountSet, activeId: number): ByteReader | null {
  const account = madeByProgram(known, bitmapExtensionAddress(pool));
  if (account === null || account === undefined) {
    if (account === undefined && needsExtension(binArrayIndex(activeId))) {
      throw new UnusableError("missing-account", "bitmap extension");
    }
    return null;
  }
  const extension = readBitmapExtension(account);
  if (extension === null || extension.address(BITMAP_EXTENSION.lbPair) !== pool) {
    throw new UnusableError("undecodable", "bitmap extension");
  }
  return extension;
}

/** The way a holder's sale walks: out come SOL, or a stable for what is not SOL; null for other pairs. */
function exitDirection(mintX: Address, mintY: Address): Direction | null {
  if (mintY === WSOL) return "down";
  if (mintX === WSOL) return "up";
  if (isStable(mintX) === isStable(mintY)) return null;
  return isStable(mintY) ? "down" : "up";
}

/** The first marked array of a direction that is not there. */
type Gap = { readonly index: number; readonly isFirst: boolean; readonly isAbsent: boolean };

/** Adds the arrays in walking order, up to the first gap. */
function addArrays(
  found: Map<number, BinArray>,
  indexes: readonly number[],
  read: (index: number) => BinArray | null | undefined,
): Gap | null {
  for (const [place, index] of indexes.entries()) {
    const array = found.get(index) ?? read(index);
    if (!array) return { index, isFirst: place === 0, isAbsent: array === null };
    found.set(index, array);
  }
  return null;
}

type BinArray = { readonly account: Account; readonly fields: ByteReader };

/** A bin array; null where it is known not to exist, undefined where it is not loaded. */
function readArray(pool: Address, known: AccountSet, index: number): BinArray | null | undefined {
  const account = madeByProgram(known, binArrayAddress(pool, index));
  if (account === null || account === undefined) return account;
  const fields = readOwn(account, BIN_ARRAY_KIND);
  if (
    fields === null ||
    fields.i64(BIN_ARRAY.index) !== BigInt(index) ||
    fields.address(BIN_ARRAY.lbPair) !== pool
  ) {
    throw new UnusableError("undecodable", `bin array ${index}`);
  }
  if (fields.u8(BIN_ARRAY.version) > NEWEST_BIN_ARRAY_VERSION) {
    throw new UnusableError("unsupported", `bin array version ${fields.u8(BIN_ARRAY.version)}`);
  }
  return { account, fields };
}

/**
 * Cache by the array's account: a swap changes one or two of a pool's arrays, and the bins of the others are the
 * same objects as before. A module-level cache of a pure function: changed bytes arrive as another account.
 */
const BINS = new WeakMap<Account, { readonly binStep: number; readonly bins: readonly Bin[] }>();

/** The bins that hold anything, ascending. */
function binsOf({ account, fields }: BinArray, binStep: number): readonly Bin[] {
  const held = BINS.get(account);
  if (held !== undefined && held.binStep === binStep) return held.bins;
  const bins = readBins(fields, binStep);
  BINS.set(account, { binStep, bins });
  return bins;
}

function readBins(array: ByteReader, binStep: number): readonly Bin[] {
  const lowest = lowestBinId(toNumber(array.i64(BIN_ARRAY.index)));
  const bins: Bin[] = [];
  for (let place = 0; place < MAX_BIN_PER_ARRAY; place++) {
    const offset = BIN_ARRAY.bins + place * BIN.length;
    const amountX = array.u64(offset + BIN.amountX);
    const amountY = array.u64(offset + BIN.amountY);
    const processedRemaining = array.u64(offset + BIN.processedOrderRemainingAmount);
    const open = array.u64(offset + BIN.openOrderAmount);
    if (amountX === 0n && amountY === 0n && processedRemaining === 0n && open === 0n) continue;
    const id = lowest + place;
    bins.push({
      id,
      amountX,
      amountY,
      liquiditySupply: array.u128(offset + BIN.liquiditySupply),
      price: array.u128(offset + BIN.price) || binPrice(id, binStep),
      orders: ordersOf(array.u8(offset + BIN.limitOrderAskSide) !== 0, processedRemaining, open),
    });
  }
  return bins;
}

const NO_ASK_ORDERS: BinOrders = { isAskSide: true, processedRemaining: 0n, open: 0n };
const NO_BID_ORDERS: BinOrders = { isAskSide: false, processedRemaining: 0n, open: 0n };

/** Most bins have no orders: these share one of two objects. */
function ordersOf(isAskSide: boolean, processedRemaining: bigint, open: bigint): BinOrders {
  if (processedRemaining === 0n && open === 0n) return isAskSide ? NO_ASK_ORDERS : NO_BID_ORDERS;
  return { isAskSide, processedRemaining, open };
}

function holdsOrdersOlderThanOrders(array: ByteReader): boolean {
  if (array.u8(BIN_ARRAY.version) >= FIRST_BIN_ARRAY_VERSION_WITH_ORDERS) return false;
  for (let place = 0; place < MAX_BIN_PER_ARRAY; place++) {
    const offset = BIN_ARRAY.bins + place * BIN.length;
    const open = array.u64(offset + BIN.openOrderAmount);
    const remaining = array.u64(offset + BIN.processedOrderRemainingAmount);
    if (open !== 0n || remaining !== 0n) return true;
  }
  return false;
}
