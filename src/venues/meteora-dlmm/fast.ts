import type { Address } from "#src/units/address.ts";
import { mulDivCeilExact } from "#src/units/exact-doubles.ts";
import type { Account, AccountSet } from "../account-set.ts";
import { hasSameBytes } from "../fast-bytes.ts";
import { ASK_REFERENCE, type FastQuoter, REFUSED } from "../fast-quoter.ts";
import { isFrozenAccount, tokenBalance } from "../shared/token/token-account.ts";
import type { TransferFeeSchedule } from "../shared/token/transfer-fee.ts";
import type { Clock } from "../venue.ts";
import {
  arraysInReach,
  binArrayAddress,
  bitmapExtensionAddress,
  readBitmapExtension,
  readPair,
} from "./accounts.ts";
import { binArrayIndex } from "./bin-price.ts";
import { decodePool } from "./decode.ts";
import { FastBins } from "./fast-bins.ts";
import { BinWalk, hasExactFees } from "./fast-walk.ts";
import type { SwapSide } from "./fill-bin.ts";
import { LB_PAIR } from "./layout.ts";
import { sideOf } from "./quote.ts";
import type { Activation, DlmmParameters } from "./state.ts";

const BASIS_POINTS = 10_000;
const U32_MAX = 0xffff_ffff;

const WORD = 4;
const TWO_32 = 4_294_967_296;
const PAIR_WORDS = LB_PAIR.length / WORD;
/** Words of a pair that quotes read and swaps leave alone. */
const FIXED_WORDS = [
  ...wordsIn(0, LB_PAIR.volatilityAccumulator),
  ...wordsIn(LB_PAIR.pairType, LB_PAIR.activeId),
  ...wordsIn(LB_PAIR.binStep, LB_PAIR.protocolFeeX),
  ...wordsIn(LB_PAIR.rewardMints[0], LB_PAIR.rewardMints[0] + 32),
  ...wordsIn(LB_PAIR.rewardMints[1], LB_PAIR.rewardMints[1] + 32),
  ...wordsIn(LB_PAIR.binArrayBitmap, LB_PAIR.binArrayBitmap + 128),
  ...wordsIn(LB_PAIR.activationPoint, LB_PAIR.activationPoint + 8),
];

function wordsIn(from: number, to: number): readonly number[] {
  const first = Math.floor(from / WORD);
  return Array.from({ length: to / WORD - first }, (_, place) => first + place);
}

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
  readonly isEnabled: boolean;
  readonly activation: Activation | null;
  readonly feesIn: TransferFeeSchedule | null;
  readonly feesOut: TransferFeeSchedule | null;
  readonly mintIn: Loaded;
  readonly mintOut: Loaded;
  readonly extension: Loaded;
  readonly reserveIn: Address;
  readonly reserveOut: Address;
};

/**
 * DLMM in doubles: one walk over the bins for all sizes (fast-walk.ts). What a bin takes and pays is
 * kept until the bin changes (fast-bins.ts).
 *
 * Guards: every amount lies below 2^53, every product of amount and price is proved by its distance
 * from the next integer or done in integers, and every fee is an exact mulDiv. Bins with limit orders
 * for this side are left to the reference.
 */
export class FastDlmm implements FastQuoter {
  readonly #address: Address;
  readonly #inputMint: Address;
  #fixed: Fixed | null = null;
  #pair: Account | null = null;
  readonly #pairWords = new Uint32Array(PAIR_WORDS);
  readonly #pairSignedWords = new Int32Array(this.#pairWords.buffer);
  readonly #spareWords = new Uint32Array(PAIR_WORDS);
  readonly #spareBytes = new Uint8Array(this.#spareWords.buffer);
  /** Addresses of the arrays in `#bins`, in its order. */
  #arrays: readonly Address[] = [];
  #bins: FastBins | null = null;
  #walk: BinWalk | null = null;
  #activeArray = Number.NaN;
  #reserveReadFrom: Account | null | undefined = null;
  #reserveOut = Number.NaN;
  #activeId = 0;
  #accumulator = 0;
  #volatilityReference = 0;
  #indexReference = 0;
  #lastUpdate = 0;

  constructor(address: Address, inputMint: Address) {
    this.#address = address;
    this.#inputMint = inputMint;
  }

  /** Bins read since the arrays were listed last: for tests and benchmarks. */
  get steps(): number {
    return this.#walk?.steps ?? 0;
  }

  /** Of `steps` and of the bins read, how many needed integers, since the arrays were listed last. */
  get exactSteps(): number {
    return this.#bins?.exactSteps ?? 0;
  }

  refresh(known: AccountSet): boolean {
    if (!this.#hasSameFixed(known)) {
      this.#bins = null;
      this.#walk = null;
      this.#fixed = this.#readFixed(known);
    }
    const fixed = this.#fixed;
    const pair = this.#pair;
    if (fixed === null || pair === null) return false;
    const reserveOut = known.get(fixed.reserveOut);
    if (isFrozenAccount(reserveOut) || isFrozenAccount(known.get(fixed.reserveIn))) return false;
    this.#readMoving();
    this.#readReserve(reserveOut);
    const activeArray = binArrayIndex(this.#activeId);
    if (this.#bins === null || this.#activeArray !== activeArray) {
      this.#activeArray = activeArray;
      this.#bins = this.#listBins(fixed, pair);
      this.#walk = this.#bins === null ? null : new BinWalk(this.#bins, fixed.parameters);
    }
    return this.#bins !== null && this.#readArrays(known, this.#bins);
  }

  quoteAscending(amountsIn: Float64Array, amountsOut: Float64Array, clock: Clock): void {
    const fixed = this.#fixed;
    const walk = this.#walk;
    if (fixed === null || walk === null) {
      amountsOut.fill(ASK_REFERENCE);
      return;
    }
    if (!isOpen(fixed, clock) || !this.#aim(walk, fixed, clock)) {
      amountsOut.fill(REFUSED);
      return;
    }
    const { epoch } = clock;
    for (let index = 0; index < amountsIn.length; index++) {
      const amountIn = amountsIn[index] ?? 0;
      amountsOut[index] = amountIn - withheld(fixed.feesIn, amountIn, epoch);
    }
    walk.run(amountsOut);
    for (let index = 0; index < amountsOut.length; index++) {
      const gross = amountsOut[index] ?? ASK_REFERENCE;
      const net = gross > 0 ? gross - withheld(fixed.feesOut, gross, epoch) : gross;
      if (net === 0 || gross > this.#reserveOut) amountsOut[index] = REFUSED;
      else amountsOut[index] = net;
    }
  }

  /** Sets the references as `referencesAt` of the reference does. False where its product overflows. */
  #aim(walk: BinWalk, { parameters }: Fixed, { unixTimestamp }: Clock): boolean {
    const elapsed = Number(unixTimestamp) - this.#lastUpdate;
    if (elapsed < parameters.filterPeriod) {
      walk.aim(this.#activeId, this.#volatilityReference, this.#indexReference);
      return true;
    }
    const isDecaying = elapsed < parameters.decayPeriod;
    const product = isDecaying ? this.#accumulator * parameters.reductionFactorBps : 0;
    walk.aim(this.#activeId, Math.floor(product / BASIS_POINTS), this.#activeId);
    return product <= U32_MAX;
  }

  #readMoving(): void {
    const words = this.#pairWords;
    const signed = this.#pairSignedWords;
    this.#activeId = signed[LB_PAIR.activeId / WORD] ?? 0;
    this.#accumulator = words[LB_PAIR.volatilityAccumulator / WORD] ?? 0;
    this.#volatilityReference = words[LB_PAIR.volatilityReference / WORD] ?? 0;
    this.#indexReference = signed[LB_PAIR.indexReference / WORD] ?? 0;
    const updated = LB_PAIR.lastUpdateTimestamp / WORD;
    this.#lastUpdate = (signed[updated + 1] ?? 0) * TWO_32 + (words[updated] ?? 0);
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
    this.#arrays = indexes.map((index) => binArrayAddress(this.#address, index));
    return new FastBins(indexes, fixed.side, fixed.parameters.binStep);
  }

  #readArrays(known: AccountSet, bins: FastBins): boolean {
    let slot = 0;
    for (const address of this.#arrays) {
      const account = known.get(address);
      if (!account || !bins.read(slot, account)) return false;
      slot++;
    }
    return true;
  }

  /** Whether all fields but those that swaps change are as last read. */
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
    return this.#takePair(now);
  }

  /** Takes over the pair's bytes, word by word (little-endian). True where only moving ones changed. */
  #takePair(pair: Account): boolean {
    this.#pair = pair;
    const now = this.#spareWords;
    this.#spareBytes.set(pair.data);
    const before = this.#pairWords;
    let isSameFixed = true;
    for (const word of FIXED_WORDS) {
      if (now[word] !== before[word]) isSameFixed = false;
    }
    before.set(now);
    return isSameFixed;
  }

  #readFixed(known: AccountSet): Fixed | null {
    const account = known.get(this.#address);
    const pair = readPair(account);
    const decoded = decodePool(this.#address, known);
    if (!account || pair === null || decoded.kind === "unusable") return null;
    const { state } = decoded;
    const side = sideOf(state, this.#inputMint);
    if (side === null || state.isStuck || !hasExactFees(state.parameters)) return null;
    const [mintIn, mintOut] = side.sellsX ? [state.mintX, state.mintY] : [state.mintY, state.mintX];
    const extension = bitmapExtensionAddress(this.#address);
    this.#takePair(account);
    return {
      side,
      parameters: state.parameters,
      isEnabled: state.isEnabled,
      activation: state.activation,
      feesIn: side.sellsX ? state.transferFeeX : state.transferFeeY,
      feesOut: side.sellsX ? state.transferFeeY : state.transferFeeX,
      mintIn: { address: mintIn, account: known.get(mintIn) },
      mintOut: { address: mintOut, account: known.get(mintOut) },
      extension: { address: extension, account: known.get(extension) },
      reserveIn: pair.address(side.sellsX ? LB_PAIR.reserveX : LB_PAIR.reserveY),
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

/** What the token program withholds from a transfer, as `transferFee` of the reference. */
function withheld(schedule: TransferFeeSchedule | null, amount: number, epoch: bigint): number {
  if (schedule === null) return 0;
  const { feeBps, maximum } = epoch >= schedule.newer.epoch ? schedule.newer : schedule.older;
  return Math.min(mulDivCeilExact(amount, feeBps, BASIS_POINTS), Number(maximum));
}
