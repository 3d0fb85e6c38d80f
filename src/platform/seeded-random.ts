/** Returns numbers in [0, 1), as `Math.random` does. */
export type Random = () => number;

/** The same seed gives the same sequence. Mulberry32. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A number between two positive numbers, uniform in the logarithm. */
export function between(random: Random, low: number, high: number): number {
  return low * Math.exp(random() * Math.log(high / low));
}
