import type { Address } from "#src/units/address.ts";

/**
 * Cache of the addresses that a program derives from a pool and an index or mint. Deriving one takes about
 * 40 us and a tick pool needs two dozen at each decode: this, the base58 cache of `units/address.ts`
 * and pump's fee configs are the module-level caches that pure code keeps. A derivation is a pure
 * function, so a cached result never differs from a new one.
 */
export class DerivedAddresses<Index extends number | Address = number> {
  readonly #derive: (pool: Address, index: Index) => Address;
  readonly #limit: number;
  readonly #known = new Map<Address, Map<Index, Address>>();
  #size = 0;

  /** @param limit most addresses held; the cache is cleared when it is reached */
  constructor(limit: number, derive: (pool: Address, index: Index) => Address) {
    this.#limit = limit;
    this.#derive = derive;
  }

  get(pool: Address, index: Index): Address {
    const known = this.#known.get(pool)?.get(index);
    if (known !== undefined) return known;
    const derived = this.#derive(pool, index);
    if (this.#size >= this.#limit) {
      this.#known.clear();
      this.#size = 0;
    }
    const ofPool = this.#known.get(pool) ?? new Map<Index, Address>();
    ofPool.set(index, derived);
    this.#known.set(pool, ofPool);
    this.#size++;
    return derived;
  }
}
