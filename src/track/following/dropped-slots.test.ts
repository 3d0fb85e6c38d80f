import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress, plainPool, vaultAccount } from "#bench/detection/plain-pool-venue.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { followPlainToken } from "#test/support/pools/plain-token.ts";
import { applySlotEnd, applyUpdate } from "./apply-update.ts";
import { removeToken } from "./followed-tokens.ts";
import { createLiveState } from "./live-state.ts";

const NOW_MS = 1_790_000_000_000;
const MINT = namedAddress("token");
const POOL = plainPool("token", MINT, WSOL);

/** A token whose pool's vault changed in a slot that may be dropped. */
function changedIn(slot: bigint) {
  const state = createLiveState();
  const token = followPlainToken(state, POOL);
  applySlotEnd(state, slot - 1n, "confirmed");
  const change = (at: bigint, amount: bigint | null): void => {
    const account = amount === null ? null : { ...vaultAccount(POOL.mintB, amount), slot: at };
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
