import type { Address } from "#src/units/address.ts";
import { mulDivCeilExact, mulDivFloorExact, QUOTIENT_LIMIT } from "#src/units/exact-doubles.ts";
import type { Account, AccountSet } from "../account-set.ts";
import { hasSameBytes, u64AsDouble } from "../fast-bytes.ts";
import { ASK_REFERENCE, type FastQuoter, REFUSED } from "../fast-quoter.ts";
import { decodeLaunchLab, decodeLaunchPool } from "./decode.ts";
import { FEE_DENOMINATOR, POOL } from "./layout.ts";
import { totalFeeRate } from "./quote.ts";

const PPM = Number(FEE_DENOMINATOR);

/**
 * The fast path for selling `inputMint`, or null while only the reference can quote this launch: on
 * the other two curves, and where a mint takes a transfer fee.
 */
export function openFastLaunchLab(
  address: Address,
  known: AccountSet,
  inputMint: Address,
): FastQuoter | null {
  const quoter = new FastLaunchLab(address, inputMint);
  return quoter.refresh(known) ? quoter : null;
}

/** What trades do not change, as the reference decoder read it, and the accounts that it read. */
type Fixed = {
  readonly isBuy: boolean;
  readonly feeRate: number;
  readonly globalConfig: Address;
  readonly platformConfig: Address;
  readonly global: Account;
  readonly platform: Account;
};

/**
 * A constant-product launch in doubles. What is sold and raised is read from the bytes each time; all
 * else is read by the reference decoder, again whenever its bytes differ.
 *
 * Guard: both reserves of the curve, with the order on top, lie below 2^52. Then each step is one
 * multiplication and division within the limits of mulDivFloorExact, and sums are exact.
 */
class FastLaunchLab implements FastQuoter {
  readonly #address: Address;
  readonly #inputMint: Address;
  #fixed: Fixed | null = null;
  #account: Account | null = null;
  #realBase = 0;
  #realQuote = 0;
  /** Coins still for sale. */
  #left = 0;
  /** The two reserves that price a trade. */
  #base = 0;
  #quote = 0;

  constructor(address: Address, inputMint: Address) {
    this.#address = address;
    this.#inputMint = inputMint;
  }

  refresh(known: AccountSet): boolean {
    if (!this.#hasSameFixed(known)) this.#fixed = this.#readFixed(known);
    const account = this.#account;
    if (this.#fixed === null || account === null) return false;
    const { data } = account;
    this.#realBase = u64AsDouble(data, POOL.real_base);
    this.#realQuote = u64AsDouble(data, POOL.real_quote);
    this.#left = u64AsDouble(data, POOL.total_base_sell) - this.#realBase;
    this.#base = u64AsDouble(data, POOL.virtual_base) - this.#realBase;
    this.#quote = u64AsDouble(data, POOL.virtual_quote) + this.#realQuote;
    return (
      this.#realBase < QUOTIENT_LIMIT &&
      this.#realQuote < QUOTIENT_LIMIT &&
      this.#left >= 0 &&
      this.#left < this.#base &&
      this.#base < QUOTIENT_LIMIT &&
      this.#quote >= 1 &&
      this.#quote < QUOTIENT_LIMIT
    );
  }

  quoteAscending(amountsIn: Float64Array, amountsOut: Float64Array): void {
    const isBuy = this.#fixed?.isBuy === true;
    for (let index = 0; index < amountsIn.length; index++) {
      const amountIn = amountsIn[index] ?? 0;
      amountsOut[index] = isBuy ? this.#buy(amountIn) : this.#sell(amountIn);
    }
  }

  #sell(base: number): number {
    if (!(base < QUOTIENT_LIMIT - this.#base)) return ASK_REFERENCE;
    if (base < 1 || base > this.#realBase || this.#fixed === null) return REFUSED;
    const gross = mulDivFloorExact(this.#quote, base, this.#base + base);
    if (gross > this.#realQuote) return REFUSED;
    return gross - mulDivCeilExact(gross, this.#fixed.feeRate, PPM);
  }

  #buy(spent: number): number {
    if (!(spent < QUOTIENT_LIMIT - this.#quote)) return ASK_REFERENCE;
    if (spent < 1 || this.#fixed === null) return REFUSED;
    const cost = spent - mulDivCeilExact(spent, this.#fixed.feeRate, PPM);
    const base = mulDivFloorExact(this.#base, cost, this.#quote + cost);
    const bought = Math.min(base, this.#left);
    return bought < 1 ? REFUSED : bought;
  }

  /** Whether everything but progress and fees owed stands as it was read last. */
  #hasSameFixed(known: AccountSet): boolean {
    const fixed = this.#fixed;
    const before = this.#account;
    if (fixed === null || before === null) return false;
    if (known.get(fixed.globalConfig) !== fixed.global) return false;
    if (known.get(fixed.platformConfig) !== fixed.platform) return false;
    const now = known.get(this.#address);
    if (now === before) return true;
    if (!now || now.owner !== before.owner || now.data.length !== before.data.length) return false;
    this.#account = now;
    return (
      hasSameBytes(now.data, before.data, 0, POOL.total_base_sell) &&
      hasSameBytes(now.data, before.data, POOL.global_config, now.data.length)
    );
  }

  #readFixed(known: AccountSet): Fixed | null {
    const account = known.get(this.#address);
    const pool = decodeLaunchPool(account);
    const decoded = decodeLaunchLab(this.#address, known);
    if (!account || pool === null || decoded.kind === "unusable") return null;
    const { state } = decoded;
    if (state.kind !== "constant-product" || state.status !== "funding") return null;
    if (pool.isBaseToken2022 || pool.isQuoteToken2022) return null;
    const isBuy = this.#inputMint === state.quoteMint;
    if (!isBuy && this.#inputMint !== state.baseMint) return null;
    const { globalConfig, platformConfig } = pool;
    const global = known.get(globalConfig);
    const platform = known.get(platformConfig);
    if (!global || !platform) return null;
    this.#account = account;
    const feeRate = Number(totalFeeRate(state));
    return { isBuy, feeRate, globalConfig, platformConfig, global, platform };
  }
}
