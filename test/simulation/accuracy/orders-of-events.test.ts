import assert from "node:assert/strict";
import { test } from "node:test";
import type { VenueId } from "#src/venues/venue.ts";
import { joined, onePool, type SlotEvents } from "./one-pool.ts";

/** The venues whose swaps are replayed on the state that is held. */
const ON_HELD_STATE: readonly VenueId[] = [
  "raydium-clmm",
  "orca-whirlpool",
  "meteora-dlmm",
  "meteora-damm-v1",
  "meteora-damm-v2",
  "meteora-dbc",
];
/** A curve has no liquidity that moves. */
const WITH_LIQUIDITY = ON_HELD_STATE.filter((venue) => venue !== "meteora-dbc");
const WITH_FEES = ["raydium-clmm", "orca-whirlpool", "meteora-dlmm", "meteora-damm-v2"] as const;

/** More than the judge waits where nothing is missing. */
const SETTLED_MS = 2_000;
/** More than the judge waits at most. */
const GIVEN_UP_MS = 20_000;

const NOTHING: SlotEvents = { updates: [], transactions: [] };

for (const venue of ON_HELD_STATE) {
  test(`${venue}: swaps are exact where account updates come seconds after the transactions`, async (t) => {
    const one = await onePool(t, venue);
    const slots = ["buy", "buy", "sell"].map((side) =>
      one.slot(() => {
        one.trade(side === "buy" ? "buy" : "sell", 12);
        one.trade("buy", 9);
      }),
    );
    for (const each of slots) one.transactions(each);
    await one.wait(3 * SETTLED_MS);
    for (const each of slots) one.accounts(each);
    one.accounts(one.slot());
    await one.wait(SETTLED_MS);
    assert.deepEqual(one.outcomes(), Array(6).fill("exact"));
  });

  test(`${venue}: a swap is exact whichever account of the swap before it is late`, async (t) => {
    for (let late = 0; ; late++) {
      const one = await onePool(t, venue);
      const first = one.slot(() => one.trade("buy", 12));
      const second = one.slot(() => one.trade("buy", 9));
      const update = first.updates[late];
      if (update === undefined) break;
      one.accounts({ ...first, updates: first.updates.filter((each) => each !== update) });
      one.transactions(first);
      one.transactions(second);
      await one.wait(3 * SETTLED_MS);
      one.accounts({ ...NOTHING, updates: [update] });
      one.accounts(second);
      one.accounts(one.slot());
      await one.wait(SETTLED_MS);
      assert.deepEqual(one.outcomes(), ["exact", "exact"], update.address);
    }
  });

  for (const feed of ["logs", "whole"] as const) {
    test(`${venue}: after a swap of which nothing was received, the next one is skipped (${feed})`, async (t) => {
      const one = await onePool(t, venue);
      one.slot(() => one.trade("buy", 12));
      const second = one.slot(() => one.trade("buy", 9));
      const third = one.slot(() => one.trade("buy", 9));
      for (const each of [second, third]) {
        one.transactions(each, feed);
        one.accounts(each);
      }
      one.accounts(one.slot());
      await one.wait(SETTLED_MS);
      assert.deepEqual(one.outcomes(), ["state-not-held", "exact"]);
    });
  }

  test(`${venue}: after a swap of its own slot that was not received, a swap is skipped`, async (t) => {
    const one = await onePool(t, venue);
    const now = one.slot(() => {
      one.trade("buy", 12);
      one.trade("buy", 15);
      one.trade("buy", 9);
    });
    one.transactions({ ...now, transactions: now.transactions.filter((_, place) => place !== 1) });
    one.accounts(now);
    one.accounts(one.slot());
    await one.wait(SETTLED_MS);
    assert.deepEqual(one.outcomes(), ["exact", "state-not-held"]);
  });

  test(`${venue}: a swap is skipped where transactions are received again before the accounts are`, async (t) => {
    const one = await onePool(t, venue);
    one.slot(() => one.trade("buy", 12));
    one.gap();
    await one.wait(SETTLED_MS);
    for (let quiet = 0; quiet < 20; quiet++) one.slot();
    one.transactions(one.slot(() => one.trade("buy", 9)));
    await one.wait(GIVEN_UP_MS);
    assert.deepEqual(one.outcomes(), ["state-not-held"]);
  });

  test(`${venue}: a swap is skipped after a read that arrives behind the notification of its slot`, async (t) => {
    const one = await onePool(t, venue);
    const read = one.accountsNow();
    const first = one.slot(() => one.trade("buy", 12));
    one.transactions(first);
    one.accounts(first);
    one.accounts(read);
    const second = one.slot(() => one.trade("buy", 9));
    one.transactions(second);
    one.accounts(second);
    one.accounts(one.slot());
    await one.wait(SETTLED_MS);
    assert.deepEqual(one.outcomes(), ["exact", "state-not-held"]);
  });
}

for (const venue of WITH_LIQUIDITY) {
  test(`${venue}: after a move of liquidity of which nothing was received, a swap is skipped`, async (t) => {
    const one = await onePool(t, venue);
    one.slot(() => one.moveLiquidity(2_000));
    const second = one.slot(() => one.trade("buy", 9));
    one.transactions(second);
    one.accounts(second);
    one.accounts(one.slot());
    await one.wait(SETTLED_MS);
    assert.deepEqual(one.outcomes(), ["state-not-held"]);
  });

  test(`${venue}: a transaction that moves liquidity too is skipped, with the swaps after it in its slot`, async (t) => {
    const one = await onePool(t, venue);
    const now = one.slot(() => {
      one.moveLiquidity(2_000);
      one.trade("buy", 12);
      one.trade("buy", 9);
    });
    const [move, swap, next] = now.transactions;
    assert.ok(move !== undefined && swap !== undefined && next !== undefined);
    one.transactions({ ...now, transactions: [joined([move, swap]), next] });
    one.accounts(now);
    one.accounts(one.slot());
    await one.wait(SETTLED_MS);
    assert.deepEqual(one.outcomes(), ["another-change", "another-change"]);
  });
}

for (const venue of WITH_FEES) {
  test(`${venue}: the first swap after an unnoticed fee change is off, once its slot has settled`, async (t) => {
    const one = await onePool(t, venue);
    one.changeFee(30_000);
    const first = one.slot(() => one.trade("buy", 9));
    one.transactions(first);
    one.accounts(first);
    one.accounts(one.slot());
    await one.wait(SETTLED_MS);
    assert.deepEqual(one.outcomes(), ["off"]);
  });
}

test("a swap between two changes of its pool's fee in one slot is skipped", async (t) => {
  const one = await onePool(t, "raydium-cpmm");
  const changed = one.slot(() => {
    one.changeFee(30_000);
    one.trade("buy", 9);
    one.changeFee(40_000, { isSilent: false });
  });
  one.transactions(changed);
  one.accounts(changed);
  one.accounts(one.slot());
  await one.wait(SETTLED_MS);
  assert.deepEqual(one.outcomes(), ["another-change"]);
});

test("a trader's further instructions leave the swaps of others judged", async (t) => {
  const one = await onePool(t, "raydium-clmm");
  one.changeFee(30_000);
  const slots = [
    one.slot(() => {
      one.moveLiquidity(1);
      one.trade("buy", 9);
    }),
    one.slot(() => one.trade("buy", 9)),
  ];
  for (const each of slots) {
    one.transactions({ ...each, transactions: [joined(each.transactions)] });
    one.accounts(each);
  }
  one.accounts(one.slot());
  await one.wait(SETTLED_MS);
  assert.deepEqual(one.outcomes(), ["another-change", "off"]);
});

test("after transactions of an earlier slot arrive late, the newest slot with a change still counts", async (t) => {
  const one = await onePool(t, "raydium-clmm");
  const slots = [12, 9, 15].map((sol) => one.slot(() => one.trade("buy", sol)));
  const [first, second, third] = slots.map(withoutAmounts);
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  one.accounts(first);
  one.accounts({ ...NOTHING, updates: one.slot().updates });
  for (const each of [second, first, third]) {
    one.transactions(each);
    await one.wait(SETTLED_MS);
  }
  assert.deepEqual(one.outcomes(), ["exact", "state-not-held", "state-not-held"]);
});

/** As from a node that states no balances. */
function withoutAmounts({ updates, transactions }: SlotEvents): SlotEvents {
  return {
    updates,
    transactions: transactions.map(({ tokenAmounts: _, ...transaction }) => transaction),
  };
}
