/**
 * Shares in whole percent that add up to what the exact ones add up to: each is rounded down, and the
 * points that are left go to the largest remainders.
 */
export function roundedShares(shares: readonly number[]): readonly number[] {
  const total = Math.round(shares.reduce((sum, share) => sum + share, 0));
  const whole = shares.map(Math.floor);
  const left = total - whole.reduce((sum, share) => sum + share, 0);
  const byRemainder = shares
    .map((share, place) => ({ place, remainder: share - Math.floor(share) }))
    .toSorted((a, b) => b.remainder - a.remainder);
  for (const { place } of byRemainder.slice(0, left)) whole[place] = (whole[place] ?? 0) + 1;
  return whole;
}
