import type { NamedAccounts } from "#src/chain/chain-source.ts";
import { BoundedMap } from "#src/platform/bounded-map.ts";
import { type Address, addressBytes } from "#src/units/address.ts";

const PREFIXES = 1 << 16;
/** Searching a message for more addresses costs as much as decoding it. */
const MOST_SEARCHED = 16;
const NO_ADDRESS = new Uint8Array(32);

/** Curves by address. Each account of every transaction is looked up: its first two bytes exclude most of them. */
export class NamelessCurves<Curve> extends BoundedMap<Address, Curve> implements NamedAccounts {
  /** How many keys begin with these two bytes. */
  readonly #counts = new Uint16Array(PREFIXES);
  readonly #bytes = new Map<Address, Uint8Array>();

  override set(address: Address, curve: Curve): this {
    super.set(address, curve);
    const bytes = addressBytes(address) ?? NO_ADDRESS;
    this.#bytes.set(address, bytes);
    this.#count(bytes, 1);
    return this;
  }

  override delete(address: Address): boolean {
    const isDeleted = super.delete(address);
    const bytes = isDeleted ? this.#bytes.get(address) : undefined;
    if (bytes !== undefined) this.#count(bytes, -1);
    this.#bytes.delete(address);
    return isDeleted;
  }

  override clear(): void {
    super.clear();
    this.#counts.fill(0);
    this.#bytes.clear();
  }

  mayHave(bytes: Uint8Array): boolean {
    return (this.#counts[prefixOf(bytes)] ?? 0) > 0;
  }

  mayOccurIn(message: Buffer): boolean {
    if (this.#bytes.size > MOST_SEARCHED) return true;
    return this.#bytes.values().some((bytes) => message.includes(bytes));
  }

  #count(bytes: Uint8Array, change: number): void {
    const prefix = prefixOf(bytes);
    this.#counts[prefix] = (this.#counts[prefix] ?? 0) + change;
  }
}

function prefixOf(bytes: Uint8Array): number {
  return ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);
}
