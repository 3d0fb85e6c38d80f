import { checkedU64, checkedU128, divCeil, divFloor } from "#src/units/integer.ts";
import { FEE_RATE_DENOMINATOR } from "./layout.ts";

/** `ceil(amount * rate / 1,000,000)` in base units. @throws MathError past u128 */
export function feeCeil(amount: bigint, rate: bigint): bigint {
  const product = checkedU128(amount * rate + FEE_RATE_DENOMINATOR, "fee product");
  return divCeil(product - FEE_RATE_DENOMINATOR, FEE_RATE_DENOMINATOR);
}

/** `floor(amount * rate / 1,000,000)` in base units. @throws MathError past u128 */
export function feeFloor(amount: bigint, rate: bigint): bigint {
  return divFloor(checkedU128(amount * rate, "fee product"), FEE_RATE_DENOMINATOR);
}

/** What an order leaves in fees of its input token, and the creator's part of it, in base units. */
export type InputFees = { readonly trade: bigint; readonly creator: bigint };

/**
 * Fees of an order whose creator fee is taken from the input: one rounding up over both rates, then
 * the creator's share of it rounded down (program of November 2025 and later).
 *
 * @throws MathError where both rates are zero: the program divides by their sum
 */
export function feesWithCreator(amount: bigint, tradeRate: bigint, creatorRate: bigint): InputFees {
  const rate = checkedU64(tradeRate + creatorRate, "fee rate");
  const total = feeCeil(amount, rate);
  const creator = divFloor(checkedU128(total * creatorRate), rate);
  return { trade: total - creator, creator };
}
