import { EXACT_LIMIT } from "#src/units/exact-doubles.ts";
import { baseInStretch, quoteInStretch } from "./curve.ts";
import type { DbcConfig } from "./state.ts";

const TWO_128 = 2 ** 128;
/**
 * A price or a liquidity takes one rounding to become a double, and at most seven more make an amount
 * of it: the relative error is below 2^-49. Twice that is held clear of every integer.
 */
const DOUBT = 2 ** -48;
const POINTS = 20;

/**
 * The stretches that one direction passes from the current price on: what draining each takes and
 * pays, in integers once, and its numbers for the order that ends in it, in doubles.
 */
export class FastCurve {
  count = 0;
  /** Input that drains the stretch; infinite: more than any order of the fast path. */
  readonly need = new Float64Array(POINTS + 1);
  /** What draining it pays; NaN where no double holds it. */
  readonly out = new Float64Array(POINTS + 1);
  readonly #isBuy: boolean;
  readonly #price = new Float64Array(POINTS + 1);
  readonly #liquidity = new Float64Array(POINTS + 1);
  /** What one unit of the price's own rounding may take from the output. */
  readonly #slack = new Float64Array(POINTS + 1);
  /** Base units per unit of price at the curve's start, for sales that go past it. */
  #pastStart = 0;

  constructor(isBuy: boolean) {
    this.#isBuy = isBuy;
  }

  /** Lays the stretches out anew. Follows `sellBase` and `buyBase` of the reference. */
  read(config: DbcConfig, sqrtPrice: bigint): void {
    this.count = 0;
    if (this.#isBuy) this.#readUp(config, sqrtPrice);
    else this.#readDown(config, sqrtPrice);
  }

  /** What the stretch pays for input that does not drain it, or NaN where doubles can't prove it. */
  partialOut(stretch: number, left: number): number {
    const price = this.#price[stretch] ?? Number.NaN;
    const liquidity = this.#liquidity[stretch] ?? Number.NaN;
    const value = this.#isBuy
      ? (left * TWO_128) / (price * (price + (left * TWO_128) / liquidity))
      : (liquidity * ((left * price * price) / (liquidity + left * price))) / TWO_128;
    const floor = Math.floor(value);
    const fraction = value - floor;
    const doubt = value * DOUBT;
    const isProved =
      fraction > doubt + (this.#slack[stretch] ?? Number.NaN) && fraction < 1 - doubt;
    return isProved || left === 0 ? floor : Number.NaN;
  }

  /** Whether a sale that drained all stretches with `left` to spare is refused beyond doubt. */
  isRefusedPastEnd(left: number): boolean {
    return this.#isBuy || left > 2 * this.#pastStart + 2;
  }

  #readDown({ curve, sqrtStartPrice }: DbcConfig, sqrtPrice: bigint): void {
    let upper = sqrtPrice;
    for (let index = curve.length - 2; index >= 0; index--) {
      const point = curve[index];
      const liquidity = curve[index + 1]?.liquidity ?? 0n;
      if (point === undefined || point.sqrtPrice === 0n || point.liquidity === 0n) continue;
      if (point.sqrtPrice >= upper) continue;
      this.#add(point.sqrtPrice, upper, liquidity);
      upper = point.sqrtPrice;
    }
    const liquidity = curve[0]?.liquidity ?? 0n;
    if (sqrtStartPrice < upper) this.#add(sqrtStartPrice, upper, liquidity);
    const start = Number(sqrtStartPrice);
    this.#pastStart = Number(liquidity) / (start * start);
  }

  #readUp({ curve, migrationSqrtPrice }: DbcConfig, sqrtPrice: bigint): void {
    let lower = sqrtPrice;
    for (const { sqrtPrice: end, liquidity } of curve) {
      if (end === 0n || liquidity === 0n) return;
      const upper = migrationSqrtPrice < end ? migrationSqrtPrice : end;
      if (upper <= lower) continue;
      this.#add(lower, upper, liquidity);
      lower = upper;
    }
  }

  #add(lower: bigint, upper: bigint, liquidity: bigint): void {
    const stretch = { lower, upper, liquidity };
    const base = baseInStretch(stretch, this.#isBuy ? "down" : "up");
    const quote = quoteInStretch(stretch, this.#isBuy ? "up" : "down");
    const [need, out] = this.#isBuy ? [quote, base] : [base, quote];
    const at = this.count++;
    const price = Number(this.#isBuy ? lower : upper);
    this.need[at] = need < BigInt(EXACT_LIMIT) ? Number(need) : Number.POSITIVE_INFINITY;
    this.out[at] = out < BigInt(EXACT_LIMIT) ? Number(out) : Number.NaN;
    this.#price[at] = price;
    this.#liquidity[at] = Number(liquidity);
    this.#slack[at] = this.#isBuy
      ? Number(liquidity) / (price * price)
      : Number(liquidity) / TWO_128;
  }
}
