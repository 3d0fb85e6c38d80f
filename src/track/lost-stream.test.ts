import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress } from "#bench/detection/plain-pool-venue.ts";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { pumpSwap } from "#src/venues/pumpswap/adapter.ts";
import { decodePool } from "#src/venues/pumpswap/decode.ts";
import { pumpSwapFixture } from "#test/support/pump-pools.ts";
import { applyRead } from "./account-reads.ts";
import { addToken } from "./followed-tokens.ts";
import { createCompleteStream, createLiveState } from "./live-state.ts";
import type { FoundPools } from "./load-token.ts";
import { dueConfirmations, rereadLost } from "./schedule.ts";
import { isKeptByStream } from "./state-slot.ts";
import { NO_NAMES } from "./token-names.ts";

const NOW_MS = 1_790_000_000_000;
const LATER_MS = NOW_MS + 60_000;
const NOTHING: FoundPools = {
  ...{ pools: [], vacant: [], filters: [], leftOut: [], refusals: [] },
  isSearchComplete: true,
  searchedSlot: null,
};

/** A token with a pool and one without, both kept by streams that have delivered everything so far. */
function twoTokens() {
  const state = createLiveState(createCompleteStream());
  const { pool, mintA: mint, accounts } = pumpSwapFixture({ baseReserve: 9n, quoteReserve: 9n });
  const loaded = new Map<Address, Account | null>(accounts);
  const common = { mintFacts: null, names: NO_NAMES, isSearched: true, nowMs: NOW_MS };
  const pools = [{ venue: pumpSwap, address: pool, mint, isReserved: false }];
  const token = addToken(state, { ...common, mint, loaded, found: { ...NOTHING, pools } });
  const other = addToken(state, {
    ...{ ...common, mint: namedAddress("other"), loaded: new Map(), found: NOTHING },
  });
  const read = (slot: bigint, nowMs: number): void => {
    const addresses = [...state.accounts.keys()];
    const accountAt = (address: Address) => {
      const account = loaded.get(address) ?? null;
      return account && { ...account, slot };
    };
    const found = new Map(addresses.map((address) => [address, accountAt(address)]));
    applyRead(state, addresses, { slot, accounts: found }, nowMs);
  };
  read(10n, NOW_MS);
  if (state.stream !== null) state.stream.isWhole = true;
  dueConfirmations(state, NOW_MS);
  assert.ok(isKeptByStream(state, token) && isKeptByStream(state, other));
  const { baseVault } = decodePool(accounts.get(pool)) ?? assert.fail("no pool");
  return { state, token, other, read, baseVault };
}

test("after one of several streams was lost, only what it had is read again, at a slot after the loss", () => {
  const { state, token, other, read, baseVault } = twoTokens();
  rereadLost(state, LATER_MS, { lost: new Set([baseVault]), untilSlot: 30n });
  assert.ok(!isKeptByStream(state, token) && isKeptByStream(state, other));
  assert.deepEqual(dueConfirmations(state, LATER_MS), new Set([baseVault]));
  read(29n, LATER_MS);
  dueConfirmations(state, LATER_MS);
  assert.ok(!isKeptByStream(state, token), "the read began before the end of the loss");
  read(30n, LATER_MS);
  dueConfirmations(state, LATER_MS);
  assert.ok(isKeptByStream(state, token));
});

test("after a lost account of a hop every token is checked again", () => {
  const { state, token, other, read, baseVault } = twoTokens();
  state.hops.set(token.mint, token.group);
  rereadLost(state, LATER_MS, { lost: new Set([baseVault]), untilSlot: 30n });
  assert.ok(!isKeptByStream(state, token) && !isKeptByStream(state, other));
  assert.deepEqual(dueConfirmations(state, LATER_MS), new Set([baseVault]));
  assert.ok(isKeptByStream(state, other), "none of its own accounts was lost");
  read(30n, LATER_MS);
  dueConfirmations(state, LATER_MS);
  assert.ok(isKeptByStream(state, token));
});
