import type { Address } from "#src/units/address.ts";
import {
  EXACT_LIMIT,
  mulDivCeilExact,
  mulDivFloorExact,
  QUOTIENT_LIMIT,
} from "#src/units/exact-doubles.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { Account, AccountSet } from "../account-set.ts";
import { ByteReader } from "../byte-reader.ts";
import { hasSameBytes, u64AsDouble, u128AsDouble } from "../fast-bytes.ts";
import { ASK_REFERENCE, type FastQuoter, REFUSED } from "../fast-quoter.ts";
import { fastBalance } from "../shared/token/fast-balance.ts";
import type { Clock } from "../venue.ts";
import { type DammToken, type DammV2State, decode, poolAddresses } from "./decode.ts";
import { FastTradeFee } from "./fast-fees.ts";
import { FEE_DENOMINATOR, POOL, POOL_LENGTH, PROGRAM_ID } from "./layout.ts";
import { statusAt } from "./quote.ts";

const DENOMINATOR = toNumber(FEE_DENOMINATOR);
const TWO_128 = 2 ** 128;
/** Amounts and balances below it can be added to without leaving u64. */
const ROOMY = 2 ** 62;
/** Just beyond both ends of the program's own price range. */
const LOWEST_PRICE = 2 ** 32;
const HIGHEST_PRICE = 2 ** 96.5;
/** Above what thirteen roundings leave in an output, relative to it: 13 * 2^-53 with a margin of 2.4. */
const OUTPUT_ERROR = 2 ** -48;
/** The same of the largest input, for which a range of prices is subtracted: at least 2^-12 wide. */
const RANGE_ERROR = 2 ** -36;
const NARROWEST_RANGE = 2 ** -12;

/** The fast path for selling `inputMint`, or null while only the reference can quote this pool. */
export function openFastDammV2(
  pool: Address,
  known: AccountSet,
  inputMint: Address,
): FastQuoter | null {
  const quoter = new FastDammV2(pool, inputMint);
  return quoter.refresh(known) ? quoter : null;
}

/** What swaps do not change, as the reference decoder read it, and the accounts that it read. */
type Fixed = {
  readonly state: DammV2State;
  readonly isAToB: boolean;
  readonly isFeeOnInput: boolean;
  readonly isCompounding: boolean;
  readonly vaultIn: Address;
  readonly vaultOut: Address;
  readonly programIn: Address | null;
  readonly programOut: Address | null;
  readonly extendedMints: readonly { readonly mint: Address; readonly account: Account }[];
  /** Null while the fee does not move with the pool. */
  readonly fee: FastTradeFee | null;
};

/**
 * DAMM v2 in doubles. A price range is a constant product of virtual reserves, A = L / P and
 * B = L * P / 2^128: what comes out is computed in doubles with thirteen roundings, and taken for
 * the program's integer where no integer lies within that error, the program's own rounding of the
 * price included. Compounding pools are one exact multiplication and division.
 *
 * The guards are in `#readFixed` (constant fields) and `#readMoving` (fields that each swap changes).
 */
class FastDammV2 implements FastQuoter {
  readonly #pool: Address;
  readonly #inputMint: Address;
  #poolAccount: Account | null = null;
  #fixed: Fixed | null = null;
  #fee: FastTradeFee | null = null;
  #reserveIn = 0;
  #reserveOut = 0;
  /** NaN where the vault was not delivered. */
  #heldOut = Number.NaN;
  #virtualIn = 0;
  #virtualOut = 0;
  /** The most that rounding the price takes off an output. */
  #slack = 0;
  /** Input that takes the price to the end of its range. */
  #largestIn = 0;

  constructor(pool: Address, inputMint: Address) {
    this.#pool = pool;
    this.#inputMint = inputMint;
  }

  refresh(known: AccountSet): boolean {
    const before = this.#poolAccount;
    const isSame = this.#hasSameFixed(known);
    if (!isSame) this.#fixed = this.#readFixed(known);
    const fixed = this.#fixed;
    const account = this.#poolAccount;
    if (fixed === null || account === null) return false;
    const hasMoved = !isSame || account !== before;
    if (hasMoved && !this.#readMoving(account.data, fixed)) {
      this.#poolAccount = null;
      return false;
    }
    return this.#readVaults(known, fixed);
  }

  quoteAscending(amountsIn: Float64Array, amountsOut: Float64Array, clock: Clock): void {
    const fixed = this.#fixed;
    const isOpen = fixed !== null && statusAt(fixed.state, clock) === "open";
    const numerator = isOpen && this.#fee !== null ? this.#fee.numeratorAt(clock) : REFUSED;
    for (let index = 0; index < amountsIn.length; index++) {
      const amountIn = amountsIn[index] ?? 0;
      if (fixed === null || numerator < 0 || amountIn < 1) amountsOut[index] = REFUSED;
      else if (!(amountIn < QUOTIENT_LIMIT)) amountsOut[index] = ASK_REFERENCE;
      else amountsOut[index] = this.#quote(amountIn, numerator, fixed);
    }
  }

  /** A numerator of NaN makes every answer NaN: ask the reference. */
  #quote(amountIn: number, numerator: number, fixed: Fixed): number {
    const { isFeeOnInput } = fixed;
    const feeIn = isFeeOnInput ? mulDivCeilExact(amountIn, numerator, DENOMINATOR) : 0;
    const swapped = amountIn - feeIn;
    const gross = fixed.isCompounding ? this.#compounding(swapped) : this.#inRange(swapped);
    if (gross < 0) return REFUSED;
    if (gross > this.#reserveOut) return REFUSED;
    const feeOut = isFeeOnInput ? 0 : mulDivCeilExact(gross, numerator, DENOMINATOR);
    const amountOut = gross - feeOut;
    return amountOut > this.#heldOut ? REFUSED : amountOut;
  }

  #compounding(swapped: number): number {
    if (!(swapped < QUOTIENT_LIMIT - this.#reserveIn)) return ASK_REFERENCE;
    return mulDivFloorExact(this.#reserveOut, swapped, this.#reserveIn + swapped);
  }

  #inRange(swapped: number): number {
    // Twice the largest input is past the end however it is rounded.
    if (swapped > 2 * this.#largestIn) return REFUSED;
    if (!(swapped < this.#largestIn * (1 - RANGE_ERROR))) return ASK_REFERENCE;
    const amount = (this.#virtualOut * swapped) / (swapped + this.#virtualIn);
    const error = amount * OUTPUT_ERROR;
    const least = Math.floor(amount - error - this.#slack);
    const most = Math.floor(amount + error);
    return least === most && most < QUOTIENT_LIMIT ? most : ASK_REFERENCE;
  }

  #readVaults(known: AccountSet, fixed: Fixed): boolean {
    const vaultIn = known.get(fixed.vaultIn) ?? null;
    const vaultOut = known.get(fixed.vaultOut) ?? null;
    this.#heldOut = Number.NaN;
    if ((vaultIn === null) !== (fixed.programIn === null)) return false;
    if ((vaultOut === null) !== (fixed.programOut === null)) return false;
    if (vaultIn !== null && !(fastBalance(vaultIn, fixed.programIn) < ROOMY)) return false;
    if (vaultOut === null) return true;
    this.#heldOut = fastBalance(vaultOut, fixed.programOut);
    return this.#heldOut >= 0;
  }

  /**
   * Reads liquidity, price and reserves. Guard: the reserves have room to grow, the price lies within
   * its range and, for compounding pools, both reserves below 2^52.
   */
  #readMoving(data: Uint8Array, fixed: Fixed): boolean {
    const liquidity = u128AsDouble(data, POOL.liquidity);
    const price = u128AsDouble(data, POOL.sqrtPrice);
    const reserveA = u64AsDouble(data, POOL.tokenAAmount);
    const reserveB = u64AsDouble(data, POOL.tokenBAmount);
    this.#reserveIn = fixed.isAToB ? reserveA : reserveB;
    this.#reserveOut = fixed.isAToB ? reserveB : reserveA;
    if (!(liquidity >= 1) || !(reserveA < ROOMY) || !(reserveB < ROOMY)) return false;
    const protocolA = u64AsDouble(data, POOL.protocolAFee);
    if (!(protocolA < ROOMY) || !(u64AsDouble(data, POOL.protocolBFee) < ROOMY)) return false;
    if (!this.#readFee(data, fixed, price)) return false;
    if (fixed.isCompounding) {
      return this.#reserveIn >= 1 && this.#reserveOut >= 1 && this.#reserveOut < QUOTIENT_LIMIT;
    }
    return this.#readRange(data, fixed, liquidity, price);
  }

  #readRange(data: Uint8Array, fixed: Fixed, liquidity: number, price: number): boolean {
    const lowest = u128AsDouble(data, POOL.sqrtMinPrice);
    const highest = u128AsDouble(data, POOL.sqrtMaxPrice);
    const virtualA = liquidity / price;
    const virtualB = (liquidity * price) / TWO_128;
    this.#virtualIn = fixed.isAToB ? virtualA : virtualB;
    this.#virtualOut = fixed.isAToB ? virtualB : virtualA;
    const range = (fixed.isAToB ? price / lowest : highest / price) - 1;
    this.#largestIn = this.#virtualIn * range;
    // The price is rounded to the pool's advantage by less than one: so much output, and a margin.
    this.#slack = (fixed.isAToB ? liquidity / TWO_128 : virtualA / price) * 1.001;
    return lowest >= LOWEST_PRICE && highest < HIGHEST_PRICE && range >= NARROWEST_RANGE;
  }

  /**
   * A dynamic fee moves with every swap, a schedule by market cap with the price. Guard for the
   * former: its prices and counts keep the program's own steps within u128 at any price in range.
   */
  #readFee(data: Uint8Array, fixed: Fixed, price: number): boolean {
    this.#fee = fixed.fee;
    if (fixed.fee !== null) return true;
    const reader = new ByteReader(data);
    const { dynamicFee } = fixed.state;
    const sqrtPrice = reader.u128(POOL.sqrtPrice);
    const volatilityAccumulator = reader.u128(POOL.volatilityAccumulator);
    const isSteady = (value: number) => value >= 2 ** 33 && value < 2 ** 95;
    const state = {
      ...fixed.state,
      sqrtPrice,
      dynamicFee: dynamicFee === null ? null : { ...dynamicFee, volatilityAccumulator },
    };
    this.#fee = new FastTradeFee(state, fixed.isAToB);
    if (dynamicFee === null) return true;
    return (
      isSteady(price) &&
      isSteady(u128AsDouble(data, POOL.sqrtPriceReference)) &&
      volatilityAccumulator < 1n << 100n &&
      u128AsDouble(data, POOL.volatilityReference) < 2 ** 100
    );
  }

  #hasSameFixed(known: AccountSet): boolean {
    const fixed = this.#fixed;
    if (fixed === null) return false;
    for (const { mint, account } of fixed.extendedMints) {
      if (known.get(mint) !== account) return false;
    }
    const now = known.get(this.#pool) ?? null;
    const before = this.#poolAccount;
    if (now === null || before === null) return false;
    if (now === before) return true;
    if (now.owner !== PROGRAM_ID || now.data.length !== POOL_LENGTH) return false;
    this.#poolAccount = now;
    return (
      hasSameBytes(now.data, before.data, 0, POOL.lastUpdateTimestamp) &&
      hasSameBytes(now.data, before.data, POOL.binStepU128, POOL.sqrtPriceReference) &&
      hasSameBytes(now.data, before.data, POOL.initSqrtPrice, POOL.whitelistedVault) &&
      hasSameBytes(now.data, before.data, POOL.sqrtMinPrice, POOL.sqrtPrice) &&
      hasSameBytes(now.data, before.data, POOL.activationPoint, POOL.feeVersion + 1) &&
      now.data[POOL.layoutVersion] === before.data[POOL.layoutVersion]
    );
  }

  #readFixed(known: AccountSet): Fixed | null {
    this.#poolAccount = null;
    const addresses = poolAddresses(this.#pool, known);
    const account = known.get(this.#pool);
    const decoded = decode(this.#pool, known);
    if (!account || addresses === null || decoded.kind === "unusable") return null;
    const { state } = decoded;
    const isAToB = this.#inputMint === state.tokenA.mint;
    if (!isAToB && this.#inputMint !== state.tokenB.mint) return null;
    if (isBeyond(state.tokenA) || isBeyond(state.tokenB)) return null;
    // Reserves that are not counted follow from the price: the reference's.
    if (account.data[POOL.layoutVersion] !== 1) return null;
    if (state.activationPoint >= BigInt(EXACT_LIMIT)) return null;
    if (state.protocolFeePercent > 100n || state.compoundingFeeBps > 10_000n) return null;
    const { dynamicFee } = state;
    if (dynamicFee !== null && dynamicFee.binStepQ64 < 1n << 20n) return null;
    this.#poolAccount = account;
    const isByMarketCap =
      state.baseFee.kind === "market-cap-linear" || state.baseFee.kind === "market-cap-exponential";
    const isMoving = dynamicFee !== null || isByMarketCap;
    const [vaultIn, vaultOut] = isAToB
      ? [addresses.vaultA, addresses.vaultB]
      : [addresses.vaultB, addresses.vaultA];
    return {
      state,
      isAToB,
      isFeeOnInput: !isAToB && state.collectFeeMode !== "both",
      isCompounding: state.collectFeeMode === "compounding",
      vaultIn,
      vaultOut,
      programIn: known.get(vaultIn)?.owner ?? null,
      programOut: known.get(vaultOut)?.owner ?? null,
      extendedMints: [
        ...(addresses.isExtendedA ? [addresses.mintA] : []),
        ...(addresses.isExtendedB ? [addresses.mintB] : []),
      ].flatMap((mint) => {
        const mintAccount = known.get(mint);
        return mintAccount ? [{ mint, account: mintAccount }] : [];
      }),
      fee: isMoving ? null : new FastTradeFee(state, isAToB),
    };
  }
}

function isBeyond(token: DammToken): boolean {
  return token.isStuck || token.transferFee !== null;
}
