import { type Address, addressFromBytes } from "#src/units/address.ts";

/** A deterministic source of chance: the same seed gives the same sequence on every machine. */
export type SeededRandom = {
  /** 0 up to, never at, 1. */
  readonly uniform: () => number;
  /** Mean 0, deviation 1. */
  readonly normal: () => number;
  readonly bytes: (length: number) => Uint8Array;
  readonly address: () => Address;
  /** The base58 text of some 64 bytes, as a transaction's signature is one. */
  readonly signature: () => string;
};

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** sfc32, by Chris Doty-Humphrey: small, fast, and good enough for a market. */
export function seededRandom(seed: number): SeededRandom {
  let a = seed >>> 0;
  let b = 0x9e3779b9;
  let c = 0x243f6a88;
  let counter = 1;

  function next(): number {
    const sum = (((a + b) >>> 0) + counter) >>> 0;
    counter = (counter + 1) >>> 0;
    a = (b ^ (b >>> 9)) >>> 0;
    b = (c + (c << 3)) >>> 0;
    c = (((c << 21) | (c >>> 11)) + sum) >>> 0;
    return sum;
  }
  for (let warmUp = 0; warmUp < 15; warmUp++) next();

  const uniform = () => next() / 2 ** 32;

  function normal(): number {
    // Box-Muller; 1 - u keeps the logarithm finite.
    return Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  }

  function bytes(length: number): Uint8Array {
    const made = new Uint8Array(length);
    for (let index = 0; index < length; index++) made[index] = next() & 0xff;
    return made;
  }

  /** 87 digits, the first of at least 4, are a number of exactly 64 bytes: no need to convert any. */
  function signature(): string {
    let text = BASE58.charAt(4 + Math.floor(uniform() * 54));
    while (text.length < 87) text += BASE58.charAt(Math.floor(uniform() * 58));
    return text;
  }

  return { uniform, normal, bytes, address: () => addressFromBytes(bytes(32)), signature };
}
