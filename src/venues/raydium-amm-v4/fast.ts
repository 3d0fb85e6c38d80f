import type { Address } from "#src/units/address.ts";
import { mulDivCeilExact, mulDivFloorExact, QUOTIENT_LIMIT } from "#src/units/exact-doubles.ts";
import { TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { Account, AccountSet } from "../account-set.ts";
import { hasSameBytes, u64AsDouble } from "../fast-bytes.ts";
import { ASK_REFERENCE, type FastQuoter, REFUSED } from "../fast-quoter.ts";
import { fastBalance } from "../token/fast-balance.ts";
import type { Clock } from "../venue.ts";
import { type AmmState, decode, poolAddresses } from "./decode.ts";
import { POOL, POOL_LENGTH, PROGRAM_ID } from "./layout.ts";
import { statusAt } from "./quote.ts";

/** The fast path for selling `inputMint`, or null while only the reference can quote this pool. */
export function openFastAmmV4(
  pool: Address,
  known: AccountSet,
  inputMint: Address,
): FastQuoter | null {
  const quoter = new FastAmmV4(pool, inputMint);
  return quoter.refresh(known) ? quoter : null;
}

/**
 * AMM v4 in doubles. Vaults and what the protocol has yet to take are read from the bytes each time;
 * the rest is read by the reference decoder, again whenever its bytes differ.
 *
 * Guard: both vaults, and the input reserve with the order on top, lie below 2^52; the fee is a
 * proper fraction of numbers below 2^52. Then fee and output are one multiplication and division
 * each within the limits of exact doubles, and no balance leaves u64.
 */
class FastAmmV4 implements FastQuoter {
  readonly #pool: Address;
  readonly #inputMint: Address;
  #poolAccount: Account | null = null;
  #state: AmmState | null = null;
  #inputVault: Address | null = null;
  #outputVault: Address | null = null;
  #isCoinIn = false;
  #reserveIn = 0;
  #reserveOut = 0;
  #feeNumerator = 0;
  #feeDenominator = 0;

  constructor(pool: Address, inputMint: Address) {
    this.#pool = pool;
    this.#inputMint = inputMint;
  }

  refresh(known: AccountSet): boolean {
    if (!this.#hasSamePool(known) && !this.#readPool(known)) return false;
    if (this.#poolAccount === null || this.#inputVault === null || this.#outputVault === null) {
      return false;
    }
    const { data } = this.#poolAccount;
    const coinPnl = u64AsDouble(data, POOL.needTakePnlCoin);
    const pcPnl = u64AsDouble(data, POOL.needTakePnlPc);
    const heldIn = fastBalance(known.get(this.#inputVault), TOKEN_PROGRAM);
    const heldOut = fastBalance(known.get(this.#outputVault), TOKEN_PROGRAM);
    this.#reserveIn = heldIn - (this.#isCoinIn ? coinPnl : pcPnl);
    this.#reserveOut = heldOut - (this.#isCoinIn ? pcPnl : coinPnl);
    return (
      heldIn < QUOTIENT_LIMIT &&
      heldOut < QUOTIENT_LIMIT &&
      this.#reserveIn >= 1 &&
      this.#reserveOut >= 1
    );
  }

  quoteAscending(amountsIn: Float64Array, amountsOut: Float64Array, clock: Clock): void {
    const isOpen = this.#state !== null && statusAt(this.#state, clock) === "open";
    for (let index = 0; index < amountsIn.length; index++) {
      amountsOut[index] = isOpen ? this.#quote(amountsIn[index] ?? 0) : REFUSED;
    }
  }

  #quote(amountIn: number): number {
    if (!(amountIn < QUOTIENT_LIMIT - this.#reserveIn)) return ASK_REFERENCE;
    if (amountIn < 1) return REFUSED;
    const fee = mulDivCeilExact(amountIn, this.#feeNumerator, this.#feeDenominator);
    const swapped = amountIn - fee;
    const amountOut = mulDivFloorExact(this.#reserveOut, swapped, this.#reserveIn + swapped);
    return amountOut < 1 ? REFUSED : amountOut;
  }

  /**
   * Status, opening time and fee. Addresses are not compared: the program never changes them, and
   * bytes in which they changed would not decode.
   */
  #hasSamePool(known: AccountSet): boolean {
    const now = known.get(this.#pool) ?? null;
    const before = this.#poolAccount;
    if (now === null || before === null) return false;
    if (now === before) return true;
    if (now.owner !== PROGRAM_ID || now.data.length !== POOL_LENGTH) return false;
    this.#poolAccount = now;
    return (
      hasSameBytes(now.data, before.data, POOL.status, POOL.nonce) &&
      hasSameBytes(now.data, before.data, POOL.swapFeeNumerator, POOL.needTakePnlCoin) &&
      hasSameBytes(now.data, before.data, POOL.poolOpenTime, POOL.poolOpenTime + 8)
    );
  }

  #readPool(known: AccountSet): boolean {
    this.#poolAccount = null;
    const account = known.get(this.#pool);
    const addresses = poolAddresses(this.#pool, known);
    const decoded = decode(this.#pool, known);
    if (!account || addresses === null || decoded.kind === "unusable") return false;
    const { state } = decoded;
    this.#isCoinIn = this.#inputMint === state.coin.mint;
    if (!this.#isCoinIn && this.#inputMint !== state.pc.mint) return false;
    // What never trades is the reference's to refuse.
    if (state.coin.mint === state.pc.mint || state.coin.isFrozen || state.pc.isFrozen) return false;
    this.#feeNumerator = toNumber(state.swapFeeNumerator);
    this.#feeDenominator = toNumber(state.swapFeeDenominator);
    if (!(this.#feeDenominator < QUOTIENT_LIMIT)) return false;
    if (!(this.#feeNumerator < this.#feeDenominator)) return false;
    this.#state = state;
    this.#inputVault = this.#isCoinIn ? addresses.coinVault : addresses.pcVault;
    this.#outputVault = this.#isCoinIn ? addresses.pcVault : addresses.coinVault;
    this.#poolAccount = account;
    return true;
  }
}
