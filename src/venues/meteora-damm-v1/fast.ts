import type { Address } from "#src/units/address.ts";
import { EXACT_LIMIT, mulDivFloorExact, QUOTIENT_LIMIT } from "#src/units/exact-doubles.ts";
import { TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { Account, AccountSet } from "../account-set.ts";
import { hasSameBytes, u64AsDouble } from "../fast-bytes.ts";
import { ASK_REFERENCE, type FastQuoter, REFUSED } from "../fast-quoter.ts";
import { fastBalance, fastSupply } from "../token/fast-balance.ts";
import type { Clock } from "../venue.ts";
import { type DammV1State, decode, poolAddresses, vaultAddresses } from "./decode.ts";
import {
  LOCKED_PROFIT_DENOMINATOR,
  POOL,
  PROGRAM_ID,
  VAULT,
  VAULT_END,
  VAULT_PROGRAM_ID,
} from "./layout.ts";
import { statusAt } from "./quote.ts";

const PROFIT_DENOMINATOR = toNumber(LOCKED_PROFIT_DENOMINATOR);

/** The fast path for selling `inputMint`, or null while only the reference can quote this pool. */
export function openFastDammV1(
  pool: Address,
  known: AccountSet,
  inputMint: Address,
): FastQuoter | null {
  const quoter = new FastDammV1(pool, inputMint);
  return quoter.refresh(known) ? quoter : null;
}

/** One side's vault and the pool's share of it, as numbers. */
class FastShare {
  readonly vault: Address;
  readonly tokenVault: Address;
  readonly lpMint: Address;
  readonly poolLpAccount: Address;
  readonly #bytes: Uint8Array;
  total = 0;
  lockedProfit = 0;
  lastReport = 0;
  degradation = 0;
  lpSupply = 0;
  poolLp = 0;
  unlent = 0;
  takesDeposits = false;

  constructor(
    addresses: {
      readonly vault: Address;
      readonly tokenVault: Address;
      readonly lpMint: Address;
      readonly poolLp: Address;
    },
    bytes: Uint8Array,
  ) {
    this.vault = addresses.vault;
    this.tokenVault = addresses.tokenVault;
    this.lpMint = addresses.lpMint;
    this.poolLpAccount = addresses.poolLp;
    this.#bytes = bytes;
  }

  /** Guard: every number lies below 2^52. False also where the vault leads elsewhere now. */
  read(known: AccountSet): boolean {
    const vault = known.get(this.vault);
    if (!vault || vault.owner !== VAULT_PROGRAM_ID || vault.data.length < VAULT_END) return false;
    const { data } = vault;
    if (!hasSameBytes(data, this.#bytes, 0, VAULT.enabled)) return false;
    if (!hasSameBytes(data, this.#bytes, VAULT.tokenVault, VAULT.feeVault)) return false;
    if (!hasSameBytes(data, this.#bytes, VAULT.tokenMint, VAULT.lpMint + 32)) return false;
    this.takesDeposits = data[VAULT.enabled] !== 0;
    this.total = u64AsDouble(data, VAULT.totalAmount);
    this.lockedProfit = u64AsDouble(data, VAULT.lastUpdatedLockedProfit);
    this.lastReport = u64AsDouble(data, VAULT.lastReport);
    this.degradation = u64AsDouble(data, VAULT.lockedProfitDegradation);
    this.lpSupply = fastSupply(known.get(this.lpMint), TOKEN_PROGRAM);
    this.poolLp = fastBalance(known.get(this.poolLpAccount), TOKEN_PROGRAM);
    this.unlent = fastBalance(known.get(this.tokenVault), TOKEN_PROGRAM);
    return (
      this.total < QUOTIENT_LIMIT &&
      this.lockedProfit <= this.total &&
      this.lastReport < QUOTIENT_LIMIT &&
      this.degradation < QUOTIENT_LIMIT &&
      this.lpSupply >= 1 &&
      this.lpSupply < QUOTIENT_LIMIT &&
      this.poolLp < QUOTIENT_LIMIT &&
      this.unlent < QUOTIENT_LIMIT
    );
  }

  /** What the shares of the vault are worth together; NaN before the last report. */
  unlockedAt(unixTimestamp: number): number {
    const seconds = unixTimestamp - this.lastReport;
    if (!(seconds >= 0)) return Number.NaN;
    // Past the denominator all is released, however the product is rounded beyond it.
    const released = seconds * this.degradation;
    if (released > PROFIT_DENOMINATOR) return this.total;
    const left = PROFIT_DENOMINATOR - released;
    return this.total - mulDivFloorExact(this.lockedProfit, left, PROFIT_DENOMINATOR);
  }
}

/**
 * DAMM v1's constant product in doubles; stable pools are the reference's. Each step of the program
 * is one multiplication and division within the limits of exact doubles.
 *
 * Guard: what the vaults hold, their shares and the order on top lie below 2^52; the fees are proper
 * fractions of numbers below 2^52.
 */
class FastDammV1 implements FastQuoter {
  readonly #pool: Address;
  readonly #inputMint: Address;
  #poolAccount: Account | null = null;
  #state: DammV1State | null = null;
  #input: FastShare | null = null;
  #output: FastShare | null = null;
  #tradeNumerator = 0;
  #tradeDenominator = 1;
  #protocolNumerator = 0;
  #protocolDenominator = 1;
  #unlockedIn = 0;
  #unlockedOut = 0;
  #reserveIn = 0;
  #reserveOut = 0;

  constructor(pool: Address, inputMint: Address) {
    this.#pool = pool;
    this.#inputMint = inputMint;
  }

  refresh(known: AccountSet): boolean {
    if (!this.#hasSamePool(known) && !this.#readPool(known)) return false;
    if (this.#readShares(known)) return true;
    // A vault may lead elsewhere now: read everything anew, once.
    return this.#readPool(known) && this.#readShares(known);
  }

  #readShares(known: AccountSet): boolean {
    return this.#input?.read(known) === true && this.#output?.read(known) === true;
  }

  quoteAscending(amountsIn: Float64Array, amountsOut: Float64Array, clock: Clock): void {
    const isOpen = this.#state !== null && statusAt(this.#state, clock) === "open";
    const input = this.#input;
    const output = this.#output;
    if (!isOpen || input === null || output === null || !input.takesDeposits) {
      amountsOut.fill(REFUSED, 0, amountsIn.length);
      return;
    }
    const now = toNumber(clock.unixTimestamp);
    this.#unlockedIn = input.unlockedAt(now);
    this.#unlockedOut = output.unlockedAt(now);
    this.#reserveIn = mulDivFloorExact(input.poolLp, this.#unlockedIn, input.lpSupply);
    this.#reserveOut = mulDivFloorExact(output.poolLp, this.#unlockedOut, output.lpSupply);
    for (let index = 0; index < amountsIn.length; index++) {
      amountsOut[index] = this.#quote(amountsIn[index] ?? 0, input, output);
    }
  }

  /** Whatever leaves the range is NaN from there on: ask the reference. */
  #quote(amountIn: number, input: FastShare, output: FastShare): number {
    if (!(amountIn < QUOTIENT_LIMIT - this.#unlockedIn)) return ASK_REFERENCE;
    if (!(amountIn < QUOTIENT_LIMIT - input.unlent)) return ASK_REFERENCE;
    if (amountIn < 1) return REFUSED;
    const totalFee = feeOf(amountIn, this.#tradeNumerator, this.#tradeDenominator);
    const protocolFee = feeOf(totalFee, this.#protocolNumerator, this.#protocolDenominator);
    const deposit = amountIn - protocolFee;
    if (deposit < 1) return REFUSED;
    const shares = mulDivFloorExact(deposit, input.lpSupply, this.#unlockedIn);
    const supply = input.lpSupply + shares;
    if (!(supply < QUOTIENT_LIMIT)) return ASK_REFERENCE;
    const unlocked = this.#unlockedIn + deposit;
    const reserveAfter = mulDivFloorExact(input.poolLp + shares, unlocked, supply);
    const source = reserveAfter - this.#reserveIn - (totalFee - protocolFee);
    if (source < 0) return REFUSED;
    const after = this.#reserveIn + source;
    if (!(after < QUOTIENT_LIMIT)) return ASK_REFERENCE;
    // Where the product could fall below the new reserve the ceiling division may fail.
    if (!(this.#reserveIn * this.#reserveOut >= EXACT_LIMIT)) return ASK_REFERENCE;
    const swapped = mulDivFloorExact(this.#reserveOut, source, after);
    if (swapped < 1) return REFUSED;
    const burned = mulDivFloorExact(swapped, output.lpSupply, this.#unlockedOut);
    const amountOut = mulDivFloorExact(burned, this.#unlockedOut, output.lpSupply);
    return amountOut >= output.unlent ? REFUSED : amountOut;
  }

  #hasSamePool(known: AccountSet): boolean {
    const now = known.get(this.#pool) ?? null;
    const before = this.#poolAccount;
    if (now === null || before === null) return false;
    if (now === before) return true;
    if (now.owner !== PROGRAM_ID || now.data.length !== before.data.length) return false;
    this.#poolAccount = now;
    return hasSameBytes(now.data, before.data, 0, POOL.curveType + 1);
  }

  #readPool(known: AccountSet): boolean {
    this.#poolAccount = null;
    const account = known.get(this.#pool);
    const addresses = poolAddresses(this.#pool, known);
    const decoded = decode(this.#pool, known);
    if (!account || addresses === null || decoded.kind === "unusable") return false;
    const { state } = decoded;
    const isAToB = this.#inputMint === state.a.mint;
    if (!isAToB && this.#inputMint !== state.b.mint) return false;
    if (state.curve.kind !== "constant-product" || !this.#readFees(state)) return false;
    const shareOf = (vault: Address, poolLp: Address): FastShare | null => {
      const vaultAccount = known.get(vault);
      const behind = vaultAddresses(vault, known);
      if (!vaultAccount || behind === null) return null;
      return new FastShare({ vault, poolLp, ...behind }, vaultAccount.data);
    };
    const a = shareOf(addresses.vaultA, addresses.poolLpA);
    const b = shareOf(addresses.vaultB, addresses.poolLpB);
    this.#input = isAToB ? a : b;
    this.#output = isAToB ? b : a;
    this.#state = state;
    this.#poolAccount = account;
    return true;
  }

  #readFees(state: DammV1State): boolean {
    this.#tradeNumerator = toNumber(state.tradeFeeNumerator);
    this.#tradeDenominator = toNumber(state.tradeFeeDenominator);
    this.#protocolNumerator = toNumber(state.protocolFeeNumerator);
    this.#protocolDenominator = toNumber(state.protocolFeeDenominator);
    return (
      this.#tradeNumerator < this.#tradeDenominator &&
      this.#tradeDenominator < QUOTIENT_LIMIT &&
      this.#protocolNumerator <= this.#protocolDenominator &&
      this.#protocolDenominator >= 1 &&
      this.#protocolDenominator < QUOTIENT_LIMIT
    );
  }
}

/** Rounded down, but at least one unit of anything. */
function feeOf(amount: number, numerator: number, denominator: number): number {
  if (numerator === 0 || amount === 0) return 0;
  const fee = mulDivFloorExact(amount, numerator, denominator);
  return fee === 0 ? 1 : fee;
}
