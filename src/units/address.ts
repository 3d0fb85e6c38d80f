import { BASE58_ALPHABET } from "./base58.ts";
/** A Solana address: the base58 text of 32 bytes. */
export type Address = string & { readonly __brand: "Address" };

const DIGIT_OF_CODE = new Int8Array(128).fill(-1);
for (let digit = 0; digit < BASE58_ALPHABET.length; digit++)
  DIGIT_OF_CODE[BASE58_ALPHABET.charCodeAt(digit)] = digit;

/** 58^5: the base that five base58 digits make, small enough that limb products stay exact doubles. */
const LIMB = 656_356_768;
const LIMBS = 9;
const HALF_WORD = 2 ** 16;
/** The limbs of the address that is being encoded, and its characters: they are kept to save allocations. */
const ENCODED_LIMBS = new Float64Array(LIMBS);
const MAX_CHARACTERS = 44;
const ENCODED = Buffer.alloc(MAX_CHARACTERS);
const CODES = Buffer.from(BASE58_ALPHABET, "latin1");
const DIGITS_OF_LIMB = 5;

/** The address in base58 text, or null where the text is not the base58 form of exactly 32 bytes. */
export function parseAddress(text: string): Address | null {
  return addressBytes(text) === null ? null : (text as Address);
}

/** An address known at compile time. @throws TypeError where the text is not an address: our own mistake */
export function address(text: string): Address {
  const parsed = parseAddress(text);
  if (parsed === null) throw new TypeError(`not a Solana address: ${text}`);
  return parsed;
}

/**
 * Cache of recent texts by a hash of their bytes, with the bytes: accounts repeat the same few
 * addresses, and comparing costs a thirtieth of converting. A module-level cache, because the result
 * is a pure function of the bytes. At most this many entries (13 MB); a new entry replaces the one in
 * its slot, so hostile bytes cost a conversion at most. The bytes are compared, so a hash collision
 * never returns another address.
 */
const RECENT = 1 << 17;
const recentBytes = new Uint8Array(32 * RECENT);
const recentTexts: (Address | undefined)[] = new Array<Address | undefined>(RECENT).fill(undefined);

/** The 32 bytes at `offset` as base58 text. @throws RangeError where the bytes end before */
export function addressFromBytes(bytes: Uint8Array, offset = 0): Address {
  if (offset < 0 || offset + 32 > bytes.length)
    throw new RangeError("address past the end of the bytes");
  const place = recentPlace(bytes, offset);
  const recent = recentTexts[place];
  if (recent !== undefined && isRecent(place, bytes, offset)) return recent;
  const text = encodeBase58(bytes, offset);
  for (let index = 0; index < 32; index++)
    recentBytes[32 * place + index] = bytes[offset + index] ?? 0;
  recentTexts[place] = text;
  return text;
}

function recentPlace(bytes: Uint8Array, offset: number): number {
  let hash = 0;
  for (let index = 0; index < 32; index += 4) {
    hash = Math.imul(hash ^ (bytes[offset + index] ?? 0), 0x01000193);
    hash = Math.imul(hash ^ (bytes[offset + index + 1] ?? 0), 0x01000193);
  }
  return (hash ^ (hash >>> 15)) & (RECENT - 1);
}

function isRecent(place: number, bytes: Uint8Array, offset: number): boolean {
  const start = 32 * place;
  for (let index = 0; index < 32; index++) {
    if (recentBytes[start + index] !== bytes[offset + index]) return false;
  }
  return true;
}

/** One flat string: joined parts would take ten times as much memory, and stay joined where they are kept. */
function encodeBase58(bytes: Uint8Array, offset: number): Address {
  const used = toLimbs(bytes, offset);
  let start = MAX_CHARACTERS;
  for (let limb = 0; limb < used; limb++) {
    let rest = ENCODED_LIMBS[limb] ?? 0;
    const least = limb === used - 1 ? 0 : DIGITS_OF_LIMB;
    for (let digits = 0; digits < least || rest > 0; digits++) {
      ENCODED[--start] = CODES[rest % 58] ?? 0;
      rest = Math.floor(rest / 58);
    }
  }
  for (let index = 0; index < 32 && bytes[offset + index] === 0; index++)
    ENCODED[--start] = CODES[0] ?? 0;
  return ENCODED.toString("latin1", start, MAX_CHARACTERS) as Address;
}

/** Writes the number that 32 bytes are into `ENCODED_LIMBS`, the lowest limb first. @returns the limbs used */
function toLimbs(bytes: Uint8Array, offset: number): number {
  ENCODED_LIMBS.fill(0);
  let used = 1;
  for (let index = 0; index < 32; index += 2) {
    let carry = ((bytes[offset + index] ?? 0) << 8) | (bytes[offset + index + 1] ?? 0);
    for (let limb = 0; limb < used; limb++) {
      const value = (ENCODED_LIMBS[limb] ?? 0) * HALF_WORD + carry;
      carry = Math.floor(value / LIMB);
      ENCODED_LIMBS[limb] = value - carry * LIMB;
    }
    if (carry > 0) ENCODED_LIMBS[used++] = carry;
  }
  return used;
}

/** The 32 bytes of an address, or null where the text is not one. */
export function addressBytes(text: string): Uint8Array | null {
  if (text.length < 32 || text.length > 44) return null;
  // Eight words of 32 bits, the lowest first, take in five digits at a time: every product is exact.
  const words = new Float64Array(8);
  let used = 0;
  let zeros = 0;
  let isLeading = true;
  for (let start = 0; start < text.length; ) {
    const end = Math.min(text.length, start + 5);
    let carry = 0;
    let scale = 1;
    for (; start < end; start++) {
      const code = text.charCodeAt(start);
      const digit = code < 128 ? (DIGIT_OF_CODE[code] ?? -1) : -1;
      if (digit < 0) return null;
      if (digit > 0) isLeading = false;
      if (isLeading) zeros++;
      carry = carry * 58 + digit;
      scale *= 58;
    }
    for (let word = 0; word < used; word++) {
      // A word times 58^5 passes 2^53: its halves are taken apart.
      const value = words[word] ?? 0;
      const high = Math.floor(value / HALF_WORD);
      const low = value - high * HALF_WORD;
      const lowSum = low * scale + carry;
      const lowCarry = Math.floor(lowSum / HALF_WORD);
      const highSum = high * scale + lowCarry;
      carry = Math.floor(highSum / HALF_WORD);
      words[word] = (highSum - carry * HALF_WORD) * HALF_WORD + (lowSum - lowCarry * HALF_WORD);
    }
    if (carry === 0) continue;
    if (used === 8) return null;
    words[used++] = carry;
  }
  const bytes = new Uint8Array(32);
  const view = new DataView(bytes.buffer);
  for (let word = 0; word < used; word++) view.setUint32(28 - 4 * word, words[word] ?? 0, false);
  let leading = 0;
  while (leading < 32 && bytes[leading] === 0) leading++;
  return leading === zeros ? bytes : null;
}

/** The 32 bytes of an address. @throws TypeError where the text is not one: our own mistake */
export function bytesOf(address: Address): Uint8Array {
  const bytes = addressBytes(address);
  if (bytes === null) throw new TypeError(`not a Solana address: ${address}`);
  return bytes;
}

/** Below zero where the bytes of `a` come first: the order in which programs sort a pair's mints. */
export function compareAddressBytes(a: Address, b: Address): number {
  const bytesA = addressBytes(a);
  const bytesB = addressBytes(b);
  for (let index = 0; index < 32; index++) {
    const difference = (bytesA?.[index] ?? 0) - (bytesB?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
