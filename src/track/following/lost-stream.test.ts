import assert from "node:assert/strict";
import { test } from "node:test";
import {
  mintAccount,
  namedAddress,
  type PlainAccount,
  type PlainPool,
  plainPool,
  plainPoolAccount,
  plainVenue,
  vaultAccount,
} from "#bench/detection/plain-pool-venue.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { FoundPools } from "../pools/load-token.ts";
import { NO_NAMES } from "../pools/token-names.ts";
import { applyRead } from "./account-reads.ts";
import { addToken } from "./followed-tokens.ts";
import { createCompleteStream, createLiveState } from "./live-state.ts";
import { addGroup } from "./merge-found.ts";
import { refreshPools } from "./refresh-pools.ts";
import { dueConfirmations, rereadEverything, rereadLost } from "./schedule.ts";
import { isKeptByStream } from "./state-slot.ts";

const NOW_MS = 1_790_000_000_000;
const LATER_MS = NOW_MS + 60_000;
const RESERVE = 1_000_000_000n;
const QUOTE = namedAddress("quote");
const POOLS = {
  /** A hop of every token that is quoted in it. */
  hop: plainPool("hop", QUOTE, WSOL),
  first: plainPool("first", namedAddress("first"), QUOTE),
  second: plainPool("second", namedAddress("second"), WSOL),
};
const ACCOUNTS = new Map<Address, PlainAccount>(
  Object.values(POOLS).flatMap((pool) => [
    [pool.mintA, mintAccount()],
    [pool.mintB, mintAccount()],
    [pool.address, plainPoolAccount(pool)],
    [pool.vaultA, vaultAccount(pool.mintA, RESERVE)],
    [pool.vaultB, vaultAccount(pool.mintB, RESERVE)],
  ]),
);

/** Two tokens, one of them sold over a hop, whose streams have delivered everything so far. */
function twoTokens() {
  const state = createLiveState(createCompleteStream());
  const accountsAt = (slot: bigint, addresses: Iterable<Address>) =>
    new Map(
      Array.from(addresses, (address) => {
        const account = ACCOUNTS.get(address);
        return [address, account === undefined ? null : { ...account, slot }] as const;
      }),
    );
  const loaded = accountsAt(1n, ACCOUNTS.keys());
  const follow = ({ mintA: mint, ...pool }: PlainPool) =>
    addToken(state, {
      ...{ mint, mintFacts: null, names: NO_NAMES, loaded, isSearched: true, nowMs: NOW_MS },
      found: foundAt(mint, pool.address),
    });
  const hop = addGroup(state, { mint: QUOTE, loaded, found: foundAt(QUOTE, POOLS.hop.address) });
  state.hops.set(QUOTE, hop);
  const tokens = { first: follow(POOLS.first), second: follow(POOLS.second) };
  const read = (slot: bigint, nowMs: number): void => {
    const addresses = [...state.accounts.keys()];
    applyRead(state, addresses, { slot, accounts: accountsAt(slot, addresses) }, nowMs);
    refreshPools(state, nowMs);
  };
  read(10n, NOW_MS);
  if (state.stream !== null) state.stream.isWhole = true;
  dueConfirmations(state, NOW_MS);
  const kept = () => [isKeptByStream(state, tokens.first), isKeptByStream(state, tokens.second)];
  assert.deepEqual(kept(), [true, true]);
  return {
    kept,
    lose: (address: Address) =>
      rereadLost(state, LATER_MS, { lost: new Set([address]), untilSlot: 30n }),
    due: () => dueConfirmations(state, LATER_MS),
    read: (slot: bigint) => {
      read(slot, LATER_MS);
      dueConfirmations(state, LATER_MS);
    },
  };
}

function foundAt(mint: Address, address: Address): FoundPools {
  return {
    pools: [{ venue: plainVenue(), address, mint, isReserved: false }],
    ...{ vacant: [], isDerivedOnly: true, leftOut: [], refusals: [] },
    isSearchComplete: true,
    searchedSlot: null,
  };
}

test("after one of several streams was lost, only what it had is read again, at a slot after the loss", () => {
  const { kept, lose, due, read } = twoTokens();
  lose(POOLS.second.vaultA);
  assert.deepEqual(kept(), [true, false]);
  assert.deepEqual(due(), new Set([POOLS.second.vaultA]));
  read(29n);
  assert.deepEqual(kept(), [true, false], "the read began before the end of the loss");
  read(30n);
  assert.deepEqual(kept(), [true, true]);
});

test("a lost account of a hop holds back the tokens that are sold over it", () => {
  const { kept, lose, due, read } = twoTokens();
  lose(POOLS.hop.vaultA);
  assert.deepEqual(kept(), [false, false]);
  assert.deepEqual(due(), new Set([POOLS.hop.vaultA]));
  assert.deepEqual(kept(), [false, true], "no account of the other token was lost");
  read(30n);
  assert.deepEqual(kept(), [true, true]);
});

/** They have more accounts than are confirmed in two sweeps. */
const OTHERS = 1_100;

test("after a gap the accounts of tokens in use are confirmed first, and the stream keeps these tokens at once", () => {
  const state = createLiveState(createCompleteStream());
  const loaded = new Map<Address, PlainAccount & { readonly slot: bigint }>();
  // A token whose pools were searched counts as requested.
  const follow = (name: string, { isSearched }: { readonly isSearched: boolean }) => {
    const pool = plainPool(name, namedAddress(name), WSOL);
    const slot = 40n;
    loaded.set(pool.mintA, { ...mintAccount(), slot });
    loaded.set(pool.address, { ...plainPoolAccount(pool), slot });
    loaded.set(pool.vaultA, { ...vaultAccount(pool.mintA, RESERVE), slot });
    loaded.set(pool.vaultB, { ...vaultAccount(pool.mintB, RESERVE), slot });
    const token = addToken(state, {
      ...{ mint: pool.mintA, mintFacts: null, names: NO_NAMES, loaded, nowMs: NOW_MS },
      ...{ isSearched, found: foundAt(pool.mintA, pool.address) },
    });
    return { token, addresses: [pool.mintA, pool.address, pool.vaultA, pool.vaultB] };
  };
  const others = Array.from({ length: OTHERS }, (_, index) =>
    follow(`other ${index}`, { isSearched: false }),
  );
  const inUse = follow("in use", { isSearched: true });
  const read = (addresses: readonly Address[], nowMs: number): void => {
    const accounts = new Map(addresses.map((at) => [at, loaded.get(at) ?? null]));
    applyRead(state, addresses, { slot: 40n, accounts }, nowMs);
  };
  const keptOthers = () => others.filter(({ token }) => isKeptByStream(state, token)).length;
  read([...loaded.keys()], NOW_MS);
  dueConfirmations(state, NOW_MS);
  assert.equal(keptOthers(), OTHERS);
  assert.ok(isKeptByStream(state, inUse.token));

  rereadEverything(state, LATER_MS, { untilSlot: 30n });
  const due = dueConfirmations(state, LATER_MS);
  assert.ok(due.size < loaded.size / 2, "not all are confirmed at once");
  for (const address of inUse.addresses) assert.ok(due.has(address), address);

  read(inUse.addresses, LATER_MS);
  dueConfirmations(state, LATER_MS);
  assert.ok(isKeptByStream(state, inUse.token));
  assert.equal(keptOthers(), 0);
});
