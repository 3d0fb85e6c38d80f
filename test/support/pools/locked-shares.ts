import assert from "node:assert/strict";
import { namedAddress } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { escrowAddress } from "#demo/jupiter-lock.ts";
import { mintAccount, tokenAccount } from "#demo/token-accounts.ts";
import type { ChainSource } from "#src/chain/chain-source.ts";
import type { KnownHolders } from "#src/measure/questions/share-holders.ts";
import { type SharedPool, ShareHolders } from "#src/track/holders/share-holders.ts";
import { type Address, address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { ProgramFilter } from "#src/venues/venue.ts";

/** The chain's time at the start. */
export const NOW = 1_800_000_000n;
export const SHARE_MINT = namedAddress("share mint");
export const WALLET = address("7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5");
export const CREATOR = address("4qx8LEUTvjiBJixUH5MqymMLyBXE4JJopDUVbUPUMM3R");
/** The base of an escrow of Jupiter Lock, and its address. */
export const BASE = namedAddress("base");
export const ESCROW = escrowAddress(BASE);

/** Reads the holders of a pool, which must be known. */
export function holdersReader(chain: ScriptedChain) {
  const clock = { nowMs: () => chain.nowMs };
  const holders = new ShareHolders({ source: chain, clock, signal: new AbortController().signal });
  return async (shared: SharedPool): Promise<KnownHolders> => {
    const found = (await holders.of([shared])).get(shared.pool);
    assert.ok(found?.kind === "known");
    return found;
  };
}

/** A pool of a thousand shares, all of them in accounts of these owners. */
export function poolHeldBy(held: readonly (readonly [Address, bigint, Address?])[]) {
  const chain = new ScriptedChain();
  chain.set(SHARE_MINT, mintAccount({ supply: 1_000n, decimals: 9, slot: 0n }));
  for (const [place, [owner, amount, at]] of held.entries()) {
    const account = tokenAccount({ mint: SHARE_MINT, owner, amount, slot: 0n });
    chain.set(at ?? namedAddress(`account ${place}`), account);
  }
  const read = holdersReader(chain);
  const shares = { kind: "fungible", mint: SHARE_MINT, issued: 1_000n } as const;
  return { chain, ask: () => read({ pool: namedAddress("pool"), quoteMint: WSOL, shares }) };
}

export function dated(next: bigint, last: bigint) {
  return { kind: "dated", next: { at: next, slot: null }, last: { at: last, slot: null } };
}

/** Lets matching searches hang; resolves when this many are under way at the same time. */
export async function neverAnswered(
  chain: ScriptedChain,
  {
    count,
    matches,
  }: { readonly count: number; readonly matches: (filter: ProgramFilter) => boolean },
): Promise<void> {
  const underWay = Promise.withResolvers<void>();
  const search = chain.searchAccounts.bind(chain);
  let active = 0;
  const source: Pick<ChainSource, "searchAccounts"> = chain;
  source.searchAccounts = async (filter, signal) => {
    if (!matches(filter)) return await search(filter);
    active++;
    if (active === count) underWay.resolve();
    return await new Promise((_resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
  };
  return await underWay.promise;
}
