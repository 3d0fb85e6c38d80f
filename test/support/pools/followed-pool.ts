import assert from "node:assert/strict";
import { withTokenAmount } from "#demo/token-accounts.ts";
import { type AssessDeps, assessToken } from "#src/track/answers/assess-token.ts";
import { applyRead } from "#src/track/following/account-reads.ts";
import { applyUpdate } from "#src/track/following/apply-update.ts";
import { addToken } from "#src/track/following/followed-tokens.ts";
import { createCompleteStream, createLiveState } from "#src/track/following/live-state.ts";
import { refreshGroups, refreshPools } from "#src/track/following/refresh-pools.ts";
import { dueConfirmations, rereadEverything } from "#src/track/following/schedule.ts";
import { recordClock } from "#src/track/following/slot-times.ts";
import { isKeptByStream, stateSlot } from "#src/track/following/state-slot.ts";
import { NO_NAMES } from "#src/track/pools/token-names.ts";
import type { Account } from "#src/venues/account-set.ts";
import { pumpSwap } from "#src/venues/pumpswap/adapter.ts";
import { decodePool, type PumpSwapState } from "#src/venues/pumpswap/decode.ts";
import { POOL } from "#src/venues/pumpswap/layout.ts";
import { decodeMint } from "#src/venues/shared/token/mint.ts";
import { pumpSwapFixture } from "#test/support/pools/pump-pools.ts";

export const NOW_MS = 1_790_000_000_000;
export const BASE = 1_000_000n;
const MEASURED: AssessDeps = {
  ...{ isFrozen: false, isProcessed: false },
  ...{ historySeconds: () => 1_000, exactPctByVenue: () => new Map() },
};

/** A followed PumpSwap pool whose vaults and account a test changes, each slot with its own base reserve. */
export function followedPool({ isStreamed = false, isUsed = true } = {}) {
  const {
    pool,
    mintA: mint,
    accounts,
  } = pumpSwapFixture({ baseReserve: BASE, quoteReserve: BASE });
  const stream = isStreamed ? createCompleteStream() : null;
  const state = createLiveState(stream);
  const found = {
    pools: [{ venue: pumpSwap, address: pool, mint, isReserved: false }],
    ...{ vacant: [], isDerivedOnly: true, leftOut: [], refusals: [] },
    isSearchComplete: true,
    searchedSlot: null,
  };
  const loaded = new Map<typeof pool, Account | null>(accounts);
  const mintFacts = decodeMint(accounts.get(mint));
  const token = { mint, mintFacts, names: NO_NAMES, found, loaded, isSearched: isUsed };
  const followed = addToken(state, { ...token, nowMs: NOW_MS });
  followed.confirmedAfterGap = stream?.gaps ?? null;
  const asked = [...state.accounts.keys()];
  const read = new Map(asked.map((address) => [address, loaded.get(address) ?? null]));
  applyRead(state, asked, { slot: 1n, accounts: read }, NOW_MS);
  refreshPools(state, NOW_MS);
  const { baseVault, quoteVault } = decodePool(accounts.get(pool)) ?? assert.fail("no pool");
  /** What a read at the slot returns of an account that did not change. */
  const confirm = (address: typeof pool, slot: bigint) => {
    const account = state.accounts.get(address)?.content ?? assert.fail(`no ${address}`);
    applyUpdate(state, { address, account, slot }, NOW_MS, { isConfirmed: true });
  };
  const update = (address: typeof pool, slot: bigint, edit: (account: Account) => Account) => {
    const account = accounts.get(address) ?? assert.fail(`no account ${address}`);
    applyUpdate(state, { address, account: { ...edit(account), slot }, slot }, NOW_MS);
  };
  const vaults = { base: baseVault, quote: quoteVault };
  /** What a read of all accounts returns at this moment. */
  const accountsNow = (slot: bigint) =>
    new Map(
      asked.map((address) => {
        const account = state.accounts.get(address)?.content ?? null;
        return [address, account && { ...account, slot }];
      }),
    );
  return {
    ...{ state, pool },
    changeVault: (side: "base" | "quote", slot: bigint) =>
      update(vaults[side], slot, (account) => withTokenAmount(account, BASE + slot, slot)),
    confirmVault: (side: "base" | "quote", slot: bigint) => confirm(vaults[side], slot),
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
    claimedSlot: () => stateSlot(state, followed),
    isKept: () => isKeptByStream(state, followed),
    accountsNow,
    beginGap: () => {
      if (stream !== null) stream.gaps++;
    },
    /** The stream is whole again from the slot on; null: it is not known from which. */
    endGap: (untilSlot: bigint | null) => rereadEverything(state, NOW_MS, { untilSlot }),
    /** A read that arrives after the end of the gap. */
    readAll: (slot: bigint) => {
      applyRead(state, asked, { slot, accounts: accountsNow(slot) }, NOW_MS);
      dueConfirmations(state, NOW_MS);
    },
    measure: (nowMs: number) => assessToken(state, followed, MEASURED, { nowMs, maxAgeMs: 0 }),
    refreshForAnswer: (nowMs: number) => refreshGroups(state, [followed.group], nowMs),
    baseReserve: () => {
      const decoded = state.tokens.get(mint)?.group.pools.get(pool)?.open.decoded;
      assert.ok(decoded?.kind === "pool");
      return (decoded.state as PumpSwapState).baseReserve;
    },
  };
}

type Followed = ReturnType<typeof followedPool>;

/** Trades that change both vaults, and of each two the pool's account too. */
export function tradeByBothVersions(followed: Followed, lastSlot: bigint): void {
  for (let slot = 2n; slot <= lastSlot; slot++) {
    followed.changeVault("base", slot);
    followed.changeVault("quote", slot);
    if (slot % 2n === 0n) followed.changePool(slot);
    followed.endSlot(slot);
    assert.ok(!refreshPools(followed.state, NOW_MS), `slot ${slot}`);
  }
}
