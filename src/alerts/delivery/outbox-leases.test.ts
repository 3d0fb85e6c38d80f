import assert from "node:assert/strict";
import { test } from "node:test";
import { claimChannels } from "#src/store/channel-leases.ts";
import { channelsOfUser } from "#src/store/channels.ts";
import type { Store } from "#src/store/schema.ts";
import { eachDatabase } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { NOT_TAKEN, outboxScene, SENT, watcher } from "#test/support/users/outbox-scene.ts";
import type { Sent } from "./webhook-sender.ts";

test("two workers never have one channel, and what a dead one held is free after its lease", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    const { alert, clock, advance } = await outboxScene(store, () => SENT);
    const users = await Promise.all(["a", "b", "c"].map((name) => watcher(store, name)));
    for (const user of users) await alert(user);
    advance(250);
    const claim = { limit: 2, leaseMs: 60_000, nowMs: clock.nowMs(), isSlow: false };
    const claims = await Promise.all([1, 2, 3, 4].map(() => claimChannels(store, claim)));
    const ids = claims.flat().map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    const rest = await claimChannels(store, { ...claim, limit: 9 });
    assert.equal(ids.length + rest.length, 3);
    assert.deepEqual(await claimChannels(store, { ...claim, nowMs: clock.nowMs() + 59_999 }), []);
    const freed = await claimChannels(store, { ...claim, limit: 9, nowMs: clock.nowMs() + 60_000 });
    assert.equal(freed.length, 3);
  });
});

/** A worker that is frozen while it sends its one message, until its lease is over and another worker has the channel. */
async function twoWorkers(store: Store, answerOfSecond: Promise<Sent>) {
  const late = Promise.withResolvers<Sent>();
  const isSending = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { received, newOutbox, alert, advance } = await outboxScene(store, () => {
    isSending[received.length - 1]?.resolve();
    return received.length === 1 ? late.promise : answerOfSecond;
  });
  const [first, second] = [newOutbox(), newOutbox()];
  const { userId, ...entry } = await watcher(store, "ana");
  await alert({ userId, ...entry });
  advance(250);
  first.poll();
  await isSending[0]?.promise;
  advance(60_000);
  second.poll();
  await isSending[1]?.promise;
  return {
    ...{ first, second, advance },
    /** The frozen worker has its answer now. */
    async thaw(answer: Sent) {
      late.resolve(answer);
      await first.close();
    },
    messages: () => store.db.selectFrom("messages").selectAll().execute(),
    channels: () => channelsOfUser(store.db, userId),
  };
}

test("what a worker learns after its lease changes nothing that its successor has delivered, and counts nowhere", async (t) => {
  const answers: readonly Sent[] = [
    NOT_TAKEN,
    { kind: "refused", error: "It answered 413." },
    { kind: "gone", error: "It answered 410." },
  ];
  for (const late of answers)
    await eachDatabase(t, async (_t, store) => {
      const stage = await twoWorkers(store, Promise.resolve(SENT));
      await stage.second.idle();
      assert.deepEqual(stage.second.outcomes, { delivered: 1, failed: 0, dead: 0 });
      const delivered = [await stage.channels(), await stage.messages()];
      await stage.thaw(late);
      await stage.second.close();
      assert.deepEqual([await stage.channels(), await stage.messages()], delivered);
      assert.deepEqual(stage.first.outcomes, { delivered: 0, failed: 0, dead: 0 });
    });
});

test("a message that its first worker has delivered late stays delivered where the second fails", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    const ended = Promise.withResolvers<Sent>();
    const stage = await twoWorkers(store, ended.promise);
    await stage.thaw(SENT);
    stage.advance(24 * 3_600_000);
    ended.resolve(NOT_TAKEN);
    await stage.second.close();
    assert.deepEqual(
      (await stage.messages()).map(({ status }) => status),
      ["delivered"],
    );
  });
});

test("a channel that a killed process held before the clock was set back by hours is served after the next start", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const { received, alert, advance, clock, newOutbox } = await outboxScene(store, () => SENT);
    await alert(await watcher(store, "ana"));
    advance(250);
    const claim = { limit: 1, leaseMs: 60_000, nowMs: clock.nowMs(), isSlow: false };
    assert.equal((await claimChannels(store, claim)).length, 1);
    advance(-5 * 3_600_000);
    const outbox = newOutbox();
    closeAfter(t, () => outbox.close());
    await outbox.start();
    // A claim that is under way while the clock advances by a lease would look like that of a dead worker.
    await outbox.idle();
    for (let minute = 0; minute < 3; minute++) {
      advance(60_000);
      await outbox.idle();
    }
    assert.equal(received.length, 1);
  });
});
