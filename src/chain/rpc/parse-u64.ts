/** A 64-bit number in decimal text; null: malformed. */
export function parseU64(text: string | undefined): bigint | null {
  return text !== undefined && /^\d{1,20}$/.test(text) ? BigInt(text) : null;
}
