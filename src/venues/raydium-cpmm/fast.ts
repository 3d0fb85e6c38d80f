import type { Address } from "#src/units/address.ts";
import { mulDivCeilExact, mulDivFloorExact, QUOTIENT_LIMIT } from "#src/units/exact-doubles.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { Account, AccountSet } from "../account-set.ts";
import { hasSameBytes, u64AsDouble } from "../fast-bytes.ts";
import { ASK_REFERENCE, type FastQuoter, REFUSED } from "../fast-quoter.ts";
import { fastBalance } from "../token/fast-balance.ts";
import type { Clock } from "../venue.ts";
import { type CpmmState, type CpmmToken, decode, poolAddresses } from "./decode.ts";
import { FEE_RATE_DENOMINATOR, POOL, POOL_LENGTH, PROGRAM_ID } from "./layout.ts";
import { creatorFeeIsOnInput, statusAt } from "./quote.ts";

const DENOMINATOR = toNumber(FEE_RATE_DENOMINATOR);

/** The fast path for selling `inputMint`, or null while only the reference can quote this pool. */
export function openFastCpmm(
  pool: Address,
  known: AccountSet,
  inputMint: Address,
): FastQuoter | null {
  const quoter = new FastCpmm(pool, inputMint);
  return quoter.refresh(known) ? quoter : null;
}

/** What swaps do not change, as the reference decoder read it, and the accounts that it read. */
type Fixed = {
  readonly state: CpmmState;
  readonly configAddress: Address;
  readonly config: Account;
  readonly extendedMints: readonly { readonly mint: Address; readonly account: Account }[];
  readonly vault0: Address;
  readonly vault1: Address;
  readonly program0: Address;
  readonly program1: Address;
  readonly isZeroForOne: boolean;
};

/**
 * CPMM in doubles. Vaults and fees owed are read from the bytes each time; the rest is read by the
 * reference decoder, again whenever its bytes differ.
 *
 * Guard: both vaults and what is owed from them, and the input reserve with the order on top, lie
 * below 2^52; trade and creator rate together are below one, protocol's and fund's share at most
 * one. Then fee, output and creator's fee are one
 * multiplication and division each within the limits of exact doubles, and no balance leaves u64.
 * Mints with a transfer fee or a hook are the reference's.
 */
class FastCpmm implements FastQuoter {
  readonly #pool: Address;
  readonly #inputMint: Address;
  #poolAccount: Account | null = null;
  #fixed: Fixed | null = null;
  #rateIn = 0;
  #rateOut = 0;
  #reserveIn = 0;
  #reserveOut = 0;

  constructor(pool: Address, inputMint: Address) {
    this.#pool = pool;
    this.#inputMint = inputMint;
  }

  refresh(known: AccountSet): boolean {
    if (!this.#hasSameFixed(known)) this.#fixed = this.#readFixed(known);
    const fixed = this.#fixed;
    if (fixed === null || this.#poolAccount === null) return false;
    const { data } = this.#poolAccount;
    const owed0 =
      u64AsDouble(data, POOL.protocolFeesToken0) +
      u64AsDouble(data, POOL.fundFeesToken0) +
      u64AsDouble(data, POOL.creatorFeesToken0);
    const owed1 =
      u64AsDouble(data, POOL.protocolFeesToken1) +
      u64AsDouble(data, POOL.fundFeesToken1) +
      u64AsDouble(data, POOL.creatorFeesToken1);
    const vault0 = fastBalance(known.get(fixed.vault0), fixed.program0);
    const vault1 = fastBalance(known.get(fixed.vault1), fixed.program1);
    const reserve0 = vault0 - owed0;
    const reserve1 = vault1 - owed1;
    this.#reserveIn = fixed.isZeroForOne ? reserve0 : reserve1;
    this.#reserveOut = fixed.isZeroForOne ? reserve1 : reserve0;
    const isInRange = vault0 < QUOTIENT_LIMIT && vault1 < QUOTIENT_LIMIT;
    return isInRange && reserve0 >= 1 && reserve1 >= 1;
  }

  quoteAscending(amountsIn: Float64Array, amountsOut: Float64Array, clock: Clock): void {
    const isOpen = this.#fixed !== null && statusAt(this.#fixed.state, clock) === "open";
    for (let index = 0; index < amountsIn.length; index++) {
      amountsOut[index] = isOpen ? this.#quote(amountsIn[index] ?? 0) : REFUSED;
    }
  }

  #quote(amountIn: number): number {
    if (!(amountIn < QUOTIENT_LIMIT - this.#reserveIn)) return ASK_REFERENCE;
    if (amountIn < 1) return REFUSED;
    const swapped = amountIn - mulDivCeilExact(amountIn, this.#rateIn, DENOMINATOR);
    const gross = mulDivFloorExact(this.#reserveOut, swapped, this.#reserveIn + swapped);
    const amountOut =
      this.#rateOut === 0 ? gross : gross - mulDivCeilExact(gross, this.#rateOut, DENOMINATOR);
    return amountOut < 1 ? REFUSED : amountOut;
  }

  #hasSameFixed(known: AccountSet): boolean {
    const fixed = this.#fixed;
    if (fixed === null || known.get(fixed.configAddress) !== fixed.config) return false;
    for (const { mint, account } of fixed.extendedMints) {
      if (known.get(mint) !== account) return false;
    }
    return this.#hasSamePool(known);
  }

  /**
   * Status, opening time and creator's fee. Addresses are not compared: the program never changes
   * them, and bytes in which they changed would not decode.
   */
  #hasSamePool(known: AccountSet): boolean {
    const now = known.get(this.#pool) ?? null;
    const before = this.#poolAccount;
    if (now === null || before === null) return false;
    if (now === before) return true;
    if (now.owner !== PROGRAM_ID || now.data.length !== POOL_LENGTH) return false;
    this.#poolAccount = now;
    return (
      now.data[POOL.status] === before.data[POOL.status] &&
      now.data[POOL.creatorFeeOn] === before.data[POOL.creatorFeeOn] &&
      now.data[POOL.enableCreatorFee] === before.data[POOL.enableCreatorFee] &&
      hasSameBytes(now.data, before.data, POOL.openTime, POOL.recentEpoch)
    );
  }

  #readFixed(known: AccountSet): Fixed | null {
    this.#poolAccount = null;
    const addresses = poolAddresses(this.#pool, known);
    const account = known.get(this.#pool);
    const decoded = decode(this.#pool, known);
    if (!account || addresses === null || decoded.kind === "unusable") return null;
    const { state } = decoded;
    const isZeroForOne = this.#inputMint === state.token0.mint;
    if (!isZeroForOne && this.#inputMint !== state.token1.mint) return null;
    if (isBeyond(state.token0) || isBeyond(state.token1)) return null;
    // Without any rate on the input the program divides by zero: the reference refuses.
    const rates = state.tradeFeeRate + state.creatorFeeRate;
    if (rates === 0n || rates >= FEE_RATE_DENOMINATOR) return null;
    if (state.protocolFeeRate > FEE_RATE_DENOMINATOR) return null;
    if (state.fundFeeRate > FEE_RATE_DENOMINATOR) return null;
    const config = known.get(addresses.config);
    const vault0 = known.get(addresses.vault0);
    const vault1 = known.get(addresses.vault1);
    if (!config || !vault0 || !vault1) return null;
    const isOnInput = creatorFeeIsOnInput(state, isZeroForOne);
    this.#rateIn = toNumber(isOnInput ? rates : state.tradeFeeRate);
    this.#rateOut = isOnInput ? 0 : toNumber(state.creatorFeeRate);
    this.#poolAccount = account;
    const extended: Fixed["extendedMints"] = [
      ...(addresses.isExtended0 ? [addresses.mint0] : []),
      ...(addresses.isExtended1 ? [addresses.mint1] : []),
    ].flatMap((mint) => {
      const mintAccount = known.get(mint);
      return mintAccount ? [{ mint, account: mintAccount }] : [];
    });
    return {
      state,
      configAddress: addresses.config,
      config,
      extendedMints: extended,
      vault0: addresses.vault0,
      vault1: addresses.vault1,
      program0: vault0.owner,
      program1: vault1.owner,
      isZeroForOne,
    };
  }
}

function isBeyond(token: CpmmToken): boolean {
  return token.isStuck || token.transferFee !== null;
}
