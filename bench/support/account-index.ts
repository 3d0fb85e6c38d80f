import { matchesFilter } from "#src/chain/rpc/rpc-answers.ts";
import type { Ledger } from "#src/node/ledger.ts";
import { type Address, bytesOf } from "#src/units/address.ts";
import type { ProgramFilter } from "#src/venues/venue.ts";

type FieldIndex = {
  readonly offset: number;
  readonly length: number;
  readonly addresses: Map<string, Address[]>;
};

/**
 * Finds a program's accounts by the bytes of a field, like a node's secondary index. The local node scans
 * every account of the program, which is too slow with thousands of tokens. The index keeps the bytes with
 * which an account was added, because the searched fields never change.
 */
export class AccountIndex {
  readonly #ledger: Ledger;
  readonly #fields = new Map<Address, FieldIndex[]>();
  readonly #filed = new Map<Address, Set<Address>>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Adds accounts that were created since their program was first searched. */
  add(addresses: Iterable<Address>): void {
    for (const address of addresses) {
      const owner = this.#ledger.get(address)?.owner;
      const filed = owner === undefined ? undefined : this.#filed.get(owner);
      if (owner === undefined || filed === undefined || filed.has(address)) continue;
      filed.add(address);
      for (const field of this.#fields.get(owner) ?? []) this.#file(field, address);
    }
  }

  find(filter: ProgramFilter): readonly Address[] {
    const lists = filter.memcmp.map(({ offset, bytes }) => {
      const wanted = typeof bytes === "string" ? bytesOf(bytes) : bytes;
      const { addresses } = this.#fieldOf(filter.programId, offset, wanted.length);
      return addresses.get(Buffer.from(wanted).toString("latin1")) ?? [];
    });
    // Only the shortest list is visited: a set of all pools that are quoted in SOL took a millisecond.
    const [fewest = []] = lists.toSorted((a, b) => a.length - b.length);
    return fewest.filter((address) => {
      const account = this.#ledger.get(address);
      return account !== null && matchesFilter(account, filter);
    });
  }

  #fieldOf(programId: Address, offset: number, length: number): FieldIndex {
    const fields = this.#fields.get(programId) ?? [];
    const known = fields.find((field) => field.offset === offset && field.length === length);
    if (known !== undefined) return known;
    const made: FieldIndex = { offset, length, addresses: new Map() };
    this.#fields.set(programId, [...fields, made]);
    const filed = this.#filed.get(programId) ?? new Set(this.#ledger.ownedBy(programId));
    this.#filed.set(programId, filed);
    for (const address of filed) this.#file(made, address);
    return made;
  }

  #file({ offset, length, addresses }: FieldIndex, address: Address): void {
    const data = this.#ledger.get(address)?.data;
    if (data === undefined || data.length < offset + length) return;
    const value = Buffer.from(data.subarray(offset, offset + length)).toString("latin1");
    const at = addresses.get(value);
    if (at === undefined) addresses.set(value, [address]);
    else at.push(address);
  }
}
