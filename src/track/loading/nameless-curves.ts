import type { NamedAccounts } from "#src/chain/chain-source.ts";
import { BoundedMap } from "#src/platform/bounded-map.ts";
import { type Address, bytesOf } from "#src/units/address.ts";

const PREFIX_BITS = 20;
const ADDRESS_BYTES = 32;

/** Curves by address. Each account of every transaction is looked up: its first 20 bits exclude most of them. */
export class NamelessCurves<Curve> extends BoundedMap<Address, Curve> implements NamedAccounts {
  /** How many keys begin with these bits. */
  readonly #counts = new Uint16Array(1 << PREFIX_BITS);

  override set(address: Address, curve: Curve): this {
    super.set(address, curve);
    this.#count(address, 1);
    return this;
  }

  override delete(address: Address): boolean {
    const isDeleted = super.delete(address);
    if (isDeleted) this.#count(address, -1);
    return isDeleted;
  }

  override clear(): void {
    super.clear();
    this.#counts.fill(0);
  }

  mayHave(bytes: Uint8Array): boolean {
    return this.#isPrefix(bytes, 0);
  }

  mayOccurIn(message: Buffer): boolean {
    let length = message.indexOf(ADDRESS_BYTES);
    while (length >= 0) {
      if (this.#isPrefix(message, length + 1)) return true;
      length = message.indexOf(ADDRESS_BYTES, length + 1);
    }
    return false;
  }

  #count(address: Address, change: number): void {
    const prefix = prefixAt(bytesOf(address), 0);
    this.#counts[prefix] = (this.#counts[prefix] ?? 0) + change;
  }

  #isPrefix(bytes: Uint8Array, at: number): boolean {
    return (this.#counts[prefixAt(bytes, at)] ?? 0) > 0;
  }
}

function prefixAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 12) | ((bytes[at + 1] ?? 0) << 4) | ((bytes[at + 2] ?? 0) >> 4);
}
