import assert from "node:assert/strict";
import { test } from "node:test";
import { channelsOfUser, switchChannel } from "#src/store/channels.ts";
import { deadLetters, takeMessage } from "#src/store/deliveries.ts";
import { eachDatabase, sqliteDatabase } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { poolAddress } from "#test/support/pools/pools.ts";
import { NOT_TAKEN, outboxScene, SENT, watcher } from "#test/support/users/outbox-scene.ts";
import { createChannels } from "./channels.ts";
import { retryAtMs } from "./outbox.ts";
import type { Sent } from "./webhook-sender.ts";

const HOUR_MS = 3_600_000;

test("each message is sent when it is due, not at the next poll", {
  timeout: 20_000,
}, async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const store = await sqliteDatabase(t);
  const arrivals = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { outbox, received, alert, advance } = await outboxScene(store, () => {
    arrivals[received.length - 1]?.resolve();
    return SENT;
  });
  closeAfter(t, () => outbox.close());
  const [ana, eva] = [await watcher(store, "ana"), await watcher(store, "eva")];
  await outbox.start();
  const pass = (ms: number) => {
    advance(ms);
    t.mock.timers.tick(ms);
  };
  await alert(ana);
  await outbox.idle();
  pass(200);
  await alert(eva);
  await outbox.idle();
  pass(50);
  await arrivals[0]?.promise;
  await outbox.idle();
  assert.equal(received.length, 1, "the second is not due");
  pass(200);
  await arrivals[1]?.promise;
  assert.deepEqual(
    received.map(({ target }) => target),
    ["ana", "eva"],
  );
});

test("a message that was announced is found a moment later, without another poll", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const store = await sqliteDatabase(t);
  const sent = Promise.withResolvers<void>();
  const { outbox, alert, advance } = await outboxScene(store, () => {
    sent.resolve();
    return SENT;
  });
  closeAfter(t, () => outbox.close());
  const ana = await watcher(store, "ana");
  outbox.pollSoon();
  await alert(ana);
  advance(250);
  t.mock.timers.tick(20);
  await sent.promise;
});

test("a receiver that has ended is not tried again, and what waited for it is a dead letter", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const { outbox, received, alert, advance } = await outboxScene(store, () => ({
      kind: "gone",
      error: "It has ended.",
    }));
    closeAfter(t, () => outbox.close());
    const ana = await watcher(store, "ana");
    await alert(ana);
    advance(250);
    await outbox.idle();
    await alert(ana);
    advance(48 * HOUR_MS);
    await outbox.idle();
    assert.equal(received.length, 1);
    const [channel] = await channelsOfUser(store.db, ana.userId);
    assert.equal(channel?.isEnabled, false);
    assert.equal(channel?.lastError, "It has ended.");
    assert.notEqual(channel?.failingSinceMs, null);
    const letters = await deadLetters(store.db, { userId: ana.userId, limit: 9 });
    assert.deepEqual(
      letters.map(({ error }) => error),
      ["It has ended."],
    );
  });
});

test("what is recorded is sent once, after the moment in which others may join it", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const { outbox, received, alert, advance } = await outboxScene(store, () => SENT);
    closeAfter(t, () => outbox.close());
    const ana = await watcher(store, "ana");
    const first = await alert(ana);
    await outbox.idle();
    assert.deepEqual(received, []);
    const second = await alert(ana);
    advance(250);
    await outbox.idle();
    await outbox.idle();
    assert.deepEqual(
      received.map(({ alerts }) => alerts),
      [[first, second]],
    );
    const [channel] = await channelsOfUser(store.db, ana.userId);
    assert.equal(channel?.failingSinceMs, null);
    assert.notEqual(channel?.lastDeliveryAtMs, null);
  });
});

test("a failing receiver gets the same message under the same id until it takes it, and later ones after it", async (t) => {
  await eachDatabase(t, async (t, store) => {
    let isUp = false;
    const stage = await outboxScene(store, () => (isUp ? SENT : NOT_TAKEN));
    const { outbox, received, alert, advance } = stage;
    closeAfter(t, () => outbox.close());
    const ana = await watcher(store, "ana");
    const first = await alert(ana);
    advance(250);
    await outbox.idle();
    await outbox.idle();
    assert.equal(received.length, 1, "it rests before the next attempt");
    advance(61_000);
    const second = await alert(ana);
    advance(300);
    await outbox.idle();
    const [failing] = await channelsOfUser(store.db, ana.userId);
    assert.equal(failing?.lastError, "It answered 500.");
    assert.notEqual(failing?.failingSinceMs, null);
    isUp = true;
    advance(10_000);
    await outbox.idle();
    assert.deepEqual(
      received.map(({ alerts }) => alerts),
      [[first], [first], [first], [second]],
    );
    const [one, two, three, last] = received.map(({ uid }) => uid);
    assert.ok(one === two && two === three && three !== last);
    const [well] = await channelsOfUser(store.db, ana.userId);
    assert.deepEqual([well?.failingSinceMs, well?.lastError], [null, null]);
  });
});

test("a failing channel whose test arrives fails no longer, and what waits for it is sent at once", async (t) => {
  await eachDatabase(t, async (t, store) => {
    let isUp = false;
    const stage = await outboxScene(store, () => (isUp ? SENT : NOT_TAKEN));
    const { outbox, received, alert, advance, clock } = stage;
    closeAfter(t, () => outbox.close());
    const { userId, channel, ...entry } = await watcher(store, "ana");
    await alert({ userId, ...entry });
    for (let hour = 0; hour < 8; hour++) {
      advance(HOUR_MS);
      await outbox.idle();
    }
    assert.equal(received.length, 8);
    isUp = true;
    const channels = createChannels({
      ...{ store, clock, authSecret: "secret", hasTelegram: false, push: null },
      sender: { send: async () => SENT },
      webhooks: { refusal: async () => null },
    });
    assert.deepEqual(await channels.test(userId, channel.id), SENT);
    const [well] = await channelsOfUser(store.db, userId);
    assert.deepEqual([well?.failingSinceMs, well?.lastError], [null, null]);
    await outbox.idle();
    assert.equal(received.length, 9);
  });
});

test("S1: a message that its receiver refuses holds no later one back, and ends after three attempts", async (t) => {
  await eachDatabase(t, async (t, store) => {
    let hostile: bigint | undefined;
    const stage = await outboxScene(store, ({ alerts }) =>
      alerts.some((id) => id === hostile) ? { kind: "refused", error: "It answered 400." } : SENT,
    );
    const { outbox, received, alert, advance } = stage;
    closeAfter(t, () => outbox.close());
    const ana = await watcher(store, "ana");
    hostile = await alert(ana);
    advance(250);
    await outbox.idle();
    advance(61_000);
    const honest = await alert({ ...ana, mint: poolAddress(2) });
    advance(300);
    await outbox.idle();
    await outbox.idle();
    assert.ok(received.some(({ alerts }) => alerts[0] === honest));
    const [channel] = await channelsOfUser(store.db, ana.userId);
    assert.equal(channel?.failingSinceMs, null);
    for (let minute = 0; minute < 60; minute++) {
      advance(60_000);
      await outbox.idle();
    }
    assert.equal(received.filter(({ alerts }) => alerts[0] === hostile).length, 3);
    const letters = await deadLetters(store.db, { userId: ana.userId, limit: 9 });
    assert.deepEqual(
      letters.map(({ alertId, error }) => [alertId, error]),
      [[hostile, "It answered 400."]],
    );
  });
});

test("a message that its receiver could not take before is a dead letter after three refusals, not after one", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const answers: Sent[] = [NOT_TAKEN, NOT_TAKEN];
    const { outbox, received, alert, advance } = await outboxScene(
      store,
      () => answers.shift() ?? { kind: "refused", error: "It answered 400." },
    );
    closeAfter(t, () => outbox.close());
    const ana = await watcher(store, "ana");
    await alert(ana);
    for (let hour = 0; hour < 8; hour++) {
      advance(HOUR_MS);
      await outbox.idle();
    }
    assert.equal(received.length, 5);
    assert.equal((await deadLetters(store.db, { userId: ana.userId, limit: 9 })).length, 1);
  });
});

test("after 24 hours a message is a dead letter, seen by its user and the operator alone, and the next one goes on", async (t) => {
  await eachDatabase(t, async (t, store) => {
    let isUp = false;
    const { outbox, received, alert, advance } = await outboxScene(store, () =>
      isUp ? SENT : NOT_TAKEN,
    );
    closeAfter(t, () => outbox.close());
    const ana = await watcher(store, "ana");
    const eva = await watcher(store, "eva");
    const dead = await alert(ana);
    advance(250);
    for (let hour = 0; hour < 26; hour++) {
      await outbox.idle();
      advance(HOUR_MS);
    }
    const letters = await deadLetters(store.db, { userId: ana.userId, limit: 9 });
    assert.deepEqual(
      letters.map(({ alertId, channelId, error }) => [alertId, channelId, error]),
      [[dead, ana.channel.id, "It answered 500."]],
    );
    assert.deepEqual(await deadLetters(store.db, { userId: eva.userId, limit: 9 }), []);
    assert.equal((await deadLetters(store.db, { userId: null, limit: 9 })).length, 1);
    const attempts = received.length;
    assert.ok(attempts >= 20 && attempts <= 40, `${attempts} attempts`);
    isUp = true;
    const next = await alert(ana);
    assert.equal((await outbox.waiting()).count, 1);
    advance(250);
    await outbox.idle();
    assert.deepEqual(received.at(-1)?.alerts, [next]);
    assert.equal(received.length, attempts + 1);
    assert.deepEqual(outbox.outcomes, { delivered: 1, failed: attempts, dead: 1 });
    assert.deepEqual(await outbox.waiting(), { count: 0, oldestDueMs: null });
  });
});

test("attempts grow apart, spread out, and end with the 24th hour", () => {
  const after = (attempts: number, random: number) =>
    (retryAtMs({ attempts, dueMs: 0 }, { nowMs: 0, random: () => random }) ?? 0) / 1_000;
  assert.deepEqual(
    [1, 2, 3, 4, 11, 40].map((attempts) => after(attempts, 0.5)),
    [2, 5, 15, 30, 3_600, 3_600],
  );
  assert.deepEqual([after(4, 0), after(4, 1)], [24, 36]);
  const late = { attempts: 30, dueMs: 0 };
  assert.equal(retryAtMs(late, { nowMs: 23.5 * HOUR_MS, random: () => 0.5 }), null);
});

test("endpoints that never answer do not delay other channels", async (t) => {
  const store = await sqliteDatabase(t);
  const hang = Promise.withResolvers<Sent>();
  const stage = await outboxScene(store, ({ target }) =>
    target.startsWith("slow") ? hang.promise : SENT,
  );
  const { outbox, received, alert, advance } = stage;
  const slow = await Promise.all(
    Array.from({ length: 30 }, (_, index) => watcher(store, `slow${index}`)),
  );
  for (const each of slow) await alert(each);
  advance(250);
  outbox.poll();
  const ana = await watcher(store, "ana");
  await alert(ana);
  advance(250);
  const arrived = () => received.some(({ target }) => target === "ana");
  while (!arrived()) {
    outbox.poll();
    await new Promise((resolve) => setImmediate(resolve));
  }
  hang.resolve(NOT_TAKEN);
  await outbox.close();
});

test("a message whose sending was begun takes no more alerts, so that its id always means the same", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    const { alert, clock, advance } = await outboxScene(store, () => SENT);
    const ana = await watcher(store, "ana");
    const first = await alert(ana);
    advance(250);
    const taken = await takeMessage(store.db, ana.channel.id, clock.nowMs());
    await alert(ana);
    const again = await takeMessage(store.db, ana.channel.id, clock.nowMs());
    assert.deepEqual([taken?.uid, again?.attempts], [again?.uid, 2]);
    assert.deepEqual(
      again?.alerts.map(({ id }) => id),
      [first],
    );
  });
});

test("after the clock was set back by hours, no message and no retry waits longer than the rules let it", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const stage = await outboxScene(store, ({ target }) => (target === "ana" ? SENT : NOT_TAKEN));
    const { received, alert, advance } = stage;
    const before = stage.newOutbox();
    closeAfter(t, () => before.close());
    const [ana, eva] = [await watcher(store, "ana"), await watcher(store, "eva")];
    await alert(eva);
    for (let hour = 0; hour < 15; hour++) {
      advance(HOUR_MS);
      await before.idle();
    }
    await alert(ana);
    advance(250);
    await before.idle();
    await alert(ana);
    const tried = received.length;
    advance(-5 * HOUR_MS);
    const after = stage.newOutbox();
    closeAfter(t, () => after.close());
    await after.start();
    await after.idle();
    await alert(ana);
    advance(70_000);
    await after.idle();
    assert.deepEqual(
      received
        .slice(tried)
        .map(({ target }) => target)
        .toSorted(),
      ["ana", "ana", "eva"],
    );
  });
});

test("a channel that is switched off gets nothing, not even later what waited for it", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const { outbox, received, alert, advance } = await outboxScene(store, () => SENT);
    closeAfter(t, () => outbox.close());
    const ana = await watcher(store, "ana");
    const channel = { userId: ana.userId, id: ana.channel.id };
    await alert(ana);
    await switchChannel(store.db, channel, false);
    await alert(ana);
    advance(60_000);
    await outbox.idle();
    await switchChannel(store.db, channel, true);
    await outbox.idle();
    assert.deepEqual(received, []);
  });
});
