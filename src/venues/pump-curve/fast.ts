import type { Address } from "#src/units/address.ts";
import { mulDivFloorExact, QUOTIENT_LIMIT } from "#src/units/exact-doubles.ts";
import type { Account, AccountSet } from "../account-set.ts";
import { hasSameBytes, u64AsDouble } from "../fast-bytes.ts";
import { ASK_REFERENCE, type FastQuoter, REFUSED } from "../fast-quoter.ts";
import { FastRates, feeOfSplit, highOf } from "../pump-fees/fast-rates.ts";
import { decodePumpCurve } from "./decode.ts";
import { BONDING_CURVE, CURVE_FEE_CONFIG_ADDRESS, GLOBAL_ADDRESS } from "./layout.ts";

const BPS = 10_000;

/** The fast path for selling `inputMint`, or null while only the reference can quote this curve. */
export function openFastPumpCurve(
  address: Address,
  known: AccountSet,
  inputMint: Address,
): FastQuoter | null {
  const quoter = new FastPumpCurve(address, inputMint);
  return quoter.refresh(known) ? quoter : null;
}

/** What trades do not change, as the reference decoder read it, and the accounts that it read. */
type Fixed = {
  readonly rates: FastRates;
  readonly isBuy: boolean;
  readonly supply: number;
  readonly global: Account;
  readonly feeConfig: Account;
  /** The coin's mint where the tiers go by its supply. */
  readonly mint: Account | null;
};

/**
 * The pump curve in doubles. Its four reserves are read from the bytes each time; all else is read by
 * the reference decoder, again whenever its bytes differ.
 *
 * Guard: all reserves, and the virtual ones with the order on top, lie below 2^52. Then each step is one
 * multiplication and division within the limits of mulDivFloorExact, and sums are exact.
 */
class FastPumpCurve implements FastQuoter {
  readonly #address: Address;
  readonly #inputMint: Address;
  #fixed: Fixed | null = null;
  #account: Account | null = null;
  #virtualToken = 0;
  #virtualQuote = 0;
  #realToken = 0;
  #realQuote = 0;

  constructor(address: Address, inputMint: Address) {
    this.#address = address;
    this.#inputMint = inputMint;
  }

  refresh(known: AccountSet): boolean {
    if (!this.#hasSameFixed(known)) this.#fixed = this.#readFixed(known);
    const fixed = this.#fixed;
    const account = this.#account;
    if (fixed === null || account === null) return false;
    this.#virtualToken = u64AsDouble(account.data, BONDING_CURVE.virtual_token_reserves);
    this.#virtualQuote = u64AsDouble(account.data, BONDING_CURVE.virtual_quote_reserves);
    this.#realToken = u64AsDouble(account.data, BONDING_CURVE.real_token_reserves);
    this.#realQuote = u64AsDouble(account.data, BONDING_CURVE.real_quote_reserves);
    if (!isReserve(this.#virtualToken) || !isReserve(this.#virtualQuote)) return false;
    if (!(this.#realToken < QUOTIENT_LIMIT && this.#realQuote < QUOTIENT_LIMIT)) return false;
    return fixed.rates.pick(this.#virtualQuote, fixed.supply, this.#virtualToken);
  }

  quoteAscending(amountsIn: Float64Array, amountsOut: Float64Array): void {
    if (this.#fixed === null) amountsOut.fill(ASK_REFERENCE);
    else if (this.#fixed.isBuy) this.#buy(this.#fixed.rates, amountsIn, amountsOut);
    else this.#sell(this.#fixed.rates, amountsIn, amountsOut);
  }

  #sell(rates: FastRates, amountsIn: Float64Array, amountsOut: Float64Array): void {
    const { protocolBps, creatorBps } = rates;
    const virtualToken = this.#virtualToken;
    const virtualQuote = this.#virtualQuote;
    const realQuote = this.#realQuote;
    for (let index = 0; index < amountsIn.length; index++) {
      const tokens = amountsIn[index] ?? 0;
      const gross = mulDivFloorExact(virtualQuote, tokens, virtualToken + tokens);
      const high = highOf(gross);
      const low = gross - high * BPS;
      const net = gross - feeOfSplit(high, low, protocolBps) - feeOfSplit(high, low, creatorBps);
      const isRefused = tokens < 1 || gross > realQuote || net < 0;
      if (tokens < QUOTIENT_LIMIT - virtualToken) amountsOut[index] = isRefused ? REFUSED : net;
      else amountsOut[index] = ASK_REFERENCE;
    }
  }

  #buy(rates: FastRates, amountsIn: Float64Array, amountsOut: Float64Array): void {
    const { protocolBps, creatorBps } = rates;
    const whole = BPS + protocolBps + creatorBps;
    // Where more is for sale than the price allows for, the reference alone knows what the last costs.
    const isOdd = this.#realToken >= this.#virtualToken;
    for (let index = 0; index < amountsIn.length; index++) {
      const spendable = amountsIn[index] ?? 0;
      const net = mulDivFloorExact(spendable, BPS, whole);
      const high = highOf(net);
      const low = net - high * BPS;
      const fees = feeOfSplit(high, low, protocolBps) + feeOfSplit(high, low, creatorBps);
      const priced = Math.min(net, spendable - fees) - 1;
      const tokens = mulDivFloorExact(this.#virtualToken, priced, this.#virtualQuote + priced);
      const bought = Math.min(tokens, this.#realToken);
      const isRefused = priced < 1 || bought < 1;
      if (spendable < QUOTIENT_LIMIT - this.#virtualQuote && !isOdd) {
        amountsOut[index] = isRefused ? REFUSED : bought;
      } else amountsOut[index] = ASK_REFERENCE;
    }
  }

  /** Whether everything but the four reserves stands as it was read last. */
  #hasSameFixed(known: AccountSet): boolean {
    const fixed = this.#fixed;
    const before = this.#account;
    if (fixed === null || before === null) return false;
    if (known.get(GLOBAL_ADDRESS) !== fixed.global) return false;
    if (known.get(CURVE_FEE_CONFIG_ADDRESS) !== fixed.feeConfig) return false;
    if (fixed.mint !== null && known.get(this.#inputMint) !== fixed.mint) return false;
    const now = known.get(this.#address);
    if (now === before) return true;
    if (!now || now.owner !== before.owner || now.data.length !== before.data.length) return false;
    this.#account = now;
    return (
      hasSameBytes(now.data, before.data, 0, BONDING_CURVE.virtual_token_reserves) &&
      hasSameBytes(now.data, before.data, BONDING_CURVE.token_total_supply, now.data.length)
    );
  }

  #readFixed(known: AccountSet): Fixed | null {
    const account = known.get(this.#address);
    const global = known.get(GLOBAL_ADDRESS);
    const feeConfig = known.get(CURVE_FEE_CONFIG_ADDRESS);
    const decoded = decodePumpCurve(this.#address, known, this.#inputMint);
    if (!account || !global || !feeConfig || decoded.kind === "unusable") return null;
    const { state } = decoded;
    const rates = FastRates.of(state.schedule);
    if (rates === null || state.isComplete) return null;
    this.#account = account;
    const isSupplyNeeded = state.isMayhem && state.schedule.length > 1;
    return {
      rates,
      isBuy: this.#inputMint === state.quoteMint,
      supply: Number(state.marketCapSupply),
      global,
      feeConfig,
      mint: isSupplyNeeded ? (known.get(this.#inputMint) ?? null) : null,
    };
  }
}

/** Whether a virtual reserve is neither empty nor too large for exact quotients. */
function isReserve(amount: number): boolean {
  return amount >= 1 && amount < QUOTIENT_LIMIT;
}
