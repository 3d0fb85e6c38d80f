/**
 * Shares with this many decimals, whose sum is the rounded sum of the exact ones: each is rounded down, and
 * the units that are left go to the largest remainders.
 */
export function roundedShares(shares: readonly number[], decimals = 0): readonly number[] {
  const scale = 10 ** decimals;
  const units = shares.map((share) => share * scale);
  // Half a unit is rounded up, also where binary fractions add up to a little less.
  const total = Math.round(Number(units.reduce((sum, share) => sum + share, 0).toFixed(6)));
  const whole = units.map(Math.floor);
  const left = total - whole.reduce((sum, share) => sum + share, 0);
  const byRemainder = units
    .map((share, place) => ({ place, remainder: share - Math.floor(share) }))
    .toSorted((a, b) => b.remainder - a.remainder);
  for (const { place } of byRemainder.slice(0, left)) whole[place] = (whole[place] ?? 0) + 1;
  return whole.map((share) => share / scale);
}

/** A rounded share to show; the exact one where rounding makes none or all of it. */
export function shownShare(rounded: number | undefined, exact: number): number {
  return rounded === undefined || rounded === 0 || rounded >= 100 ? exact : rounded;
}
