const WORD = 2 ** 32;

/** Four bytes, little-endian, as an unsigned double. For fast paths: nothing is allocated or checked. */
export function word(data: Uint8Array, at: number): number {
  return (
    ((data[at] ?? 0) |
      ((data[at + 1] ?? 0) << 8) |
      ((data[at + 2] ?? 0) << 16) |
      ((data[at + 3] ?? 0) << 24)) >>>
    0
  );
}

/** An unsigned 128-bit integer without its lowest 32 bits; exact below 2^53. */
export function upperWords(data: Uint8Array, at: number): number {
  return (word(data, at + 12) * WORD + word(data, at + 8)) * WORD + word(data, at + 4);
}

/** A signed 128-bit integer without its lowest 32 bits; exact where its magnitude is below 2^53. */
export function signedUpperWords(data: Uint8Array, at: number): number {
  return ((word(data, at + 12) | 0) * WORD + word(data, at + 8)) * WORD + word(data, at + 4);
}
