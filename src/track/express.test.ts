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
import { CLOCK_SYSVAR, WSOL } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { applyRead } from "./account-reads.ts";
import { applyExpressUpdate, applyUpdate } from "./apply-update.ts";
import {
  admitCandidates,
  createExpressState,
  isExpress,
  leaveInGap,
  noteReached,
} from "./express.ts";
import { addPool, removePool } from "./followed-pools.ts";
import { addToken, setWatched } from "./followed-tokens.ts";
import { createCompleteStream, createLiveState, type FollowedToken } from "./live-state.ts";
import type { FoundPools } from "./load-token.ts";
import { addGroup } from "./merge-found.ts";
import { refreshPools } from "./refresh-pools.ts";
import { requestExpress } from "./request-express.ts";
import { clockOf, deliveredSlot, stateSlot } from "./state-slot.ts";
import { NO_NAMES } from "./token-names.ts";

const NOW_MS = 1_790_000_000_000;
const FIRST_SLOT = 10n;
const CALLS_PER_ROUND = 10;
const RESERVE = 1_000_000_000n;
const QUOTE = namedAddress("quote");
const POOLS = {
  hop: plainPool("hop", QUOTE, WSOL),
  overHop: plainPool("overHop", namedAddress("overHop"), QUOTE),
  used: plainPool("used", namedAddress("used"), WSOL),
  unused: plainPool("unused", namedAddress("unused"), WSOL),
  later: plainPool("later", namedAddress("used"), WSOL),
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

/** Two watched tokens, one of them over a hop, and an unused one, at the first slot, with an express. */
function followedTokens() {
  const state = createLiveState(createCompleteStream());
  const accountsAt = (slot: bigint) =>
    new Map([...ACCOUNTS].map(([address, account]) => [address, { ...account, slot }] as const));
  const loaded = accountsAt(1n);
  const follow = ({ mintA: mint, address }: PlainPool): FollowedToken =>
    addToken(state, {
      ...{ mint, mintFacts: null, names: NO_NAMES, loaded, isSearched: false, nowMs: NOW_MS },
      found: foundAt(mint, address),
    });
  const hop = addGroup(state, { mint: QUOTE, loaded, found: foundAt(QUOTE, POOLS.hop.address) });
  state.hops.set(QUOTE, hop);
  const tokens = {
    overHop: follow(POOLS.overHop),
    used: follow(POOLS.used),
    unused: follow(POOLS.unused),
  };
  setWatched(state, tokens.overHop, true);
  setWatched(state, tokens.used, true);
  const addresses = [...state.accounts.keys()];
  applyRead(state, addresses, { slot: FIRST_SLOT, accounts: accountsAt(FIRST_SLOT) }, NOW_MS);
  for (const token of Object.values(tokens)) token.confirmedAfterGap = 0;
  const delivered = new Set<Address>();
  state.express = createExpressState({
    delivered,
    change: (added, removed) => {
      for (const address of added) delivered.add(address);
      for (const address of removed) delivered.delete(address);
    },
  });
  const send = (isExpress: boolean, address: Address, account: PlainAccount, slot: bigint) => {
    const update = { address, account: { ...account, slot } satisfies Account, slot };
    if (isExpress) applyExpressUpdate(state, update, NOW_MS);
    else applyUpdate(state, update, NOW_MS);
  };
  const endSlot = (isExpress: boolean, slot: bigint): void => {
    send(isExpress, CLOCK_SYSVAR, clockAccount(slot), slot);
    if (isExpress) noteReached(state, slot);
    else if (state.stream !== null) state.stream.reachedSlot = slot;
    admitCandidates(state, deliveredSlot(state));
    refreshPools(state, NOW_MS);
  };
  const trade = (isExpress: boolean, pool: PlainPool, slot: bigint): void => {
    send(isExpress, pool.vaultA, vaultAccount(pool.mintA, RESERVE - slot), slot);
    send(isExpress, pool.vaultB, vaultAccount(pool.mintB, RESERVE + slot), slot);
    refreshPools(state, NOW_MS);
  };
  const claims = () => ({
    used: stateSlot(state, tokens.used),
    overHop: stateSlot(state, tokens.overHop),
    unused: stateSlot(state, tokens.unused),
  });
  const held = (address: Address) => state.accounts.get(address)?.held.heldSlot ?? null;
  endSlot(false, FIRST_SLOT);
  const choose = () => {
    for (let call = 0; call <= CALLS_PER_ROUND; call++) requestExpress(state, NOW_MS);
  };
  choose();
  return { choose, loaded, state, tokens, delivered, endSlot, trade, claims, held };
}

function foundAt(mint: Address, address: Address): FoundPools {
  return {
    pools: [{ venue: plainVenue(), address, mint, isReserved: false }],
    ...{ vacant: [], isDerivedOnly: true, leftOut: [], refusals: [] },
    isSearchComplete: true,
    searchedSlot: null,
  };
}

function clockTime(slot: bigint): bigint {
  return 1_790_000_000n + slot;
}

function clockAccount(slot: bigint): PlainAccount {
  const data = Buffer.alloc(40);
  data.writeBigUInt64LE(slot, 0);
  data.writeBigInt64LE(clockTime(slot), 32);
  return { owner: CLOCK_SYSVAR, lamports: 1n, data };
}

test("a watched token that comes by express is newer than the others, and claims its own slot", () => {
  const { endSlot, trade, claims, state, tokens } = followedTokens();
  endSlot(true, FIRST_SLOT);
  trade(true, POOLS.used, 11n);
  endSlot(true, 11n);
  assert.deepEqual(claims(), { used: 11n, overHop: FIRST_SLOT, unused: FIRST_SLOT });
  assert.equal(clockOf(state, tokens.used)?.slot, 11n);
  assert.equal(clockOf(state, tokens.unused)?.slot, FIRST_SLOT);
  endSlot(false, 11n);
  assert.deepEqual(claims(), { used: 11n, overHop: 11n, unused: 11n });
});

test("the accounts of unused tokens, and of tokens that share a hop, do not come by express", () => {
  const { endSlot, trade, held, delivered } = followedTokens();
  assert.deepEqual(
    new Set(delivered),
    new Set([POOLS.used.mintA, POOLS.used.address, POOLS.used.vaultA, POOLS.used.vaultB]),
  );
  endSlot(true, FIRST_SLOT);
  for (const pool of [POOLS.unused, POOLS.overHop, POOLS.hop]) {
    trade(true, pool, 11n);
    assert.equal(held(pool.vaultA), FIRST_SLOT);
    trade(false, pool, 11n);
    assert.equal(held(pool.vaultA), 11n);
  }
});

test("a token begins to come by express once the other streams have all that the express has brought", () => {
  const { trade, endSlot, held, claims } = followedTokens();
  // The express is ahead: what it brought of slot 11 was not applied.
  trade(true, POOLS.used, 11n);
  endSlot(true, 11n);
  assert.equal(held(POOLS.used.vaultA), FIRST_SLOT);
  trade(true, POOLS.used, 12n);
  endSlot(true, 12n);
  trade(false, POOLS.used, 11n);
  endSlot(false, 11n);
  assert.equal(claims().used, 11n, "slot 12 was not applied either");
  trade(false, POOLS.used, 12n);
  endSlot(false, 12n);
  trade(true, POOLS.used, 13n);
  endSlot(true, 13n);
  assert.equal(claims().used, 13n);
  assert.equal(held(POOLS.used.vaultA), 13n);
});

test("after a gap in the express, a token claims what it had until the other streams have more", () => {
  const { state, tokens, endSlot, trade, claims, held } = followedTokens();
  endSlot(true, FIRST_SLOT);
  trade(true, POOLS.used, 12n);
  endSlot(true, 12n);
  assert.equal(claims().used, 12n);
  leaveInGap(state);
  trade(true, POOLS.used, 15n);
  endSlot(true, 15n);
  assert.equal(held(POOLS.used.vaultA), 12n, "changes before slot 15 may be missing");
  assert.equal(claims().used, 12n);
  assert.deepEqual(
    [clockOf(state, tokens.used)?.slot, clockOf(state, tokens.used)?.unixTimestamp],
    [12n, clockTime(12n)],
  );
  trade(false, POOLS.used, 14n);
  endSlot(false, 15n);
  assert.equal(claims().used, 15n);
  trade(true, POOLS.used, 16n);
  endSlot(true, 16n);
  assert.equal(claims().used, 16n, "it comes by express again");
});

test("a token with a new pool leaves the express until that brings the pool's accounts too", () => {
  const { choose, loaded, state, tokens, endSlot, trade, claims } = followedTokens();
  endSlot(true, FIRST_SLOT);
  trade(true, POOLS.used, 11n);
  endSlot(true, 11n);
  const ref = {
    ...{ venue: plainVenue(), address: POOLS.later.address },
    ...{ mint: POOLS.later.mintA, isReserved: false },
  };
  assert.ok(addPool(state, tokens.used.group, ref, loaded) !== null);
  endSlot(true, 12n);
  assert.equal(claims().used, 11n, "slot 12 of the new pool has not come");
  endSlot(false, 12n);
  assert.equal(claims().used, 12n);
  choose();
  endSlot(true, 12n);
  trade(true, POOLS.later, 13n);
  endSlot(true, 13n);
  assert.equal(claims().used, 13n);
});

test("a token that is no longer used leaves the express, and its accounts with it", () => {
  const { choose, state, tokens, delivered, endSlot, trade, claims, held } = followedTokens();
  endSlot(true, FIRST_SLOT);
  trade(true, POOLS.used, 11n);
  endSlot(true, 11n);
  setWatched(state, tokens.used, false);
  // What is removed moves others to an earlier place of the round: they may have their visit in the next one.
  choose();
  choose();
  assert.equal(delivered.size, 0);
  trade(true, POOLS.used, 12n);
  endSlot(true, 12n);
  assert.equal(claims().used, 11n);
  assert.equal(held(POOLS.used.vaultA), 11n);
});

test("a token leaves the express when an account is followed again: changes meanwhile were not applied", () => {
  const { loaded, state, tokens, endSlot, trade, claims } = followedTokens();
  endSlot(true, FIRST_SLOT);
  trade(true, POOLS.used, 11n);
  endSlot(true, 11n);
  const { group } = tokens.used;
  const pool = group.pools.get(POOLS.used.address) ?? assert.fail("no pool");
  removePool(state, pool);
  trade(true, POOLS.used, 12n);
  endSlot(true, 12n);
  assert.ok(addPool(state, group, pool.open.ref, loaded) !== null);
  endSlot(true, 13n);
  assert.ok((claims().used ?? 0n) <= 12n);
  trade(false, POOLS.used, 12n);
  endSlot(false, 13n);
  assert.equal(claims().used, 13n);
});

test("a token whose pool shares a vault with many pools does not come by express", () => {
  const { choose, loaded, state, delivered, endSlot } = followedTokens();
  const vaultB = namedAddress("shared vault");
  const pools = Array.from({ length: 5 }, (_, index) => ({
    ...plainPool(`sharing${index}`, namedAddress(`sharing${index}`), WSOL),
    vaultB,
  }));
  loaded.set(vaultB, { ...vaultAccount(WSOL, RESERVE), slot: 1n });
  for (const pool of pools) {
    loaded.set(pool.mintA, { ...mintAccount(), slot: 1n });
    loaded.set(pool.address, { ...plainPoolAccount(pool), slot: 1n });
    loaded.set(pool.vaultA, { ...vaultAccount(pool.mintA, RESERVE), slot: 1n });
  }
  const sharing = pools.map(({ mintA: mint, address }) =>
    addToken(state, {
      ...{ mint, mintFacts: null, names: NO_NAMES, loaded, isSearched: false, nowMs: NOW_MS },
      found: foundAt(mint, address),
    }),
  );
  for (const token of sharing) setWatched(state, token, true);
  choose();
  for (const { mintA } of pools) assert.ok(delivered.has(mintA));
  endSlot(true, FIRST_SLOT);
  assert.ok(sharing.every((token) => !isExpress(token)));
});
