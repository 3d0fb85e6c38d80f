import assert from "node:assert/strict";
import { test } from "node:test";
import { withTokenAmount } from "#demo/token-accounts.ts";
import type { Account } from "#src/venues/account-set.ts";
import { pumpSwap } from "#src/venues/pumpswap/adapter.ts";
import { decodePool, type PumpSwapState } from "#src/venues/pumpswap/decode.ts";
import { POOL } from "#src/venues/pumpswap/layout.ts";
import { decodeMint } from "#src/venues/shared/token/mint.ts";
import { pumpSwapFixture } from "#test/support/pump-pools.ts";
import { applyRead } from "./account-reads.ts";
import { applyUpdate } from "./apply-update.ts";
import { addToken } from "./followed-tokens.ts";
import { createLiveState } from "./live-state.ts";
import { refreshPools } from "./refresh-pools.ts";
import { recordClock } from "./slot-times.ts";
import { NO_NAMES } from "./token-names.ts";

const NOW_MS = 1_790_000_000_000;
const BASE = 1_000_000n;

/** A followed PumpSwap pool whose vaults and account a test changes, each slot with its own base reserve. */
function followedPool() {
  const {
    pool,
    mintA: mint,
    accounts,
  } = pumpSwapFixture({ baseReserve: BASE, quoteReserve: BASE });
  const state = createLiveState();
  const found = {
    pools: [{ venue: pumpSwap, address: pool, mint, isReserved: false }],
    ...{ vacant: [], filters: [], leftOut: [], refusals: [] },
    isSearchComplete: true,
    searchedSlot: null,
  };
  const loaded = new Map<typeof pool, Account | null>(accounts);
  const mintFacts = decodeMint(accounts.get(mint));
  const token = { mint, mintFacts, names: NO_NAMES, found, loaded, isSearched: true };
  addToken(state, { ...token, nowMs: NOW_MS });
  const asked = [...state.accounts.keys()];
  const read = new Map(asked.map((address) => [address, loaded.get(address) ?? null]));
  applyRead(state, asked, { slot: 1n, accounts: read }, NOW_MS);
  refreshPools(state, NOW_MS);
  const { baseVault, quoteVault } = decodePool(accounts.get(pool)) ?? assert.fail("no pool");
  const update = (address: typeof pool, slot: bigint, edit: (account: Account) => Account) => {
    const account = accounts.get(address) ?? assert.fail(`no account ${address}`);
    applyUpdate(state, { address, account: { ...edit(account), slot }, slot }, NOW_MS);
  };
  const vaults = { base: baseVault, quote: quoteVault };
  return {
    state,
    changeVault: (side: "base" | "quote", slot: bigint) =>
      update(vaults[side], slot, (account) => withTokenAmount(account, BASE + slot, slot)),
    /** As a v2 trade does, which leaves its fees in the pool. */
    changePool: (slot: bigint) =>
      update(pool, slot, (account) => {
        const data = Buffer.from(account.data);
        data.writeBigUInt64LE(slot, POOL.protocol_fees);
        return { ...account, data };
      }),
    endSlot: (slot: bigint) => {
      const clock = { slot: slot + 1n, unixTimestamp: 1_790_000_000n, epoch: 1n };
      recordClock(state.times, clock, NOW_MS);
    },
    baseReserve: () => {
      const decoded = state.tokens.get(mint)?.group.pools.get(pool)?.open.decoded;
      assert.ok(decoded?.kind === "pool");
      return (decoded.state as PumpSwapState).baseReserve;
    },
  };
}

type Followed = ReturnType<typeof followedPool>;

/** Trades that change both vaults, and of each two the pool's account too. */
function tradeByBothVersions(followed: Followed, lastSlot: bigint): void {
  for (let slot = 2n; slot <= lastSlot; slot++) {
    followed.changeVault("base", slot);
    followed.changeVault("quote", slot);
    if (slot % 2n === 0n) followed.changePool(slot);
    followed.endSlot(slot);
    assert.ok(!refreshPools(followed.state, NOW_MS), `slot ${slot}`);
  }
}

test("a trade that leaves no fees in the pool is answered from once its slot is over, without a read", () => {
  const followed = followedPool();
  tradeByBothVersions(followed, 12n);
  followed.changeVault("base", 13n);
  followed.changeVault("quote", 13n);
  assert.ok(refreshPools(followed.state, NOW_MS), "the pool's own account may still change");
  followed.endSlot(13n);
  assert.ok(!refreshPools(followed.state, NOW_MS));
  assert.equal(followed.baseReserve(), BASE + 13n);
  assert.equal(followed.state.rereadSoon.size, 0);
});

test("a vault that changes with every trade is waited for, and then read, though the slot is over", () => {
  // Also of a pool that was seen to trade a few times only.
  for (const trades of [3n, 7n, 12n, 60n]) {
    const followed = followedPool();
    tradeByBothVersions(followed, trades);
    followed.changeVault("base", trades + 1n);
    followed.endSlot(trades + 1n);
    assert.ok(refreshPools(followed.state, NOW_MS), `after ${trades}`);
    assert.ok(refreshPools(followed.state, NOW_MS + 2_999), `after ${trades}`);
    assert.equal(followed.baseReserve(), BASE + trades);
    assert.ok(followed.state.rereadSoon.size > 0);
    assert.ok(!refreshPools(followed.state, NOW_MS + 3_000));
  }
});
