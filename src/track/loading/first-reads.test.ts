import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress } from "#bench/detection/plain-pool-venue.ts";
import { addToken } from "../following/followed-tokens.ts";
import { createLiveState, type FollowedToken } from "../following/live-state.ts";
import { FirstReads } from "./first-reads.ts";

const FOUND = {
  ...{ pools: [], vacant: [], leftOut: [], refusals: [], searchedSlot: null },
  ...{ isDerivedOnly: false, isSearchComplete: true },
};

function followedIn(state: ReturnType<typeof createLiveState>): FollowedToken {
  return addToken(state, {
    ...{ mint: namedAddress("token"), mintFacts: null, names: { name: null, symbol: null } },
    ...{ found: FOUND, loaded: new Map(), isSearched: true, nowMs: 0 },
  });
}

test("a token that was measured after its first read failed is passed on as read, once", async () => {
  const state = createLiveState(null);
  const token = followedIn(state);
  const passedOn: FollowedToken[] = [];
  const reads = new FirstReads({
    state,
    read: () => Promise.reject(new Error("the node is down")),
    onRead: (each) => passedOn.push(each),
  });
  reads.add(token);
  await assert.rejects(reads.read(token), /the node is down/);
  reads.endRest();
  assert.deepEqual(passedOn, []);
  token.assessed = {} as NonNullable<FollowedToken["assessed"]>;
  reads.endRest();
  reads.endRest();
  await reads.read(token);
  assert.deepEqual(passedOn, [token]);
});
