import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import {
  BASE,
  followedPool,
  NOW_MS,
  tradeByBothVersions,
} from "#test/support/pools/followed-pool.ts";
import { applyRead } from "./account-reads.ts";
import { refreshPools } from "./refresh-pools.ts";
import { dueConfirmations } from "./schedule.ts";

function withAccountOf(
  read: ReadonlyMap<Address, Account | null>,
  address: Address,
  edit: (account: Account) => Account,
): ReadonlyMap<Address, Account | null> {
  const account = read.get(address) ?? assert.fail(`no account ${address}`);
  return new Map([...read, [address, edit(account)]]);
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
    for (const laterMs of [0, 1, 2, 29])
      assert.ok(refreshPools(followed.state, NOW_MS + laterMs), `after ${trades}`);
    assert.equal(followed.state.rereadSoon.size, 0, "its notification may still arrive");
    followed.endSlot(trades + 2n);
    assert.ok(refreshPools(followed.state, NOW_MS + 60_000), "however late the read is");
    assert.equal(followed.baseReserve(), BASE + trades);
    assert.ok((followed.claimedSlot() ?? 0n) <= trades, "its vaults are of two slots after that");
    assert.ok(followed.state.rereadSoon.size > 0);
    followed.changeVault("quote", trades + 1n);
    assert.ok(!refreshPools(followed.state, NOW_MS + 60_000));
    assert.equal(followed.baseReserve(), BASE + trades + 1n);
  }
});

test("a read that finds a vault unchanged at the pool's slot ends the wait", () => {
  const followed = followedPool();
  tradeByBothVersions(followed, 3n);
  followed.changeVault("base", 4n);
  assert.ok(refreshPools(followed.state, NOW_MS));
  followed.confirmVault("quote", 4n);
  assert.ok(!refreshPools(followed.state, NOW_MS));
  assert.equal(followed.baseReserve(), BASE + 4n);
});

test("a pool that the stream keeps is answered from once its slot was delivered, without a read", () => {
  const followed = followedPool({ isStreamed: true });
  tradeByBothVersions(followed, 12n);
  followed.changeVault("base", 13n);
  assert.ok(refreshPools(followed.state, NOW_MS));
  assert.ok(refreshPools(followed.state, NOW_MS + 60_000), "however late the rest of the slot is");
  followed.endSlot(13n);
  assert.ok(!refreshPools(followed.state, NOW_MS + 60_000));
  assert.equal(followed.baseReserve(), BASE + 13n);
  assert.equal(followed.state.rereadSoon.size, 0);
});

test("where the stream reports that a slot was delivered, no pool waits for the next one's clock", () => {
  const followed = followedPool({ isStreamed: true });
  tradeByBothVersions(followed, 12n);
  const { state } = followed;
  const { stream } = state;
  assert.ok(stream !== null);
  for (const slot of [13n, 15n]) {
    followed.changeVault("base", slot);
    followed.changeVault("quote", slot);
    // Its clock, and that of the slot after it, which another stream may bring.
    for (const clockSlot of [slot, slot + 1n]) {
      followed.endSlot(clockSlot - 1n);
      stream.reachedSlot = slot - 1n;
      assert.ok(refreshPools(state, NOW_MS), "its own account may still change");
      assert.equal(followed.claimedSlot(), slot - 1n);
    }
    stream.reachedSlot = slot;
    assert.ok(!refreshPools(state, NOW_MS));
    assert.equal(followed.baseReserve(), BASE + slot);
    assert.equal(followed.claimedSlot(), slot);
  }
  stream.reachedSlot = 20n;
  assert.equal(followed.claimedSlot(), 16n, "no slot whose block time is not known");
});

test("a pool that the stream keeps waits until its slot was delivered for what may have changed with it", () => {
  // Little is known of its own account; that changes with every third trade.
  for (const { trades, every } of [
    { trades: 3n, every: 1n },
    { trades: 21n, every: 3n },
  ]) {
    const followed = followedPool({ isStreamed: true });
    for (let slot = 2n; slot <= trades; slot++) {
      followed.changeVault("base", slot);
      followed.changeVault("quote", slot);
      if (slot % every === 0n) followed.changePool(slot);
      followed.endSlot(slot);
      assert.ok(!refreshPools(followed.state, NOW_MS));
    }
    const next = trades + 1n;
    for (const ending of [() => followed.changePool(next), () => followed.endSlot(next + 1n)]) {
      const slot = next + (followed.baseReserve() === BASE + next ? 1n : 0n);
      followed.changeVault("base", slot);
      followed.changeVault("quote", slot);
      assert.ok(refreshPools(followed.state, NOW_MS), "its own account may still change");
      assert.equal(followed.baseReserve(), BASE + slot - 1n);
      assert.equal(followed.claimedSlot(), slot - 1n);
      assert.equal(followed.state.rereadSoon.size, 0);
      ending();
      assert.ok(!refreshPools(followed.state, NOW_MS));
      assert.equal(followed.baseReserve(), BASE + slot);
      followed.endSlot(slot);
    }
  }
});

test("a pool that trades in every slot, of which the last is never over, is decoded every second slot without a read", () => {
  const followed = followedPool({ isStreamed: true });
  for (let slot = 2n; slot <= 61n; slot++) {
    followed.changeVault("base", slot);
    followed.changeVault("quote", slot);
    if (slot % 4n === 0n) followed.changePool(slot);
    refreshPools(followed.state, NOW_MS);
    // Its next slot has begun when this one is delivered.
    followed.endSlot(slot - 1n);
    refreshPools(followed.state, NOW_MS);
    if (slot >= 12n) assert.ok(followed.baseReserve() >= BASE + slot - 2n, `${slot}`);
  }
  assert.equal(followed.state.rereadSoon.size, 0);
});

test("a pool does not wait for a stream that is far behind", () => {
  const followed = followedPool({ isStreamed: true });
  tradeByBothVersions(followed, 12n);
  for (let slot = 13n; slot <= 20n; slot++) {
    followed.changeVault("base", slot);
    followed.changeVault("quote", slot);
    followed.endSlot(slot);
    refreshPools(followed.state, NOW_MS);
  }
  const { stream } = followed.state;
  assert.ok(stream !== null);
  stream.reachedSlot = 20n;
  followed.changeVault("base", 21n);
  followed.changeVault("quote", 21n);
  for (const clockSlot of [22n, 26n]) {
    followed.endSlot(clockSlot - 1n);
    assert.ok(refreshPools(followed.state, NOW_MS), "its own account may still change");
    followed.refreshForAnswer(NOW_MS);
    assert.equal(followed.baseReserve(), BASE + 20n);
  }
  followed.endSlot(26n);
  followed.refreshForAnswer(NOW_MS);
  assert.equal(followed.baseReserve(), BASE + 21n);
  assert.equal(followed.claimedSlot(), 20n);
});

test("a pool whose own account never changed in its first trades does not wait for it", () => {
  const followed = followedPool({ isStreamed: true });
  for (let slot = 2n; slot <= 9n; slot++) {
    followed.changeVault("base", slot);
    followed.changeVault("quote", slot);
    assert.equal(refreshPools(followed.state, NOW_MS), slot <= 5n, `${slot}`);
    followed.endSlot(slot);
    refreshPools(followed.state, NOW_MS);
  }
});

test("an answer claims no slot with changes that are not in it", () => {
  const followed = followedPool({ isStreamed: true });
  tradeByBothVersions(followed, 12n);
  assert.equal(followed.claimedSlot(), 12n);
  followed.changeVault("base", 13n);
  followed.endSlot(13n);
  followed.changeVault("base", 14n);
  assert.ok(refreshPools(followed.state, NOW_MS), "in the middle of slot 14");
  assert.equal(followed.baseReserve(), BASE + 12n);
  assert.equal(followed.claimedSlot(), 12n, "slot 13 was delivered, but is not in the answer");
  followed.endSlot(14n);
  assert.ok(!refreshPools(followed.state, NOW_MS));
  assert.equal(followed.baseReserve(), BASE + 14n);
  assert.equal(followed.claimedSlot(), 14n);
});

test("a pool of an unused token is decoded every ten seconds, and at once for an answer", () => {
  const followed = followedPool({ isStreamed: true, isUsed: false });
  const trade = (slot: bigint) => {
    followed.changeVault("base", slot);
    followed.changeVault("quote", slot);
    followed.endSlot(slot);
  };
  trade(2n);
  refreshPools(followed.state, NOW_MS);
  assert.equal(followed.baseReserve(), BASE + 2n, "nothing was measured yet");
  followed.measure(NOW_MS);
  trade(3n);
  for (const laterMs of [0, 1_000, 9_999]) refreshPools(followed.state, NOW_MS + laterMs);
  assert.equal(followed.baseReserve(), BASE + 2n);
  assert.equal(followed.claimedSlot(), 2n, "an answer would be of the slot before the change");
  refreshPools(followed.state, NOW_MS + 10_100);
  assert.equal(followed.baseReserve(), BASE + 3n);
  followed.measure(NOW_MS + 10_100);
  trade(4n);
  refreshPools(followed.state, NOW_MS + 10_101);
  assert.equal(followed.baseReserve(), BASE + 3n);
  followed.refreshForAnswer(NOW_MS + 10_101);
  assert.equal(followed.baseReserve(), BASE + 4n);
  assert.equal(followed.claimedSlot(), 4n);
});

test("in a gap of the stream, a vault whose updates may be missing is read, however often it was seen to change", () => {
  for (const isGap of [false, true]) {
    const followed = followedPool({ isStreamed: true });
    for (let slot = 2n; slot <= 21n; slot++) {
      followed.changeVault("base", slot);
      if (slot % 3n !== 0n) followed.changeVault("quote", slot);
      followed.endSlot(slot);
      refreshPools(followed.state, NOW_MS);
    }
    if (isGap) followed.beginGap();
    followed.changeVault("base", 22n);
    followed.endSlot(22n);
    for (const laterMs of [0, 30]) refreshPools(followed.state, NOW_MS + laterMs);
    assert.equal(followed.baseReserve(), isGap ? BASE + 21n : BASE + 22n);
    assert.equal(followed.state.rereadSoon.size > 0, isGap);
    followed.confirmVault("quote", 22n);
    refreshPools(followed.state, NOW_MS);
    assert.equal(followed.baseReserve(), BASE + 22n);
  }
});

test("a read that began before the end of a gap does not confirm what it returns", () => {
  for (const readSlot of [29n, 30n]) {
    const followed = followedPool({ isStreamed: true });
    tradeByBothVersions(followed, 12n);
    followed.endGap(30n);
    followed.readAll(readSlot);
    // Each trade changes both vaults; the base vault's change of slot 29 was lost.
    followed.changeVault("quote", 31n);
    followed.endSlot(31n);
    for (const laterMs of [0, 30]) refreshPools(followed.state, NOW_MS + laterMs);
    assert.equal(followed.claimedSlot(), readSlot < 30n ? 29n : 31n);
    assert.equal(followed.state.rereadSoon.size > 0, readSlot < 30n);
  }
});

test("after a gap whose end is not known, the stream keeps a pool again once all its accounts were read", () => {
  const followed = followedPool({ isStreamed: true });
  tradeByBothVersions(followed, 12n);
  assert.ok(followed.isKept());
  followed.endGap(null);
  const due = dueConfirmations(followed.state, NOW_MS);
  assert.deepEqual(due, new Set(followed.accountsNow(12n).keys()));
  assert.ok(!followed.isKept());
  // Nothing has changed since, and the read comes in the same millisecond.
  followed.readAll(12n);
  assert.ok(followed.isKept());
});

test("a pool that trades in every slot is answered from one read after a while, at the slot of the read", () => {
  const followed = followedPool({ isStreamed: true });
  tradeByBothVersions(followed, 12n);
  // The pool's own account, which changed in every other trade, is not delivered.
  for (let slot = 13n; slot <= 20n; slot++) {
    followed.changeVault("base", slot);
    followed.changeVault("quote", slot);
    for (const laterMs of [0, 30])
      assert.ok(refreshPools(followed.state, NOW_MS + laterMs), `${slot}`);
    assert.equal(followed.baseReserve(), BASE + 12n);
  }
  assert.equal(followed.state.rereadSoon.size, 0, "the stream may still deliver the rest");
  for (const side of ["base", "quote"] as const) followed.changeVault(side, 21n);
  for (const laterMs of [0, 30]) refreshPools(followed.state, NOW_MS + laterMs);
  assert.equal(followed.baseReserve(), BASE + 12n, "its own account is of an older slot");
  assert.ok(followed.state.rereadSoon.size > 0);
  const read = followed.accountsNow(21n);
  // The next trade arrives before the read does.
  for (const side of ["base", "quote"] as const) followed.changeVault(side, 22n);
  followed.endSlot(21n);
  const withoutPool = new Map([...read].filter(([address]) => address !== followed.pool));
  const withZeros = withAccountOf(read, followed.pool, (pool) => ({
    ...pool,
    data: new Uint8Array(pool.data.length),
  }));
  const divided = withAccountOf(read, followed.pool, (pool) => ({ ...pool, slot: 20n }));
  for (const accounts of [withoutPool, withZeros, divided, read]) {
    applyRead(followed.state, [...read.keys()], { slot: 21n, accounts }, NOW_MS);
    refreshPools(followed.state, NOW_MS);
    const isWhole = accounts === read;
    assert.equal(followed.baseReserve(), BASE + (isWhole ? 21n : 12n));
    assert.equal(followed.claimedSlot(), isWhole ? 21n : 12n);
  }
  applyRead(followed.state, [...read.keys()], { slot: 12n, accounts: read }, NOW_MS);
  assert.equal(followed.baseReserve(), BASE + 21n, "an older read changes nothing");
});
