import { toNumber } from "#src/units/to-number.ts";
import { CALIBRATION } from "./calibration.ts";

/** A size and what it pays; null where it can't be sold whole. */
export type PaidSize = { readonly sizeLamports: bigint; readonly paidLamports: bigint | null };

const BPS = 10_000n;
/** How far apart sizes are tried while neither a sellable nor an unsellable one is known. */
const STRIDE = 30n;
/** How often, and how closely, the cheapest of sizes that all fail is searched. */
const CHEAPEST_STEPS = 16;
const CHEAPEST_PRECISION = 1.02;

/**
 * Exit capacity C10 in lamports (method.md section 3): the largest size up to 1000 SOL that loses at
 * most 10 %, to within the calibrated precision, never above it; 0 where no size does.
 *
 * Between a size that passes and one that fails, `size / paid` is tried where a straight line says
 * that it crosses, which on constant product is exact; where that gains too little, half-way.
 *
 * @param known ascending sizes already priced
 * @param paidFor what a size pays; asked a few times
 */
export function capacityOf(
  known: readonly PaidSize[],
  paidFor: (sizeLamports: bigint) => bigint | null,
): bigint {
  const { largestLamports, smallestLamports } = CALIBRATION.capacity;
  const price = (sizeLamports: bigint): PaidSize => ({
    sizeLamports,
    paidLamports: paidFor(sizeLamports),
  });
  let passing = known.findLast(passes) ?? cheapestPassing(known, price);
  let failing = known.find((entry) => !passes(entry) && isAbove(entry, passing)) ?? null;
  while (passing === null) {
    const from = failing?.sizeLamports ?? largestLamports;
    if (from <= smallestLamports) return 0n;
    const tried = price(from / STRIDE > smallestLamports ? from / STRIDE : smallestLamports);
    if (passes(tried)) passing = tried;
    else failing = tried;
  }
  let below = known.findLast((entry) => passes(entry) && entry !== passing) ?? null;
  while (failing === null) {
    if (passing.sizeLamports >= largestLamports) return largestLamports;
    const tried = price(beyond(below, passing));
    if (passes(tried)) [below, passing] = [passing, tried];
    else failing = tried;
  }
  return narrow(passing, failing, price);
}

/**
 * Where every known size fails and the smallest is not the cheapest (a transfer fee at its maximum, or units that are
 * rounded, take less of a larger sale): a size that passes next to the cheapest one, which is closed in on from both
 * sides. Null where none does.
 */
function cheapestPassing(
  known: readonly PaidSize[],
  price: (sizeLamports: bigint) => PaidSize,
): PaidSize | null {
  const shares = known.map(shareOf);
  const place = shares.indexOf(Math.max(...shares));
  const [before, cheapest, after] = [known[place - 1], known[place], known[place + 1]];
  if (before === undefined || cheapest === undefined) return null;
  let best = cheapest;
  let low = toNumber(before.sizeLamports);
  let high = toNumber(after?.sizeLamports ?? CALIBRATION.capacity.largestLamports);
  for (let step = 0; step < CHEAPEST_STEPS && high > low * CHEAPEST_PRECISION; step++) {
    const middle = toNumber(best.sizeLamports);
    const isAbove = high * low > middle * middle;
    const tried = price(BigInt(Math.round(Math.sqrt(middle * (isAbove ? high : low)))));
    if (passes(tried)) return tried;
    const isCheaper = shareOf(tried) > shareOf(best);
    const end = toNumber((isCheaper ? best : tried).sizeLamports);
    if (isAbove === isCheaper) low = end;
    else high = end;
    if (isCheaper) best = tried;
  }
  return null;
}

/** What of a size arrives, as a share; below 0 where it can't be sold whole. */
function shareOf({ sizeLamports, paidLamports }: PaidSize): number {
  return paidLamports === null ? -1 : toNumber(paidLamports) / toNumber(sizeLamports);
}

/** A size that should fail: a little past where the line through two passing ones crosses the limit. */
function beyond(below: PaidSize | null, passing: PaidSize): bigint {
  const { largestLamports } = CALIBRATION.capacity;
  const far = passing.sizeLamports * STRIDE;
  const crossed = below === null ? null : crossing(below, passing);
  const past =
    crossed === null || crossed > toNumber(far) ? far : BigInt(Math.ceil(1.02 * crossed));
  const next = past > passing.sizeLamports ? past : far;
  return next < largestLamports ? next : largestLamports;
}

function narrow(
  firstPassing: PaidSize,
  firstFailing: PaidSize,
  price: (sizeLamports: bigint) => PaidSize,
): bigint {
  let passing = firstPassing;
  let failing = firstFailing;
  let slowSteps = 0;
  while (true) {
    const low = toNumber(passing.sizeLamports);
    const high = toNumber(failing.sizeLamports);
    const step = Math.max(1, low * precisionAt(failing));
    if (high - low <= step) return passing.sizeLamports;
    const guess = (slowSteps > 1 ? null : crossing(passing, failing)) ?? Math.sqrt(low * high);
    const inside = Math.min(Math.max(guess, low + 0.4 * step), high - 0.4 * step);
    const size = BigInt(Math.round(inside));
    if (size <= passing.sizeLamports || size >= failing.sizeLamports) return passing.sizeLamports;
    const tried = price(size);
    if (passes(tried)) passing = tried;
    else failing = tried;
    const width = toNumber(failing.sizeLamports) - toNumber(passing.sizeLamports);
    slowSteps = width > (high - low) / 2 ? slowSteps + 1 : 0;
  }
}

function precisionAt(failing: PaidSize): number {
  const { relativePrecision, relativePrecisionAtRefusal } = CALIBRATION.capacity;
  return failing.paidLamports === null ? relativePrecisionAtRefusal : relativePrecision;
}

/** Where the straight line through both `size / paid` meets the limit; null where it never does. */
function crossing(smaller: PaidSize, larger: PaidSize): number | null {
  if (smaller.paidLamports === null || larger.paidLamports === null) return null;
  if (smaller.paidLamports === 0n || larger.paidLamports === 0n) return null;
  const limit = toNumber(BPS) / toNumber(BPS - CALIBRATION.capacity.slippageBps);
  const low = toNumber(smaller.sizeLamports);
  const high = toNumber(larger.sizeLamports);
  const lowLoss = low / toNumber(smaller.paidLamports) - limit;
  const highLoss = high / toNumber(larger.paidLamports) - limit;
  return highLoss <= lowLoss ? null : low + ((high - low) * -lowLoss) / (highLoss - lowLoss);
}

function passes({ sizeLamports, paidLamports }: PaidSize): boolean {
  if (paidLamports === null) return false;
  return paidLamports * BPS >= sizeLamports * (BPS - CALIBRATION.capacity.slippageBps);
}

function isAbove(entry: PaidSize, other: PaidSize | null): boolean {
  return other === null || entry.sizeLamports > other.sizeLamports;
}
