import type { Address } from "#src/units/address.ts";
import { mulDivFloorExact, QUOTIENT_LIMIT } from "#src/units/exact-doubles.ts";
import { TOKEN_2022_PROGRAM } from "#src/units/known-addresses.ts";
import type { Account, AccountSet } from "../account-set.ts";
import { hasSameBytes, i128AsDouble, u64AsDouble } from "../fast-bytes.ts";
import { ASK_REFERENCE, type FastQuoter, REFUSED } from "../fast-quoter.ts";
import { FastRates, feeOfSplit, highOf } from "../pump-fees/fast-rates.ts";
import { LAUNCH_SUPPLY } from "../pump-fees/fee-config.ts";
import { decodePool, decodePumpSwap, type Pool } from "./decode.ts";
import { GLOBAL_CONFIG_ADDRESS, POOL, POOL_FEE_CONFIG_ADDRESS } from "./layout.ts";

const VAULT_AMOUNT = 64;
const VAULT_STATE = 108;
const VAULT_OPEN = 1;
const MINT_SUPPLY = 36;
const MINT_DECIMALS = 44;
const MAYHEM_SUPPLY = Number(LAUNCH_SUPPLY);
const BPS = 10_000;

/** The fast path for selling `inputMint`, or null while only the reference can quote this pool. */
export function openFastPumpSwap(
  address: Address,
  known: AccountSet,
  inputMint: Address,
): FastQuoter | null {
  const quoter = new FastPumpSwap(address, inputMint);
  return quoter.refresh(known) ? quoter : null;
}

/** What swaps do not change, as the reference decoder read it, and the accounts that it read. */
type Fixed = {
  readonly pool: Pool;
  readonly rates: FastRates;
  readonly isBuy: boolean;
  readonly globalConfig: Account;
  readonly feeConfig: Account;
  /** Null where the quote mint is a plain one, which can hide nothing. */
  readonly quoteMint: Account | null;
  readonly baseVaultOwner: Address;
  readonly quoteVaultOwner: Address;
  readonly hasVirtualQuote: boolean;
};

/**
 * PumpSwap in doubles. Vaults, supply and virtual reserve are read from the bytes each time; all else
 * is read by the reference decoder, again whenever its bytes differ.
 *
 * Guard: every reserve, and every reserve with the order on top, lies below 2^52. Then each step is
 * one multiplication and division within the limits of mulDivFloorExact, and sums are exact.
 */
class FastPumpSwap implements FastQuoter {
  readonly #address: Address;
  readonly #inputMint: Address;
  #fixed: Fixed | null = null;
  #poolAccount: Account | null = null;
  #mintAccount: Account | null = null;
  #base = 0;
  #quote = 0;
  /** The quote reserve that prices a trade: vault and virtual reserve. */
  #effective = 0;

  constructor(address: Address, inputMint: Address) {
    this.#address = address;
    this.#inputMint = inputMint;
  }

  refresh(known: AccountSet): boolean {
    if (!this.#hasSameFixed(known)) this.#fixed = this.#readFixed(known);
    const fixed = this.#fixed;
    const poolAccount = this.#poolAccount;
    const mintAccount = this.#mintAccount;
    if (fixed === null || poolAccount === null || mintAccount === null) return false;
    const baseVault = known.get(fixed.pool.baseVault);
    const quoteVault = known.get(fixed.pool.quoteVault);
    if (!baseVault || !quoteVault) return false;
    if (baseVault.owner !== fixed.baseVaultOwner) return false;
    if (quoteVault.owner !== fixed.quoteVaultOwner) return false;
    if (baseVault.data[VAULT_STATE] !== VAULT_OPEN) return false;
    if (quoteVault.data[VAULT_STATE] !== VAULT_OPEN) return false;
    this.#base = u64AsDouble(baseVault.data, VAULT_AMOUNT);
    this.#quote = u64AsDouble(quoteVault.data, VAULT_AMOUNT);
    this.#effective = this.#quote;
    if (fixed.hasVirtualQuote) {
      this.#effective += i128AsDouble(poolAccount.data, POOL.virtual_quote_reserves);
    }
    if (!isReserve(this.#base) || !isReserve(this.#quote) || !isReserve(this.#effective)) {
      return false;
    }
    const supply = fixed.pool.isMayhem ? MAYHEM_SUPPLY : u64AsDouble(mintAccount.data, MINT_SUPPLY);
    return fixed.rates.pick(this.#effective, supply, this.#base);
  }

  quoteAscending(amountsIn: Float64Array, amountsOut: Float64Array): void {
    if (this.#fixed === null) amountsOut.fill(ASK_REFERENCE);
    else if (this.#fixed.isBuy) this.#buy(this.#fixed.rates, amountsIn, amountsOut);
    else this.#sell(this.#fixed.rates, amountsIn, amountsOut);
  }

  #sell(rates: FastRates, amountsIn: Float64Array, amountsOut: Float64Array): void {
    const { lpBps, protocolBps, creatorBps } = rates;
    const base = this.#base;
    const quote = this.#quote;
    const effective = this.#effective;
    for (let index = 0; index < amountsIn.length; index++) {
      const sold = amountsIn[index] ?? 0;
      const gross = mulDivFloorExact(effective, sold, base + sold);
      const high = highOf(gross);
      const low = gross - high * BPS;
      const afterLp = gross - feeOfSplit(high, low, lpBps);
      const net = afterLp - feeOfSplit(high, low, protocolBps) - feeOfSplit(high, low, creatorBps);
      const isRefused = sold < 1 || afterLp > quote || net < 0;
      if (sold < QUOTIENT_LIMIT - base) amountsOut[index] = isRefused ? REFUSED : net;
      else amountsOut[index] = ASK_REFERENCE;
    }
  }

  #buy(rates: FastRates, amountsIn: Float64Array, amountsOut: Float64Array): void {
    const { lpBps, protocolBps, creatorBps } = rates;
    const whole = BPS + lpBps + protocolBps + creatorBps;
    for (let index = 0; index < amountsIn.length; index++) {
      const spendable = amountsIn[index] ?? 0;
      const net = mulDivFloorExact(spendable, BPS, whole);
      const high = highOf(net);
      const low = net - high * BPS;
      const fees =
        feeOfSplit(high, low, lpBps) +
        feeOfSplit(high, low, protocolBps) +
        feeOfSplit(high, low, creatorBps);
      const priced = Math.min(net, spendable - fees) - 1;
      const base = mulDivFloorExact(this.#base, priced, this.#effective + priced);
      const isRefused = priced < 1 || base < 1;
      if (spendable < QUOTIENT_LIMIT - this.#effective) {
        amountsOut[index] = isRefused ? REFUSED : base;
      } else amountsOut[index] = ASK_REFERENCE;
    }
  }

  /** Whether everything but the numbers that move stands as it was read last. */
  #hasSameFixed(known: AccountSet): boolean {
    const fixed = this.#fixed;
    if (fixed === null) return false;
    if (known.get(GLOBAL_CONFIG_ADDRESS) !== fixed.globalConfig) return false;
    if (known.get(POOL_FEE_CONFIG_ADDRESS) !== fixed.feeConfig) return false;
    if (fixed.quoteMint !== null && known.get(fixed.pool.quoteMint) !== fixed.quoteMint) {
      return false;
    }
    return this.#hasSamePool(known) && this.#hasSameMint(known, fixed.pool);
  }

  /** All but the LP supply and the virtual reserve. */
  #hasSamePool(known: AccountSet): boolean {
    const now = known.get(this.#address) ?? null;
    const before = this.#poolAccount;
    if (now === before && now !== null) return true;
    if (now === null || before === null || !isSameKind(now, before)) return false;
    this.#poolAccount = now;
    const virtualQuoteEnd = POOL.virtual_quote_reserves + 16;
    return (
      hasSameBytes(now.data, before.data, 0, POOL.lp_supply) &&
      hasSameBytes(now.data, before.data, POOL.coin_creator, POOL.virtual_quote_reserves) &&
      hasSameBytes(now.data, before.data, virtualQuoteEnd, now.data.length)
    );
  }

  /** All but its authority and the supply. */
  #hasSameMint(known: AccountSet, pool: Pool): boolean {
    const now = known.get(pool.baseMint) ?? null;
    const before = this.#mintAccount;
    if (now === before && now !== null) return true;
    if (now === null || before === null || !isSameKind(now, before)) return false;
    this.#mintAccount = now;
    return hasSameBytes(now.data, before.data, MINT_DECIMALS, now.data.length);
  }

  #readFixed(known: AccountSet): Fixed | null {
    const poolAccount = known.get(this.#address);
    const pool = decodePool(poolAccount);
    const decoded = decodePumpSwap(this.#address, known);
    if (!poolAccount || pool === null || decoded.kind === "unusable") return null;
    const { state } = decoded;
    const isBuy = this.#inputMint === state.quoteMint;
    if (!isBuy && this.#inputMint !== state.baseMint) return null;
    if (isBuy ? state.isBuyDisabled : state.isSellDisabled) return null;
    const rates = FastRates.of(state.schedule);
    const globalConfig = known.get(GLOBAL_CONFIG_ADDRESS);
    const feeConfig = known.get(POOL_FEE_CONFIG_ADDRESS);
    const baseVault = known.get(pool.baseVault);
    const quoteVault = known.get(pool.quoteVault);
    const mintAccount = known.get(pool.baseMint);
    if (!rates || !globalConfig || !feeConfig || !baseVault || !quoteVault || !mintAccount) {
      return null;
    }
    this.#poolAccount = poolAccount;
    this.#mintAccount = mintAccount;
    const isQuoteToken2022 = quoteVault.owner === TOKEN_2022_PROGRAM;
    return {
      pool,
      rates,
      isBuy,
      globalConfig,
      feeConfig,
      quoteMint: isQuoteToken2022 ? (known.get(pool.quoteMint) ?? null) : null,
      baseVaultOwner: baseVault.owner,
      quoteVaultOwner: quoteVault.owner,
      hasVirtualQuote: poolAccount.data.length >= POOL.virtual_quote_reserves + 16,
    };
  }
}

/** Whether a reserve is neither empty nor too large for exact quotients. */
function isReserve(amount: number): boolean {
  return amount >= 1 && amount < QUOTIENT_LIMIT;
}

function isSameKind(now: Account, before: Account): boolean {
  return now.owner === before.owner && now.data.length === before.data.length;
}
