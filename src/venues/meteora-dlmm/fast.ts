import type { Address } from "#src/units/address.ts";
import { EXACT_LIMIT, mulDivCeilExact } from "#src/units/exact-doubles.ts";
import type { Account, AccountSet } from "../account-set.ts";
import { hasSameBytes } from "../fast-bytes.ts";
import { ASK_REFERENCE, type FastQuoter, REFUSED } from "../fast-quoter.ts";
import { tokenBalance } from "../token/token-account.ts";
import type { TransferFeeSchedule } from "../token/transfer-fee.ts";
import type { Clock } from "../venue.ts";
import {
  arraysInReach,
  binArrayAddress,
  bitmapExtensionAddress,
  readBitmapExtension,
  readPair,
} from "./accounts.ts";
import { binArrayIndex, highestBinId, lowestBinId } from "./bin-price.ts";
import { decodePool } from "./decode.ts";
import { FastBins } from "./fast-bins.ts";
import { FEE_PRECISION } from "./fees.ts";
import type { SwapSide } from "./fill-bin.ts";
import { LB_PAIR, MAX_BIN_PER_ARRAY } from "./layout.ts";
import { sideOf } from "./quote.ts";
import type { Activation, DlmmParameters } from "./state.ts";

const RATE_SCALE = Number(FEE_PRECISION);
const MAX_FEE_RATE = 100_000_000;
const VARIABLE_FEE_SCALE = 100_000_000_000;
const BASIS_POINTS = 10_000;
const U32_MAX = 0xffff_ffff;
/** Its square is the last below 2^53. */
const LARGEST_SQUARABLE = 94_906_265;
/** Beyond it the base fee alone is far over the cap, and may leave the program's u128. */
const LARGEST_FEE_POWER = 9;
/** A drained bin's net input is found again from the order only this close to the edge. */
const DUST = 2;

/** Byte ranges of a pair that quotes read and swaps leave alone. */
const FIXED_RANGES = [
  [0, LB_PAIR.volatilityAccumulator],
  [LB_PAIR.pairType, LB_PAIR.activeId],
  [LB_PAIR.binStep, LB_PAIR.protocolFeeX],
  [LB_PAIR.rewardMints[0], LB_PAIR.rewardMints[0] + 32],
  [LB_PAIR.rewardMints[1], LB_PAIR.rewardMints[1] + 32],
  [LB_PAIR.binArrayBitmap, LB_PAIR.binArrayBitmap + 128],
  [LB_PAIR.activationPoint, LB_PAIR.activationPoint + 8],
] as const;

/** The fast path for selling `inputMint`, or null while only the reference can quote this pair. */
export function openFastDlmm(
  address: Address,
  known: AccountSet,
  inputMint: Address,
): FastDlmm | null {
  const quoter = new FastDlmm(address, inputMint);
  return quoter.refresh(known) ? quoter : null;
}

type Loaded = { readonly address: Address; readonly account: Account | null | undefined };

/** What swaps do not change, as the reference decoder read it, and the accounts that it read. */
type Fixed = {
  readonly side: SwapSide;
  readonly parameters: DlmmParameters;
  /** Over 10^9. */
  readonly baseFeeRate: number;
  readonly isEnabled: boolean;
  readonly activation: Activation | null;
  readonly feesIn: TransferFeeSchedule | null;
  readonly feesOut: TransferFeeSchedule | null;
  readonly mintIn: Loaded;
  readonly mintOut: Loaded;
  readonly extension: Loaded;
  readonly reserveOut: Address;
};

/**
 * DLMM in doubles: one walk over the bins for all sizes. What a bin takes and pays is kept until the
 * bin changes; the variable fee is found anew at each bin, since it moves with the active one.
 *
 * Guards: every amount lies below 2^53, every product of amount and price is proved by its distance
 * from the next integer or done in integers (fast-bins.ts), and every fee is an exact mulDiv. Bins
 * with limit orders for this side are left to the reference.
 */
export class FastDlmm implements FastQuoter {
  /** Bins taken or ended in since it was opened: for tests and benchmarks. */
  steps = 0;
  readonly #address: Address;
  readonly #inputMint: Address;
  readonly #addresses = new Map<number, Address>();
  #fixed: Fixed | null = null;
  #pair: Account | null = null;
  #bins: FastBins | null = null;
  #activeArray = Number.NaN;
  #movingReadFrom: Account | null = null;
  #reserveReadFrom: Account | null | undefined = null;
  #reserveOut = Number.NaN;
  #activeId = 0;
  #accumulator = 0;
  #volatilityReference = 0;
  #indexReference = 0;
  #lastUpdate = 0;
  /** The references as the swap in hand sets them, and the fee rate at the bin in hand. */
  #swapReference = 0;
  #swapIndexReference = 0;
  #rate = 0;

  constructor(address: Address, inputMint: Address) {
    this.#address = address;
    this.#inputMint = inputMint;
  }

  /** Of `steps` and of the bins read, how many needed integers, since the arrays were listed last. */
  get exactSteps(): number {
    return this.#bins?.exactSteps ?? 0;
  }

  refresh(known: AccountSet): boolean {
    if (!this.#hasSameFixed(known)) {
      this.#bins = null;
      this.#fixed = this.#readFixed(known);
    }
    const fixed = this.#fixed;
    const pair = this.#pair;
    if (fixed === null || pair === null) return false;
    this.#readMoving(pair);
    this.#readReserve(known.get(fixed.reserveOut));
    const activeArray = binArrayIndex(this.#activeId);
    if (this.#bins === null || this.#activeArray !== activeArray) {
      this.#activeArray = activeArray;
      this.#bins = this.#listBins(fixed, pair);
    }
    return this.#bins !== null && this.#readArrays(known, this.#bins);
  }

  quoteAscending(amountsIn: Float64Array, amountsOut: Float64Array, clock: Clock): void {
    const fixed = this.#fixed;
    const bins = this.#bins;
    if (fixed === null || bins === null) {
      amountsOut.fill(ASK_REFERENCE);
      return;
    }
    if (!isOpen(fixed, clock) || !this.#setReferences(fixed, clock)) {
      amountsOut.fill(REFUSED);
      return;
    }
    const { epoch } = clock;
    for (let index = 0; index < amountsIn.length; index++) {
      const amountIn = amountsIn[index] ?? 0;
      amountsOut[index] = amountIn - withheld(fixed.feesIn, amountIn, epoch);
    }
    this.#walk(fixed, bins, amountsOut);
    for (let index = 0; index < amountsOut.length; index++) {
      const gross = amountsOut[index] ?? ASK_REFERENCE;
      if (gross > 0) amountsOut[index] = gross - withheld(fixed.feesOut, gross, epoch);
    }
  }

  /** `orders` holds each order's net input, ascending, and then what the pool pays for it. */
  #walk(fixed: Fixed, bins: FastBins, orders: Float64Array): void {
    const { isFeeOnInput, sellsX } = fixed.side;
    let order = 0;
    while (order < orders.length && !((orders[order] ?? 0) > 0)) orders[order++] = REFUSED;
    let spent = 0;
    let paid = 0;
    let accumulator = -1;
    for (let slot = 0; slot < bins.indexes.length && order < orders.length; slot++) {
      const index = bins.indexes[slot] ?? 0;
      const edge = sellsX ? highestBinId(index) : lowestBinId(index);
      const skipped = sellsX ? edge - this.#activeId : this.#activeId - edge;
      for (let step = Math.max(skipped, 0); step < MAX_BIN_PER_ARRAY; step++) {
        const bin = slot * MAX_BIN_PER_ARRAY + step;
        const out = bins.out[bin] ?? 0;
        if (out === 0) continue;
        const reached = this.#accumulatorAt(fixed, sellsX ? edge - step : edge + step);
        if (reached !== accumulator) {
          accumulator = reached;
          this.#rate = feeRate(fixed, reached);
        }
        const used = bins.usedAt(bin, this.#rate);
        if (Number.isNaN(used)) {
          orders.fill(ASK_REFERENCE, order);
          return;
        }
        this.steps++;
        for (; order < orders.length; order++) {
          const ending = this.#endingOut(bins, bin, (orders[order] ?? 0) - spent);
          if (ending < 0) break;
          orders[order] = this.#settled(paid + ending);
        }
        if (order === orders.length) return;
        spent += used;
        paid += isFeeOnInput ? out : this.#lessFee(out);
      }
    }
    orders.fill(REFUSED, order);
  }

  /** What an order with `left` to spend gets where it ends in this bin; below zero where it goes on. */
  #endingOut(bins: FastBins, bin: number, left: number): number {
    const used = bins.usedAt(bin, this.#rate);
    const out = bins.out[bin] ?? 0;
    if (bins.isFeeOnInput) {
      if (left > used + DUST) return -1;
      const net = this.#lessFee(left);
      if (left < used) return bins.partialOut(bin, net);
      // A net input of exactly what the bin needs ends here, and its fee swallows the dust.
      return bins.isExactly(bin, net) ? out : -1;
    }
    if (left > used) return -1;
    return this.#lessFee(left === used ? out : bins.partialOut(bin, left));
  }

  #lessFee(amount: number): number {
    return amount - mulDivCeilExact(amount, this.#rate, RATE_SCALE);
  }

  #settled(gross: number): number {
    if (!(gross < EXACT_LIMIT)) return ASK_REFERENCE;
    return gross === 0 || gross > this.#reserveOut ? REFUSED : gross;
  }

  #accumulatorAt({ parameters }: Fixed, binId: number): number {
    const distance = Math.abs(this.#swapIndexReference - binId);
    const grown = this.#swapReference + distance * BASIS_POINTS;
    return Math.min(grown, parameters.maxVolatilityAccumulator);
  }

  /** As `referencesAt` of the reference. False where the program's product overflows. */
  #setReferences({ parameters }: Fixed, { unixTimestamp }: Clock): boolean {
    const elapsed = Number(unixTimestamp) - this.#lastUpdate;
    this.#swapReference = this.#volatilityReference;
    this.#swapIndexReference = this.#indexReference;
    if (elapsed < parameters.filterPeriod) return true;
    this.#swapIndexReference = this.#activeId;
    this.#swapReference = 0;
    if (elapsed >= parameters.decayPeriod) return true;
    const product = this.#accumulator * parameters.reductionFactorBps;
    this.#swapReference = Math.floor(product / BASIS_POINTS);
    return product <= U32_MAX;
  }

  #readMoving(pair: Account): void {
    if (this.#movingReadFrom === pair) return;
    this.#movingReadFrom = pair;
    const { data } = pair;
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    this.#activeId = view.getInt32(LB_PAIR.activeId, true);
    this.#accumulator = view.getUint32(LB_PAIR.volatilityAccumulator, true);
    this.#volatilityReference = view.getUint32(LB_PAIR.volatilityReference, true);
    this.#indexReference = view.getInt32(LB_PAIR.indexReference, true);
    this.#lastUpdate = Number(view.getBigInt64(LB_PAIR.lastUpdateTimestamp, true));
  }

  #readReserve(account: Account | null | undefined): void {
    if (this.#reserveReadFrom === account && account) return;
    this.#reserveReadFrom = account;
    const balance = tokenBalance(account);
    this.#reserveOut = balance === null ? Number.NaN : Number(balance);
  }

  #listBins(fixed: Fixed, pairAccount: Account): FastBins | null {
    const pair = readPair(pairAccount);
    if (pair === null) return null;
    const extension = readBitmapExtension(fixed.extension.account);
    const inReach = arraysInReach({ pair, extension });
    const indexes = fixed.side.sellsX ? inReach.down : inReach.up;
    for (const index of indexes) {
      if (!this.#addresses.has(index)) {
        this.#addresses.set(index, binArrayAddress(this.#address, index));
      }
    }
    return new FastBins(indexes, fixed.side, fixed.parameters.binStep);
  }

  #readArrays(known: AccountSet, bins: FastBins): boolean {
    for (let slot = 0; slot < bins.indexes.length; slot++) {
      const address = this.#addresses.get(bins.indexes[slot] ?? 0);
      const account = address === undefined ? null : known.get(address);
      if (!account || !bins.read(slot, account)) return false;
    }
    return true;
  }

  /** Whether all but the numbers that swaps move stands as it was read last. */
  #hasSameFixed(known: AccountSet): boolean {
    const fixed = this.#fixed;
    if (fixed === null) return false;
    const { mintIn, mintOut, extension } = fixed;
    if (!isSame(known.get(mintIn.address), mintIn.account)) return false;
    if (!isSame(known.get(mintOut.address), mintOut.account)) return false;
    if (!isSame(known.get(extension.address), extension.account)) return false;
    const before = this.#pair;
    const now = known.get(this.#address);
    if (now === before && before !== null) return true;
    if (!now || !before || !isSameKind(now, before)) return false;
    this.#pair = now;
    return FIXED_RANGES.every(([from, to]) => hasSameBytes(now.data, before.data, from, to));
  }

  #readFixed(known: AccountSet): Fixed | null {
    const account = known.get(this.#address);
    const pair = readPair(account);
    const decoded = decodePool(this.#address, known);
    if (!account || pair === null || decoded.kind === "unusable") return null;
    const { state } = decoded;
    const side = sideOf(state, this.#inputMint);
    const baseFeeRate = baseFeeRateOf(state.parameters);
    const { maxVolatilityAccumulator, binStep } = state.parameters;
    if (side === null || baseFeeRate === null) return null;
    if (maxVolatilityAccumulator * binStep >= LARGEST_SQUARABLE) return null;
    const [mintIn, mintOut] = side.sellsX ? [state.mintX, state.mintY] : [state.mintY, state.mintX];
    const extension = bitmapExtensionAddress(this.#address);
    this.#pair = account;
    return {
      side,
      parameters: state.parameters,
      baseFeeRate,
      isEnabled: state.isEnabled,
      activation: state.activation,
      feesIn: side.sellsX ? state.transferFeeX : state.transferFeeY,
      feesOut: side.sellsX ? state.transferFeeY : state.transferFeeX,
      mintIn: { address: mintIn, account: known.get(mintIn) },
      mintOut: { address: mintOut, account: known.get(mintOut) },
      extension: { address: extension, account: known.get(extension) },
      reserveOut: pair.address(side.sellsX ? LB_PAIR.reserveY : LB_PAIR.reserveX),
    };
  }
}

/** The same account, or another reading of the same bytes. */
function isSame(now: Account | null | undefined, before: Account | null | undefined): boolean {
  if (now === before) return true;
  if (!now || !before || !isSameKind(now, before)) return false;
  return hasSameBytes(now.data, before.data, 0, now.data.length);
}

function isSameKind(now: Account, before: Account): boolean {
  return now.owner === before.owner && now.data.length === before.data.length;
}

function isOpen({ isEnabled, activation }: Fixed, clock: Clock): boolean {
  if (!isEnabled || activation === null) return isEnabled;
  return (activation.by === "slot" ? clock.slot : clock.unixTimestamp) >= activation.point;
}

/** Null where it may leave u128, which the program refuses; at the cap the exact number is no matter. */
function baseFeeRateOf(parameters: DlmmParameters): number | null {
  if (parameters.baseFeePowerFactor > LARGEST_FEE_POWER) return null;
  const power = 10 ** parameters.baseFeePowerFactor;
  return Math.min(parameters.baseFactor * parameters.binStep * 10 * power, MAX_FEE_RATE);
}

/** As `feeRate` of the reference. */
function feeRate({ parameters, baseFeeRate }: Fixed, accumulator: number): number {
  const distance = accumulator * parameters.binStep;
  const { variableFeeControl } = parameters;
  const variable = mulDivCeilExact(variableFeeControl, distance * distance, VARIABLE_FEE_SCALE);
  return Math.min(baseFeeRate + variable, MAX_FEE_RATE);
}

/** What the token program withholds from a transfer, as `transferFee` of the reference. */
function withheld(schedule: TransferFeeSchedule | null, amount: number, epoch: bigint): number {
  if (schedule === null) return 0;
  const { feeBps, maximum } = epoch >= schedule.newer.epoch ? schedule.newer : schedule.older;
  return Math.min(mulDivCeilExact(amount, feeBps, BASIS_POINTS), Number(maximum));
}
