import type { Address } from "#src/units/address.ts";
import { EXACT_LIMIT, mulDivCeilExact } from "#src/units/exact-doubles.ts";
import { maxBigint, minBigint } from "#src/units/integer.ts";
import { MathError } from "#src/units/math-error.ts";
import type { Account, AccountSet } from "../account-set.ts";
import { ASK_REFERENCE, type FastQuoter, REFUSED } from "../fast-quoter.ts";
import type { Clock } from "../venue.ts";
import { accountsNeeded } from "./accounts.ts";
import { decodePool } from "./decode.ts";
import { FastCurve } from "./fast-curve.ts";
import { FEE_DENOMINATOR, feeNumerator } from "./fees.ts";
import { pointOf, statusOf } from "./quote.ts";
import type { DbcState } from "./state.ts";

const DENOMINATOR = Number(FEE_DENOMINATOR);
/** What no order of the fast path can carry past u64. */
const HALF_U64 = 1n << 63n;
/** Sums and products of volatility below it stay in u128. */
const LARGEST_VOLATILITY = 1n << 100n;
/** Prices within this factor of each other have a ratio that stays in u128. */
const LARGEST_PRICE_RATIO = 1n << 60n;

/** The fast path for selling `inputMint`, or null while only the reference can quote this curve. */
export function openFastDbc(
  address: Address,
  known: AccountSet,
  inputMint: Address,
): FastQuoter | null {
  const quoter = new FastDbc(address, inputMint);
  return quoter.refresh(known) ? quoter : null;
}

/**
 * DBC in doubles. The reference decodes the accounts when one of them changed; stretches of the curve
 * that an order drains are worked out in integers then, and the one it ends in is proved in doubles.
 *
 * Guards: what the reference would let overflow is checked once (`isInRange`); amounts lie below
 * 2^53; purchases under a rate limiter or close to completion are left to the reference.
 */
class FastDbc implements FastQuoter {
  readonly #address: Address;
  readonly #inputMint: Address;
  #accounts: readonly (Account | null | undefined)[] = [];
  #addresses: readonly Address[] = [];
  #state: DbcState | null = null;
  #curve: FastCurve | null = null;
  #isBuy = false;
  #feePoint: bigint | null = null;
  /** Null where the program fails to compute it and refuses. */
  #feeNumerator: number | null = null;
  /** What can be paid out: the reserve before fees, the vault after them. */
  #reserve = 0;
  #vault = 0;
  /** Quote units short of completion, beyond which the migration's own check decides. */
  #room = 0;

  constructor(address: Address, inputMint: Address) {
    this.#address = address;
    this.#inputMint = inputMint;
  }

  refresh(known: AccountSet): boolean {
    const isSame = this.#addresses.every((at, index) => known.get(at) === this.#accounts[index]);
    if (isSame && this.#addresses.length > 0) return this.#curve !== null;
    this.#curve = null;
    this.#feePoint = null;
    const decoded = decodePool(this.#address, known);
    if (decoded.kind === "unusable") return false;
    const { state } = decoded;
    const { config } = state;
    if (this.#inputMint !== state.baseMint && this.#inputMint !== config.quoteMint) return false;
    this.#isBuy = this.#inputMint !== state.baseMint;
    this.#addresses = accountsNeeded(this.#address, known);
    this.#accounts = this.#addresses.map((at) => known.get(at));
    this.#state = state;
    if (!isInRange(state)) return false;
    const [reserve, vault] = this.#isBuy
      ? [state.baseReserve, state.baseVaultBalance]
      : [state.quoteReserve, state.quoteVaultBalance];
    this.#reserve = Number(reserve);
    this.#vault = vault === null ? Number.POSITIVE_INFINITY : Number(vault);
    this.#room = Number(config.migrationQuoteThreshold - state.quoteReserve);
    this.#curve = new FastCurve(this.#isBuy);
    this.#curve.read(config, state.sqrtPrice);
    return true;
  }

  quoteAscending(amountsIn: Float64Array, amountsOut: Float64Array, clock: Clock): void {
    const state = this.#state;
    const curve = this.#curve;
    if (state === null || curve === null || this.#isLimited(state, clock)) {
      amountsOut.fill(ASK_REFERENCE);
      return;
    }
    this.#findFee(state, clock);
    const numerator = this.#feeNumerator;
    if (statusOf(state) !== "open" || numerator === null) {
      amountsOut.fill(REFUSED);
      return;
    }
    const isFeeOnInput = this.#isBuy && state.config.collects === "quote";
    let stretch = 0;
    let spent = 0;
    let paid = 0;
    for (let order = 0; order < amountsIn.length; order++) {
      const amountIn = amountsIn[order] ?? 0;
      const curveIn = isFeeOnInput ? amountIn - feeOf(amountIn, numerator) : amountIn;
      while (stretch < curve.count && curveIn - spent >= (curve.need[stretch] ?? 0)) {
        spent += curve.need[stretch] ?? 0;
        paid += curve.out[stretch] ?? 0;
        stretch++;
      }
      const left = curveIn - spent;
      if (amountIn <= 0) amountsOut[order] = REFUSED;
      else if (this.#isBuy && !(curveIn < this.#room)) amountsOut[order] = ASK_REFERENCE;
      else if (stretch === curve.count && left > 0) {
        amountsOut[order] = curve.isRefusedPastEnd(left) ? REFUSED : ASK_REFERENCE;
      } else {
        const gross = left === 0 ? paid : paid + curve.partialOut(stretch, left);
        amountsOut[order] = this.#settled(gross, isFeeOnInput ? 0 : numerator);
      }
    }
  }

  #settled(gross: number, numerator: number): number {
    if (!(gross < EXACT_LIMIT)) return ASK_REFERENCE;
    const amountOut = gross - feeOf(gross, numerator);
    return gross > this.#reserve || amountOut > this.#vault ? REFUSED : amountOut;
  }

  /** Whether a purchase's own size decides its fee. */
  #isLimited(state: DbcState, clock: Clock): boolean {
    const { baseFee } = state.config;
    if (!this.#isBuy || baseFee.kind !== "rate-limiter") return false;
    return pointOf(state, clock) <= state.activationPoint + baseFee.duration;
  }

  /** The fee rate changes with the clock alone: most calls find it already known. */
  #findFee(state: DbcState, clock: Clock): void {
    const point = pointOf(state, clock);
    if (this.#feePoint === point) return;
    this.#feePoint = point;
    const { config, volatility, activationPoint } = state;
    const query = { point, activationPoint, isBuy: this.#isBuy, amountIn: 1n };
    try {
      this.#feeNumerator = Number(feeNumerator(config, volatility, query));
    } catch (error) {
      if (!(error instanceof MathError)) throw error;
      this.#feeNumerator = null;
    }
  }
}

function feeOf(amount: number, numerator: number): number {
  return mulDivCeilExact(amount, numerator, DENOMINATOR);
}

/** Whether nothing that a swap counts up or divides can leave the program's widths. */
function isInRange(state: DbcState): boolean {
  const { config, volatility, sqrtPrice, baseFees, quoteFees } = state;
  const amounts = [
    state.baseReserve,
    state.quoteReserve,
    state.baseVaultBalance ?? 0n,
    state.quoteVaultBalance ?? 0n,
    ...Object.values(baseFees),
    ...Object.values(quoteFees),
  ];
  if (amounts.some((amount) => amount >= HALF_U64)) return false;
  if (sqrtPrice === 0n || config.sqrtStartPrice === 0n) return false;
  if (config.creatorTradingFeePercent > 100) return false;
  if (config.dynamicFee === null) return true;
  const { accumulator, reference, sqrtPriceReference } = volatility;
  if (accumulator >= LARGEST_VOLATILITY || reference >= LARGEST_VOLATILITY) return false;
  const ends = config.curve.map((point) => point.sqrtPrice).filter((price) => price > 0n);
  const prices = [sqrtPrice, sqrtPriceReference, config.sqrtStartPrice, config.migrationSqrtPrice];
  const all = [...prices, ...ends];
  const lowest = all.reduce(minBigint);
  const highest = all.reduce(maxBigint);
  return config.dynamicFee.binStepQ64 > 0n && highest < lowest * LARGEST_PRICE_RATIO;
}
