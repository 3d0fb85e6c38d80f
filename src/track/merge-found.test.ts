import assert from "node:assert/strict";
import { test } from "node:test";
import type { Account } from "#src/venues/account-set.ts";
import { pumpSwap } from "#src/venues/pumpswap/adapter.ts";
import { decodeMint } from "#src/venues/shared/token/mint.ts";
import { pumpSwapFixture } from "#test/support/pump-pools.ts";
import { applyRead } from "./account-reads.ts";
import { addToken } from "./followed-tokens.ts";
import { createLiveState } from "./live-state.ts";
import { mergeFound } from "./merge-found.ts";
import { refreshPools } from "./refresh-pools.ts";
import { NO_NAMES } from "./token-names.ts";

const NOW_MS = 1_790_000_000_000;
const RESERVE = 1_000_000n;

test("a pool that a search finds before its creation is notified is priced, and keeps its vaults followed", () => {
  const {
    pool,
    mintA: mint,
    accounts,
  } = pumpSwapFixture({ baseReserve: RESERVE, quoteReserve: RESERVE });
  const ref = { venue: pumpSwap, address: pool, mint, isReserved: true };
  const found = {
    ...{ pools: [], vacant: [ref], filters: [], leftOut: [], refusals: [] },
    isSearchComplete: true,
    searchedSlot: null,
  };
  const state = createLiveState();
  const mintFacts = decodeMint(accounts.get(mint));
  const facts = { mint, mintFacts, names: NO_NAMES, isSearched: true };
  const token = addToken(state, { ...facts, found, loaded: new Map(), nowMs: NOW_MS });
  applyRead(state, [pool], { slot: 1n, accounts: new Map([[pool, null]]) }, NOW_MS);

  const loaded = new Map<typeof pool, Account | null>(
    [...accounts].map(([address, account]) => [address, { ...account, slot: 2n }]),
  );
  const search = { found: { ...found, pools: [ref], vacant: [] }, loaded, nowMs: NOW_MS };
  mergeFound(state, token.group, search);
  const followed = new Set(state.accounts.keys());
  for (const laterMs of [0, 1_000, 2_000]) refreshPools(state, NOW_MS + laterMs);

  assert.equal(token.group.pools.get(pool)?.open.decoded.kind, "pool");
  assert.deepEqual(new Set(state.accounts.keys()), followed);
  assert.equal(state.unwanted.size, 0);
  assert.equal(token.group.vacancies.size, 0);
});
