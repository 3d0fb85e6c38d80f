export const BASE58_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const DIGITS = new Map([...BASE58_ALPHABET].map((character, digit) => [character, digit]));

/** Longer texts are refused: the work grows with the square of the length. */
const MAX_LENGTH = 8_192;

/**
 * Bytes of any length from base58 text, or null where the text is none or is longer than 8,192
 * characters. For the 32 bytes of an address use `addressBytes`, which is faster.
 */
export function base58Decode(text: string): Uint8Array | null {
  if (text.length > MAX_LENGTH) return null;
  /** Little-endian base 256. */
  const bytes: number[] = [];
  for (const character of text) {
    let carry = DIGITS.get(character) ?? -1;
    if (carry < 0) return null;
    for (let place = 0; place < bytes.length; place++) {
      carry += (bytes[place] ?? 0) * 58;
      bytes[place] = carry & 0xff;
      carry >>= 8;
    }
    for (; carry > 0; carry >>= 8) bytes.push(carry & 0xff);
  }
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  return Uint8Array.from([...new Array<number>(zeros).fill(0), ...bytes.reverse()]);
}

/** Base58 text of bytes of any length. */
export function base58Encode(bytes: Uint8Array): string {
  /** Little-endian base 58. */
  const digits: number[] = [];
  for (const byte of bytes) {
    let carry = byte;
    for (let place = 0; place < digits.length; place++) {
      carry += (digits[place] ?? 0) << 8;
      digits[place] = carry % 58;
      carry = Math.floor(carry / 58);
    }
    for (; carry > 0; carry = Math.floor(carry / 58)) digits.push(carry % 58);
  }
  const firstNonZero = bytes.findIndex((byte) => byte !== 0);
  const zeros = firstNonZero < 0 ? bytes.length : firstNonZero;
  return (
    "1".repeat(zeros) +
    digits
      .reverse()
      .map((digit) => BASE58_ALPHABET.charAt(digit))
      .join("")
  );
}
