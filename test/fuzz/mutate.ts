import type { Address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM } from "#src/units/known-addresses.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";

type Random = () => number;
type Mutation = (account: Account, random: Random) => Account | null | undefined;

const withData = (account: Account, data: Uint8Array): Account => ({ ...account, data });
const below = (random: Random, bound: number): number => Math.floor(random() * bound);

/** What a hostile or broken node, or a program that grew, may hand over in place of an account. */
const MUTATIONS: Readonly<Record<string, Mutation>> = {
  "a byte flipped": (account, random) => {
    const data = account.data.slice();
    const offset = below(random, data.length);
    data[offset] = (data[offset] ?? 0) ^ (1 << below(random, 8));
    return withData(account, data);
  },
  "many bytes random": (account, random) => {
    const data = account.data.slice();
    for (let count = below(random, 40); count >= 0; count--) {
      data[below(random, data.length)] = below(random, 256);
    }
    return withData(account, data);
  },
  "an extreme word": (account, random) => {
    const data = account.data.slice();
    const width = [2, 4, 8, 16][below(random, 4)] ?? 8;
    const offset = below(random, Math.max(1, data.length - width));
    data.fill(random() < 0.5 ? 0xff : 0, offset, offset + width);
    if (random() < 0.3) data[offset + width - 1] = 0x7f;
    return withData(account, data);
  },
  "the header kept, the rest random": (account, random) =>
    withData(
      account,
      account.data.map((byte, index) => (index < 8 ? byte : below(random, 256))),
    ),
  "cut short": (account, random) =>
    withData(account, account.data.slice(0, below(random, account.data.length))),
  extended: (account, random) => {
    const data = new Uint8Array(account.data.length + 1 + below(random, 400));
    data.set(account.data);
    data.fill(below(random, 256), account.data.length);
    return withData(account, data);
  },
  "a foreign owner": (account) => ({ ...account, owner: SYSTEM_PROGRAM }),
  "no such account": () => null,
  "not delivered": () => undefined,
};

export type Mutated = { readonly known: AccountSet; readonly how: string };

/** One to three of the accounts replaced by something hostile. */
export function mutate(accounts: ReadonlyMap<Address, Account | null>, random: Random): Mutated {
  const mutated = new Map<Address, Account | null | undefined>(accounts);
  const addresses = [...accounts.keys()];
  const names = Object.keys(MUTATIONS);
  const done: string[] = [];
  for (let count = 1 + below(random, 3); count > 0; count--) {
    const address = addresses[below(random, addresses.length)];
    const name = names[below(random, names.length)];
    const account = address === undefined ? null : mutated.get(address);
    const mutation = name === undefined ? undefined : MUTATIONS[name];
    if (address === undefined || !account || mutation === undefined) continue;
    if (account.data.length === 0) continue;
    mutated.set(address, mutation(account, random));
    done.push(`${name}: ${address}`);
  }
  return { known: mutated, how: done.join("; ") };
}
