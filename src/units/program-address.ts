import { sha256 } from "@noble/hashes/sha2.js";
import { type Address, addressBytes, addressFromBytes } from "./address.ts";

const MARKER = new TextEncoder().encode("ProgramDerivedAddress");

/** A seed: text stands for its UTF-8 bytes, an address for its 32 bytes. */
export type Seed = string | Uint8Array | { readonly address: Address };

/**
 * The address that a program derives from seeds: the first bump from 255 down whose hash is off the
 * ed25519 curve. Takes tens of microseconds; hold on to the result.
 *
 * @throws TypeError for a seed over 32 bytes or more than 15 seeds
 * @see https://solana.com/docs/core/pda
 */
export function findProgramAddress(seeds: readonly Seed[], programId: Address): Address {
  const parts = seeds.map(seedBytes);
  if (parts.length > 15 || parts.some((part) => part.length > 32)) {
    throw new TypeError("at most 15 seeds of at most 32 bytes each");
  }
  const program = requireBytes(programId);
  for (let bump = 255; bump >= 0; bump--) {
    const hash = sha256.create();
    for (const part of parts) hash.update(part);
    const candidate = hash.update(Uint8Array.of(bump)).update(program).update(MARKER).digest();
    if (!isOnCurve(candidate)) return addressFromBytes(candidate);
  }
  throw new TypeError("no bump leads off the curve");
}

/** An unsigned 16-bit seed, little-endian. */
export function u16LeSeed(value: number): Uint8Array {
  return Uint8Array.of(value & 0xff, (value >> 8) & 0xff);
}

/** An unsigned 16-bit seed, big-endian. */
export function u16BeSeed(value: number): Uint8Array {
  return Uint8Array.of((value >> 8) & 0xff, value & 0xff);
}

/** A signed 32-bit seed, big-endian. */
export function i32BeSeed(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setInt32(0, value, false);
  return bytes;
}

/** A signed 64-bit seed, little-endian. */
export function i64LeSeed(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, value, true);
  return bytes;
}

function seedBytes(seed: Seed): Uint8Array {
  if (typeof seed === "string") return new TextEncoder().encode(seed);
  return seed instanceof Uint8Array ? seed : requireBytes(seed.address);
}

function requireBytes(address: Address): Uint8Array {
  const bytes = addressBytes(address);
  if (bytes === null) throw new TypeError(`not a Solana address: ${address}`);
  return bytes;
}

const PRIME = (1n << 255n) - 19n;
const EDWARDS_D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/**
 * Whether the bytes decompress to a point of ed25519: some x has x² = (y² - 1) / (d·y² + 1), which
 * holds where (y² - 1)·(d·y² + 1) is no quadratic non-residue. The Jacobi symbol tells without the
 * square root itself, in a fifth of the time.
 */
function isOnCurve(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, 32);
  const y =
    view.getBigUint64(0, true) |
    (view.getBigUint64(8, true) << 64n) |
    (view.getBigUint64(16, true) << 128n) |
    ((view.getBigUint64(24, true) & 0x7fff_ffff_ffff_ffffn) << 192n);
  const ySquared = (y * y) % PRIME;
  return jacobi(((ySquared + PRIME - 1n) * (EDWARDS_D * ySquared + 1n)) % PRIME, PRIME) !== -1;
}

/** The Jacobi symbol (a / n) for odd n > 0 and 0 <= a < n, by quadratic reciprocity. */
function jacobi(a: bigint, n: bigint): number {
  let symbol = 1;
  while (a !== 0n) {
    let low = Number(BigInt.asUintN(32, a));
    while (low === 0) {
      a >>= 32n;
      low = Number(BigInt.asUintN(32, a));
    }
    const twos = 31 - Math.clz32(low & -low);
    a >>= BigInt(twos);
    const nMod8 = Number(n & 7n);
    if (twos % 2 === 1 && (nMod8 === 3 || nMod8 === 5)) symbol = -symbol;
    if ((a & 3n) === 3n && (n & 3n) === 3n) symbol = -symbol;
    [a, n] = [n % a, a];
  }
  return n === 1n ? symbol : 0;
}
