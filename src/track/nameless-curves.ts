import type { NamedAccounts } from "#src/chain/chain-source.ts";
import { BoundedMap } from "#src/platform/bounded-map.ts";
import { type Address, addressBytes } from "#src/units/address.ts";

const PREFIXES = 1 << 16;

/** Curves by address. Each account of every transaction is looked up: its first two bytes exclude most of them. */
export class NamelessCurves<Curve> extends BoundedMap<Address, Curve> implements NamedAccounts {
  /** How many keys begin with these two bytes. */
  readonly #counts = new Uint16Array(PREFIXES);

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
    return (this.#counts[prefixOf(bytes)] ?? 0) > 0;
  }

  #count(address: Address, change: number): void {
    const prefix = prefixOf(addressBytes(address) ?? new Uint8Array(2));
    this.#counts[prefix] = (this.#counts[prefix] ?? 0) + change;
  }
}

function prefixOf(bytes: Uint8Array): number {
  return ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);
}
