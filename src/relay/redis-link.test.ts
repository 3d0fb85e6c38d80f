import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createClient } from "@redis/client";
import { seededRandom } from "#src/platform/seeded-random.ts";
import { closeAfter } from "#test/support/ending.ts";
import { eventually } from "#test/support/eventually.ts";
import { SILENT_LOG, warningsTo } from "#test/support/failure-loggers.ts";
import { startCuttingProxy } from "#test/support/processes/cutting-proxy.ts";
import { testRedis } from "#test/support/processes/redis.ts";
import { temporaryDirectory } from "#test/support/temporary-directory.ts";
import { RedisLink } from "./redis-link.ts";
import { RelayUnavailable } from "./relay-link.ts";

/** A link over a wire that can be cut, and what it receives on one topic. */
async function overAWire(t: TestContext) {
  const redis = await testRedis(t);
  if (redis === null) return null;
  const wire = await startCuttingProxy(t, redis.url);
  const open = () => {
    const link = new RedisLink({
      url: `redis://127.0.0.1:${wire.port}`,
      random: () => 0.5,
      log: SILENT_LOG,
    });
    closeAfter(t, () => link.close());
    const heard: string[] = [];
    link.subscribe("topic", (text) => void heard.push(text));
    return { link, heard };
  };
  return { wire, open };
}

const published = (link: RedisLink, text: string) => () =>
  link.publish("topic", text).then(
    () => true,
    () => null,
  );

test("a server that accepts connections but does not answer blocks no caller, and is used once it answers", async (t) => {
  const setting = await overAWire(t);
  if (setting === null) return;
  const { wire, open } = setting;
  wire.silence();
  const { link, heard } = open();
  await assert.rejects(link.publish("topic", "too early"), RelayUnavailable);
  await eventually("a connection without an answer", () => (wire.connections() > 0 ? true : null));
  wire.mend();
  await eventually("a greeting", published(link, "at last"));
  await eventually("the message", () => (heard.at(-1) === "at last" ? true : null));
});

test("a connection that falls silent is left for a new one within some seconds, subscriptions with it", async (t) => {
  const setting = await overAWire(t);
  if (setting === null) return;
  const { wire, open } = setting;
  const { link, heard } = open();
  await eventually("a connection", published(link, "first"));
  wire.silence();
  await assert.rejects(link.publish("topic", "into the void"), RelayUnavailable);
  wire.mend();
  await eventually("another connection", published(link, "again"), 8_000);
  await eventually("the message", () => (heard.at(-1) === "again" ? true : null));
});

const ignore = () => undefined;

function openLink(t: TestContext, url: string, log = SILENT_LOG): RedisLink {
  const link = new RedisLink({ url, random: () => 0.5, log });
  closeAfter(t, () => link.close());
  return link;
}

const up = (link: RedisLink) => eventually("a connection", () => (link.isUp ? true : null));

async function openAdmin(t: TestContext, url: string) {
  const admin = createClient({ url });
  // The server may end first.
  admin.on("error", ignore);
  await admin.connect();
  closeAfter(t, () => admin.destroy());
  return admin;
}

test("a message published after subscribing to a sharded topic is processed when the subscription exists", async (t) => {
  const redis = await testRedis(t);
  if (redis === null) return;
  const [asking, replying] = [openLink(t, redis.url), openLink(t, redis.url)];
  await Promise.all([up(asking), up(replying)]);
  const receivers: (number | null)[] = [];
  replying.subscribe("requests", (topic) => {
    void replying.publishSharded(topic, "reply").then((count) => receivers.push(count));
  });
  await eventually("the other side", () =>
    asking.publishSharded("ready?", "").then((count) => (count === 0 ? true : null)),
  );
  const heard: string[] = [];
  const TOPICS = 1_000;
  for (let index = 0; index < TOPICS; index++) {
    const topic = `topic ${index}`;
    asking.subscribeSharded(topic, () => heard.push(topic));
    await asking.publish("requests", topic);
  }
  await eventually("every reply", () => (receivers.length === TOPICS ? true : null));
  assert.deepEqual(new Set(receivers), new Set([1]));
  await eventually("every message", () => (heard.length === TOPICS ? true : null));
});

test("after a reconnect, exactly the needed topics, thousands of them, are subscribed before the listeners are notified", async (t) => {
  const redis = await testRedis(t);
  if (redis === null) return;
  const wire = await startCuttingProxy(t, redis.url);
  const admin = await openAdmin(t, redis.url);
  const link = openLink(t, `redis://127.0.0.1:${wire.port}`);
  await up(link);
  const TOPICS = 5_500;
  const stops = Array.from({ length: TOPICS }, (_, index) =>
    link.subscribeSharded(`topic ${index}`, ignore),
  );
  const subscribed = async () => (await admin.pubSubShardChannels()).length;
  await eventually("all topics", async () => ((await subscribed()) === TOPICS ? true : null));
  // Some end while the connection breaks, some while there is none, and some begin then.
  for (const stop of stops.slice(0, 100)) stop();
  wire.cut();
  await eventually("the break", () => (link.isUp ? null : true));
  for (const stop of stops.slice(100, 200)) stop();
  link.subscribeSharded("topic 0", ignore);
  let subscribedWhenNotified = 0;
  link.onRestored(() => {
    void subscribed().then((count) => {
      subscribedWhenNotified = count;
    });
  });
  wire.mend();
  await up(link);
  await eventually("the notice", () => (subscribedWhenNotified > 0 ? true : null));
  assert.equal(subscribedWhenNotified, TOPICS - 200 + 1);
  assert.equal(await admin.publish("topic 0", "on the plain topic"), 0);
  assert.deepEqual(await admin.pubSubShardNumSub(["topic 0", "topic 1", "topic 100"]), {
    "topic 0": 1,
    "topic 1": 0,
    "topic 100": 0,
  });
});

test("topics unsubscribed and subscribed again in quick succession receive messages exactly if subscribed in the end", async (t) => {
  const redis = await testRedis(t);
  if (redis === null) return;
  const admin = await openAdmin(t, redis.url);
  const link = openLink(t, redis.url);
  await up(link);
  const random = seededRandom(7);
  const stops = new Map<string, () => void>();
  const heard: string[] = [];
  for (let step = 0; step < 4_000; step++) {
    const topic = `topic ${Math.floor(random() * 20)}`;
    const stop = stops.get(topic);
    if (stop === undefined) {
      stops.set(
        topic,
        link.subscribeSharded(topic, () => heard.push(topic)),
      );
    } else {
      stop();
      stops.delete(topic);
    }
    // Replies of Redis arrive in between at some of the steps.
    if (random() < 0.05) await link.publish("other", "");
  }
  await link.publish("other", "");
  for (let index = 0; index < 20; index++) await admin.sPublish(`topic ${index}`, "text");
  await eventually("the messages", () => (heard.length >= stops.size ? true : null));
  assert.deepEqual(heard.toSorted(), [...stops.keys()].toSorted());
  assert.deepEqual((await admin.pubSubShardChannels()).toSorted(), [...stops.keys()].toSorted());
});

/** Checks that messages on plain topics arrive until the subscription ends. */
async function assertPlain(link: RedisLink): Promise<void> {
  const heard: string[] = [];
  const stop = link.subscribeSharded("topic", (text) => heard.push(text));
  assert.equal(await link.publishSharded("topic", "text"), null, "receivers are not counted");
  await eventually("the message", () => (heard.length > 0 ? true : null));
  stop();
  await link.publishSharded("topic", "after the end");
  await link.publish("other", "");
  assert.deepEqual(heard, ["text"]);
}

test("a server that refuses sharded topics gets plain topics", async (t) => {
  const redis = await testRedis(t);
  if (redis === null) return;
  const admin = await openAdmin(t, redis.url);
  const refused = ["-ssubscribe", "-spublish", "-sunsubscribe"];
  await admin.aclSetUser("old", ["on", ">secret", "~*", "&*", "+@all", ...refused]);
  const { host } = new URL(redis.url);
  const link = openLink(t, `redis://old:secret@${host}`);
  await up(link);
  await assertPlain(link);
});

test("a node of a cluster, which would refuse topics of other nodes, gets plain topics", async (t) => {
  const dir = temporaryDirectory(t);
  const redis = await testRedis(t, ["--cluster-enabled", "yes", "--dir", dir]);
  if (redis === null) return;
  const admin = await openAdmin(t, redis.url);
  await admin.clusterAddSlotsRange({ start: 0, end: 16_383 });
  const link = openLink(t, redis.url);
  await up(link);
  await assertPlain(link);
});

test("a server that replies to pings with errors keeps its connection and its subscriptions", async (t) => {
  const redis = await testRedis(t);
  if (redis === null) return;
  const admin = await openAdmin(t, redis.url);
  await admin.aclSetUser("unpinged", ["on", ">secret", "~*", "&*", "+@all", "-ping"]);
  const wire = await startCuttingProxy(t, redis.url);
  const warnings: unknown[] = [];
  const log = warningsTo((line) => warnings.push(line));
  const link = openLink(t, `redis://unpinged:secret@127.0.0.1:${wire.port}`, log);
  await up(link);
  const heard: string[] = [];
  link.subscribe("topic", (text) => heard.push(text));
  await eventually("three refused pings", async () => {
    const refused = await admin.aclLog();
    return refused.reduce((sum, { count }) => sum + Number(count), 0) >= 3 ? true : null;
  });
  assert.equal(wire.connections(), 1);
  await link.publish("topic", "text");
  await eventually("the message", () => heard[0] ?? null);
  assert.deepEqual(warnings, []);
});

test("connections that end soon after they are up are one outage, which ends with a connection that lasts", async (t) => {
  const redis = await testRedis(t);
  if (redis === null) return;
  const wire = await startCuttingProxy(t, redis.url);
  const lines: string[] = [];
  const add = (...line: readonly unknown[]) => void lines.push(String(line.at(-1)));
  let waits = 0;
  const random = () => {
    waits++;
    return 0.5;
  };
  const log = { info: add, warn: add, error: add };
  const link = new RedisLink({ url: `redis://127.0.0.1:${wire.port}`, random, log });
  closeAfter(t, () => link.close());
  const down = () => eventually("the loss", () => (link.isUp ? null : true));
  const TIMES = 3;
  for (let time = 0; time < TIMES; time++) {
    await up(link);
    wire.cut();
    await down();
    wire.mend();
  }
  await up(link);
  const before = waits;
  // Before the first ping: the connection has not shown that it works.
  wire.silence();
  await down();
  assert.ok(waits > before, "a silent one that was brief is replaced after a wait");
  wire.mend();
  assert.deepEqual(
    lines.map((line) => line.split(";")[0]),
    ["connected to Redis", "failed to reach Redis"],
  );
  await eventually("the end of the outage", () =>
    lines.at(-1) === "recovered: reach Redis" ? true : null,
  );
  assert.equal(lines.length, 3);
});

const COUNT = { keys: ["uses"], args: [] };

test("a count that Redis refuses, and a message without the permission, are each logged once with its reason", async (t) => {
  const redis = await testRedis(t);
  if (redis === null) return;
  const admin = await openAdmin(t, redis.url);
  await admin.aclSetUser("mute", ["on", ">secret", "~*", "&*", "+@all", "-publish"]);
  const warnings: unknown[] = [];
  const { host } = new URL(redis.url);
  const link = openLink(
    t,
    `redis://mute:secret@${host}`,
    warningsTo((line) => warnings.push(line)),
  );
  await up(link);
  const count = () => link.evaluate("return redis.call('INCR', KEYS[1])", COUNT);
  await admin.configSet("maxmemory", "1");
  for (let times = 0; times < 2; times++) {
    await assert.rejects(count(), RelayUnavailable);
    await assert.rejects(link.publish("topic", "text"), RelayUnavailable);
  }
  const reasons = warnings.map((line) => (line as { reason: string }).reason.split(" ")[0]);
  assert.deepEqual(reasons, ["OOM", "NOPERM"]);
  await admin.configSet("maxmemory", "0");
  assert.equal(await count(), 1);
});
