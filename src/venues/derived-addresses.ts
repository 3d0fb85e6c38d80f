import type { Address } from "#src/units/address.ts";

/**
 * Addresses that a program derives from a pool and an index, remembered. Deriving one takes a tenth
 * of a millisecond and a pool of ticks needs two dozen at each decode, so this is the one memory that
 * a venue keeps. The derivation is a pure function: no caller can tell whether it was remembered.
 */
export class DerivedAddresses {
  readonly #derive: (pool: Address, index: number) => Address;
  readonly #limit: number;
  readonly #known = new Map<Address, Map<number, Address>>();
  #size = 0;

  /** @param limit addresses held at most; all are forgotten at once when it is reached */
  constructor(limit: number, derive: (pool: Address, index: number) => Address) {
    this.#limit = limit;
    this.#derive = derive;
  }

  get(pool: Address, index: number): Address {
    const known = this.#known.get(pool)?.get(index);
    if (known !== undefined) return known;
    const derived = this.#derive(pool, index);
    if (this.#size >= this.#limit) {
      this.#known.clear();
      this.#size = 0;
    }
    const ofPool = this.#known.get(pool) ?? new Map<number, Address>();
    ofPool.set(index, derived);
    this.#known.set(pool, ofPool);
    this.#size++;
    return derived;
  }
}
