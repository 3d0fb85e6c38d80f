import { checkedU64, checkedU128, divFloor } from "#src/units/integer.ts";
import { MathError } from "#src/units/math-error.ts";

const U192_MAX = (1n << 192n) - 1n;
const COINS = 2n;
const MAX_ROUNDS = 256;

/** The value itself where it fits the program's 192-bit integers. @throws MathError elsewhere */
function checkedU192(value: bigint): bigint {
  if (value < 0n) throw new MathError("underflow", { what: "u192", value });
  if (value > U192_MAX) throw new MathError("overflow", { what: "u192", value });
  return value;
}

/**
 * The invariant D of a two-coin stable pool, by Newton's method in the program's own steps, to
 * within one unit; amounts in the curve's common precision.
 *
 * @throws MathError where a step leaves its width, or one amount alone is zero
 * @see compute_d2 in mercurial-finance/stable-swap 140c2e0
 */
export function stableInvariant(amp: bigint, amountA: bigint, amountB: bigint): bigint {
  const sum = checkedU128(amountA + amountB, "sum of reserves");
  if (sum === 0n) return 0n;
  const ann = checkedU64(amp * COINS, "amp");
  const leverage = checkedU128(sum * ann, "leverage");
  const annLessOne = checkedU64(ann - 1n, "amp");
  const timesA = checkedU128(amountA * COINS);
  const timesB = checkedU128(amountB * COINS);
  let d = sum;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const partial = divFloor(checkedU192(d * d), timesA);
    const product = divFloor(checkedU192(partial * d), timesB);
    const numerator = checkedU192(d * checkedU192(product * COINS + leverage));
    const denominator = checkedU192(d * annLessOne + product * (COINS + 1n));
    const next = divFloor(numerator, denominator);
    const distance = next > d ? next - d : d - next;
    d = next;
    if (distance <= 1n) break;
  }
  return d;
}

/**
 * The reserve that goes with the other reserve `x` at invariant `d`, to within one unit.
 *
 * @throws MathError where a step leaves its width
 * @see compute_y_raw2 in mercurial-finance/stable-swap 140c2e0
 */
export function stableReserve(amp: bigint, x: bigint, d: bigint): bigint {
  const ann = checkedU64(amp * COINS, "amp");
  const first = divFloor(checkedU192(d * d), checkedU128(x * COINS));
  const c = divFloor(checkedU192(first * d), checkedU64(ann * COINS, "amp"));
  const b = checkedU192(divFloor(d, ann) + x);
  let y = d;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const numerator = checkedU192(checkedU192(y * y) + c);
    const denominator = checkedU192(checkedU192(y * 2n + b) - d);
    const next = divFloor(numerator, denominator);
    const distance = next > y ? next - y : y - next;
    y = next;
    if (distance <= 1n) break;
  }
  return checkedU128(y, "reserve");
}
