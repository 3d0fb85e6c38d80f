import assert from "node:assert/strict";
import { test } from "node:test";
import { followAll } from "#test/support/chain/follow-all.ts";
import { OTHER_POOL, POOL, PROGRAM, startChain } from "#test/support/chain/followed-geyser.ts";
import { eventually } from "#test/support/eventually.ts";
import { testAccount } from "#test/support/pools/test-accounts.ts";

/** The pool's content 7 is delivered, and after it that its slot was confirmed. */
async function deliveredAndConfirmed({ updateTo, log }: ReturnType<typeof followAll>) {
  const told = await updateTo(POOL, 7);
  assert.ok(told.kind === "update");
  const { slot } = told.update;
  const end = await log.first((event) => event.kind === "end" && event.slot === slot, "its end");
  assert.deepEqual(end, { kind: "end", slot, outcome: "confirmed" });
  assert.ok(log.events.indexOf(told) < log.events.indexOf(end));
}

test("a processed slot is delivered before it is confirmed, and its end is reported", async (t) => {
  const chain = await startChain(t, { commitment: "processed", slotsAPulse: 2n });
  const feed = followAll(chain);
  const { following, followed } = feed;
  following.add([POOL, OTHER_POOL]);
  await followed(OTHER_POOL);
  chain.set(POOL, 7);
  await deliveredAndConfirmed(feed);
});

test("the changes of a slot that another one replaces are reported as dropped", async (t) => {
  const chain = await startChain(t, { commitment: "processed", slotsAPulse: 2n });
  const { following, followed, updateTo, log } = followAll(chain);
  following.add([POOL]);
  await followed(POOL);
  const forked = chain.geyser.fork(new Map([[POOL, testAccount(PROGRAM, [66])]]));
  await updateTo(POOL, 66);
  const end = await log.first((event) => event.kind === "end" && event.slot === forked, "its end");
  assert.deepEqual(end, { kind: "end", slot: forked, outcome: "dropped" });
  assert.equal((await chain.source.readAccounts([POOL])).accounts.get(POOL), null);
});

test("after a slot far in the future, sent by mistake, the ends of slots are still reported", async (t) => {
  const chain = await startChain(t, { commitment: "processed", slotsAPulse: 2n });
  await chain.source.readAccounts([POOL]);
  const feed = followAll(chain);
  const { following, followed } = feed;
  following.add([POOL]);
  await followed(POOL);
  chain.geyser.sendFalseSlot(chain.ledger.clock.slot + 1_000_000n);
  chain.set(POOL, 7);
  await deliveredAndConfirmed(feed);
});

test("accounts are reported as followed once reads, which are confirmed, have caught up", async (t) => {
  const chain = await startChain(t, { commitment: "processed", slotsAPulse: 2n });
  const { following, followed, log } = followAll(chain);
  following.add([POOL]);
  const told = await followed(POOL);
  const slots = log.events.slice(0, log.events.indexOf(told)).filter(({ kind }) => kind === "slot");
  assert.ok(slots.length >= 12, `${slots.length} slots`);
});

test("of a processed slot the last write of each account is delivered, all of them together", async (t) => {
  const chain = await startChain(t, { commitment: "processed", slotsAPulse: 2n });
  const { following, followed, updateTo, log } = followAll(chain);
  following.add([POOL, OTHER_POOL]);
  await followed(OTHER_POOL);
  chain.geyser.writesTwice = true;
  chain.ledger.apply(
    new Map([
      [POOL, testAccount(PROGRAM, [5])],
      [OTHER_POOL, testAccount(PROGRAM, [5])],
    ]),
  );
  await updateTo(OTHER_POOL, 5);
  await eventually("both", () => {
    const values = log.events.flatMap((told) =>
      told.kind === "update" && told.update.account !== null ? told.update.account.data[0] : [],
    );
    return values.length >= 2 ? values : null;
  }).then((values) => assert.deepEqual(values, [5, 5]));
});

test("of a slot whose replay failed nothing is delivered, also if another version of it is replayed", async (t) => {
  const chain = await startChain(t, { commitment: "processed" });
  const { following, followed, updateTo, log } = followAll(chain);
  following.add([POOL, OTHER_POOL]);
  await followed(OTHER_POOL);
  chain.geyser.failReplay(new Map([[POOL, testAccount(PROGRAM, [66])]]));
  chain.set(OTHER_POOL, 7);
  await updateTo(OTHER_POOL, 7);
  const ofPool = log.events.filter((it) => it.kind === "update" && it.update.address === POOL);
  assert.deepEqual(ofPool, []);
});
