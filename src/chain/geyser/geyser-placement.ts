import type { Address } from "#src/units/address.ts";
import { accountsPerStream, type GeyserLimits } from "./geyser-limits.ts";

/** Maximum number of streams to one server; further accounts are followed over the node's WebSocket. */
const MAX_STREAMS = 16;
/**
 * Number of accounts after which another stream is used, until half of the streams have this many. Each
 * change repeats a stream's whole request, and encoding this many addresses takes about ten milliseconds.
 */
const COMFORTABLE = 20_000;
const ELSEWHERE = -1;

/** The accounts that were added or removed since the last call. */
export type ChangedAccounts = {
  readonly changed: ReadonlySet<Address>;
  readonly isWanted: (address: Address) => boolean;
};

/**
 * Which of several streams follows which account, within the server's limits. An account stays where it
 * is, so that a change of one stream's subscription loses no update of another's.
 */
export class GeyserPlacement {
  readonly #placeOf = new Map<Address, number>();
  readonly #streams: Set<Address>[] = [new Set()];
  readonly #elsewhere = new Set<Address>();

  /** The accounts that no stream has room for. */
  get elsewhere(): ReadonlySet<Address> {
    return this.#elsewhere;
  }

  accountsOf(stream: number): ReadonlySet<Address> {
    return this.#streams[stream] ?? new Set();
  }

  /** The stream that follows the account; null: none. */
  streamOf(address: Address): number | null {
    const place = this.#placeOf.get(address) ?? ELSEWHERE;
    return place === ELSEWHERE ? null : place;
  }

  isStreamed(address: Address): boolean {
    return this.streamOf(address) !== null;
  }

  /**
   * Places the changed accounts that are wanted, and removes the others.
   *
   * @param otherFilters the account filters of each stream that are not for followed accounts
   * @returns the streams whose accounts changed
   */
  update(
    { changed: addresses, isWanted }: ChangedAccounts,
    limits: GeyserLimits,
    otherFilters: (stream: number) => number,
  ): Set<number> {
    const changed = new Set<number>();
    const added: Address[] = [];
    for (const address of addresses) {
      const place = this.#placeOf.get(address);
      if (isWanted(address)) {
        if (place === undefined) added.push(address);
      } else if (place !== undefined) {
        this.#placeOf.delete(address);
        this.#elsewhere.delete(address);
        if (this.#streams[place]?.delete(address) === true) changed.add(place);
      }
    }
    const count = this.#placeOf.size + added.length;
    const comfortable = Math.max(COMFORTABLE, Math.ceil(count / (MAX_STREAMS / 2)));
    const roomOf = (stream: number): number =>
      Math.min(accountsPerStream(limits, otherFilters(stream)), comfortable);
    let place = 0;
    for (const address of added) {
      while (place < MAX_STREAMS && !this.#hasRoom(place, roomOf(place))) place++;
      if (place === MAX_STREAMS) {
        this.#placeOf.set(address, ELSEWHERE);
        this.#elsewhere.add(address);
        continue;
      }
      this.#placeOf.set(address, place);
      this.#streams[place]?.add(address);
      changed.add(place);
    }
    return changed;
  }

  /** Every account is placed again: the limits changed. */
  reset(): void {
    this.#placeOf.clear();
    this.#elsewhere.clear();
    this.#streams.splice(0, this.#streams.length, new Set());
  }

  #hasRoom(place: number, room: number): boolean {
    while (this.#streams.length <= place) this.#streams.push(new Set());
    return this.accountsOf(place).size < room;
  }
}
