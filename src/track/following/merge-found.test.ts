import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { pumpSwap } from "#src/venues/pumpswap/adapter.ts";
import { decodeMint } from "#src/venues/shared/token/mint.ts";
import { pumpSwapFixture } from "#test/support/pools/pump-pools.ts";
import { knownPoolsText, parseKnownPools } from "../loading/known-pools.ts";
import { NO_NAMES } from "../pools/token-names.ts";
import { applyRead } from "./account-reads.ts";
import { addToken } from "./followed-tokens.ts";
import { createLiveState } from "./live-state.ts";
import { addGroup, mergeFound } from "./merge-found.ts";
import { refreshPools } from "./refresh-pools.ts";

const NOW_MS = 1_790_000_000_000;
const FOUND_SLOT = 5n;
const RESERVE = 1_000_000n;

/** A followed token whose pool's address is known and has no pool yet, and a search that finds the pool there. */
function awaitedPool() {
  const fixture = pumpSwapFixture({ baseReserve: RESERVE, quoteReserve: RESERVE });
  const { pool, mintA: mint } = fixture;
  const ref = { venue: pumpSwap, address: pool, mint, isReserved: true };
  const nothing = {
    ...{ pools: [], vacant: [], isDerivedOnly: true, leftOut: [], refusals: [] },
    isSearchComplete: true,
    searchedSlot: null,
  };
  const state = createLiveState();
  const mintFacts = decodeMint(fixture.accounts.get(mint));
  const facts = { mint, mintFacts, names: NO_NAMES, isSearched: true, nowMs: NOW_MS };
  const found = { ...nothing, vacant: [ref] };
  const token = addToken(state, { ...facts, found, loaded: new Map() });
  const loaded = new Map<Address, Account | null>(
    [...fixture.accounts].map(([address, account]) => [address, { ...account, slot: FOUND_SLOT }]),
  );
  return {
    ...{ state, token, loaded, pool, ref, nothing },
    read: (account: Account | null, slot: bigint) =>
      applyRead(state, [pool], { slot, accounts: new Map([[pool, account]]) }, NOW_MS),
    search: () => mergeFound(state, token.group, { ...nothing, pools: [ref] }, loaded),
    refresh: () => refreshPools(state, NOW_MS),
    decoded: () => token.group.pools.get(pool)?.open.decoded.kind,
  };
}

const PREFUNDED: Account = {
  ...{ owner: SYSTEM_PROGRAM, lamports: 1n, data: new Uint8Array() },
  slot: FOUND_SLOT - 1n,
};

for (const [what, before] of [
  ["absent", null],
  ["given lamports by anyone", PREFUNDED],
] as const) {
  test(`a pool that a search finds before its creation is notified keeps its vaults: its address was ${what}`, () => {
    const { state, token, read, search, refresh, decoded } = awaitedPool();
    read(before, FOUND_SLOT - 1n);
    search();
    const followed = new Set(state.accounts.keys());
    refresh();
    assert.equal(decoded(), "pool");
    assert.deepEqual(new Set(state.accounts.keys()), followed);
    assert.equal(state.unwanted.size, 0);
    assert.equal(token.group.vacancies.size, 0);
  });
}

test("a pool that was closed after a search read it stays closed", () => {
  const { read, search, refresh, decoded } = awaitedPool();
  read(null, FOUND_SLOT + 1n);
  search();
  refresh();
  assert.equal(decoded(), "unusable");
});

test("a pool that another group follows already is found where it is awaited", () => {
  const { loaded, ref, nothing, pool } = awaitedPool();
  const state = createLiveState();
  addGroup(state, { mint: ref.mint, found: { ...nothing, pools: [ref] }, loaded });
  const found = { ...nothing, vacant: [ref] };
  const { pools, vacancies } = addGroup(state, { mint: ref.mint, found, loaded });
  assert.ok(pools.has(pool));
  assert.equal(vacancies.size, 0);
});

test("a mint whose venues were searched once is never again one with derived pools only, also for the next process", () => {
  const { state, token, loaded, ref, nothing } = awaitedPool();
  const { group } = token;
  const kept = () => {
    const text = knownPoolsText(group, { searchDueMs: 0, isSearched: true, names: NO_NAMES });
    return parseKnownPools(text, group.mint, [pumpSwap])?.found.isDerivedOnly;
  };
  mergeFound(state, group, { ...nothing, pools: [ref] }, loaded);
  assert.deepEqual([group.isDerivedOnly, kept()], [true, true]);
  mergeFound(state, group, { ...nothing, isDerivedOnly: false, pools: [ref] }, loaded);
  assert.deepEqual([group.isDerivedOnly, kept()], [false, false]);
  mergeFound(state, group, { ...nothing, pools: [ref] }, loaded);
  assert.deepEqual([group.isDerivedOnly, kept()], [false, false]);
});
