import assert from "node:assert/strict";
import { test } from "node:test";
import {
  mintAccount,
  namedAddress,
  plainPool,
  plainPoolAccount,
  plainVenue,
  vaultAccount,
} from "#bench/detection/plain-pool-venue.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { applySlotEnd, applyUpdate } from "./apply-update.ts";
import { addToken, removeToken } from "./followed-tokens.ts";
import { createLiveState } from "./live-state.ts";
import { NO_NAMES } from "./token-names.ts";

const NOW_MS = 1_790_000_000_000;
const MINT = namedAddress("token");
const POOL = plainPool("token", MINT, WSOL);

/** A token whose pool's vault changed in a slot that may be dropped. */
function changedIn(slot: bigint) {
  const state = createLiveState();
  const vault = (amount: bigint, of: bigint): Account => ({
    ...vaultAccount(POOL.mintB, amount),
    slot: of,
  });
  const loaded = new Map([
    [MINT, { ...mintAccount(), slot: 1n }],
    [POOL.address, { ...plainPoolAccount(POOL), slot: 1n }],
    [POOL.vaultA, { ...vaultAccount(MINT, 5n), slot: 1n }],
    [POOL.vaultB, vault(5n, 1n)],
  ]);
  const ref = { venue: plainVenue(), address: POOL.address, mint: MINT, isReserved: false };
  const token = addToken(state, {
    ...{ mint: MINT, mintFacts: null, names: NO_NAMES, loaded, isSearched: true, nowMs: NOW_MS },
    found: {
      ...{ pools: [ref], vacant: [], isDerivedOnly: false, leftOut: [], refusals: [] },
      ...{ isSearchComplete: true, searchedSlot: 1n },
    },
  });
  applySlotEnd(state, slot - 1n, "confirmed");
  const change = (at: bigint, amount: bigint | null): void => {
    const account = amount === null ? null : vault(amount, at);
    applyUpdate(state, { address: POOL.vaultB, account, slot: at }, NOW_MS);
  };
  change(slot, 4n);
  return { state, token, change };
}

test("of a token that is followed, what a dropped slot had brought is kept until it is published", () => {
  const { state, token } = changedIn(9n);
  applySlotEnd(state, 9n, "dropped");
  assert.deepEqual([...(state.unconfirmed?.takenBack.keys() ?? [])], [token]);
  removeToken(state, token);
  assert.equal(state.unconfirmed?.takenBack.size, 0);
});

test("an account that is no longer followed when its slot is dropped is not read again", () => {
  const { state, token, change } = changedIn(9n);
  applySlotEnd(state, 9n, "confirmed");
  change(10n, null);
  assert.equal(state.doubted.size, 1, "it was reported as gone");
  change(11n, 3n);
  removeToken(state, token);
  applySlotEnd(state, 11n, "dropped");
  assert.equal(state.doubted.size, 0);
});

test("of a token that is no longer followed when its slot is dropped, nothing is kept", () => {
  const { state, token } = changedIn(9n);
  removeToken(state, token);
  applySlotEnd(state, 9n, "dropped");
  assert.equal(state.unconfirmed?.takenBack.size, 0);
});
