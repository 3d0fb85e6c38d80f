import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { tokenAccount } from "#demo/token-accounts.ts";
import type { ChainSource } from "#src/chain/chain-source.ts";
import { systemClock } from "#src/platform/clock.ts";
import { ShareHolders } from "#src/track/holders/share-holders.ts";
import { TokenHolderReads } from "#src/track/holders/token-holders.ts";
import { loadMarket } from "#src/track/pools/load-market.ts";
import { type Address, addressFromBytes } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { VENUES } from "#src/venues/all.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

async function used(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Bytes of the holders of one token with twenty accounts of twenty owners, measured over the maximum number of kept tokens. */
export async function bytesOfTokenHolders(): Promise<number> {
  let token = 0;
  const owned = (place: number) =>
    tokenAccount({
      mint: numbered(0, token),
      owner: numbered(100 + place, token),
      amount: 5n,
      slot: 1n,
    });
  const readAccounts = async (addresses: readonly Address[]) => ({
    slot: 1n,
    accounts: new Map(addresses.map((each, place) => [each, owned(place)])),
  });
  const reads = new TokenHolderReads({
    source: {
      findLargestAccounts: async () => ({
        kind: "found",
        addresses: Array.from({ length: 20 }, (_, place) => numbered(place, token)),
      }),
      readAccounts,
    },
    clock: systemClock,
    signal: new AbortController().signal,
  });
  const tokens = 2_000;
  const before = await used();
  for (token = 1; token <= tokens; token++) await reads.of(numbered(0, token), new Map());
  const bytes = (await used()) - before;
  await reads.of(numbered(0, 1), new Map());
  return Math.round(bytes / tokens);
}

export type OwnersMemory = {
  /** Pools of the token whose liquidity has shares or positions. */
  readonly pools: number;
  /** Bytes of their owners and locks. */
  readonly bytes: number;
};

/** The owners of one token's liquidity, kept many times. */
export type KeptOwners = { readonly pools: number; holders: ShareHolders | null };

const COPIES = 500;
/** A read's time limit keeps memory until it has passed. */
const AFTER_READS_MS = 10_000;

/** Bytes of the owners of each token's liquidity, by dropping them. Nothing else may run meanwhile. */
export async function bytesOfOwners(kept: readonly KeptOwners[]): Promise<readonly OwnersMemory[]> {
  await new Promise((resolve) => setTimeout(resolve, AFTER_READS_MS));
  const measured: OwnersMemory[] = [];
  for (const token of kept) {
    const before = await used();
    token.holders = null;
    const bytes = Math.max(0, before - (await used()));
    measured.push({ pools: token.pools, bytes: Math.round(bytes / COPIES) });
  }
  return measured;
}

/**
 * Reads the owners of a token's liquidity: all of its pools, 500 times under made-up addresses, with the
 * replies that the chain gave once.
 */
export async function keptOwners(source: ChainSource, mint: Address): Promise<KeptOwners> {
  const loaded = await loadMarket({ source, venues: VENUES, clock: systemClock }, mint);
  if (loaded.kind !== "market") throw new RangeError(`no market of ${mint}`);
  const { signal } = new AbortController();
  const holders = new ShareHolders({ source: repeated(source), clock: systemClock, signal });
  let pools = 0;
  for (const { address, venue: id, quoteMint } of loaded.market.pools) {
    const shares = VENUES.find((venue) => venue.id === id)?.shares(address, loaded.accounts);
    if (shares === undefined || shares === null) continue;
    if (shares.kind === "nobody" || shares.kind === "unread-positions") continue;
    for (let copy = 0; copy < COPIES; copy++) {
      const pool = numbered(copy, pools);
      const read = (await holders.of([{ pool, quoteMint, shares }])).get(pool);
      if (read?.kind !== "known") throw new Error(`the owners of ${address} are ${read?.kind}`);
    }
    pools++;
  }
  return { pools, holders };
}

/** Gives each reply of a source again, in bytes of its own. */
function repeated(source: ChainSource): ConstructorParameters<typeof ShareHolders>[0]["source"] {
  const replies = new Map<string, unknown>();
  const once = async <Reply>(key: unknown, ask: () => Promise<Reply>): Promise<Reply> => {
    const text = JSON.stringify(key);
    if (!replies.has(text)) replies.set(text, await ask());
    return replies.get(text) as Reply;
  };
  const copied = <Held extends Account | null>(accounts: ReadonlyMap<Address, Held>) =>
    new Map(
      Array.from(accounts, ([address, account]) => [
        address,
        account === null ? account : { ...account, data: account.data.slice() },
      ]),
    );
  return {
    findLargestAccounts: (mint, signal) =>
      once(["largest", mint], () => source.findLargestAccounts(mint, signal)),
    readAccounts: async (addresses, signal) => {
      const read = await once(["read", ...addresses], () => source.readAccounts(addresses, signal));
      return { ...read, accounts: copied(read.accounts) };
    },
    searchAccounts: async (filter, signal) => {
      const found = await once(["search", filter], () => source.searchAccounts(filter, signal));
      if (found.kind === "refused") return found;
      return { ...found, accounts: copied(found.accounts) };
    },
  };
}

/** A made-up address. */
function numbered(number: number, of = 0): Address {
  const bytes = new Uint8Array(32).fill(9);
  const view = new DataView(bytes.buffer);
  view.setUint32(28, number);
  view.setUint32(20, of);
  return addressFromBytes(bytes);
}
