/** The value below which this share of the values lies, 0 to 1; null: there are none. */
export function quantile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
}

/** The middle value, the upper one of an even count; NaN: there are none. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5) ?? Number.NaN;
}
