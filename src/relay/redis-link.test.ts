import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { startCuttingProxy } from "#test/support/cutting-proxy.ts";
import { eventually } from "#test/support/eventually.ts";
import { testRedis } from "#test/support/redis.ts";
import { RedisLink, RedisUnavailable } from "./redis-link.ts";

const log = { warn: () => undefined, info: () => undefined, error: () => undefined };

/** A link over a wire that can be cut, and what it receives on one topic. */
async function overAWire(t: TestContext) {
  const redis = await testRedis(t);
  if (redis === null) return null;
  const wire = await startCuttingProxy(t, redis.url);
  const open = () => {
    const link = new RedisLink({ url: `redis://127.0.0.1:${wire.port}`, random: () => 0.5, log });
    t.after(() => link.close());
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
  await assert.rejects(link.publish("topic", "too early"), RedisUnavailable);
  await eventually("a connection without an answer", () => (wire.connections() > 0 ? true : null));
  wire.mend();
  await eventually("a greeting", published(link, "at last"), 8_000);
  await eventually("the message", () => (heard.at(-1) === "at last" ? true : null));
});

test("a connection that falls silent is left for a new one within some seconds, subscriptions with it", async (t) => {
  const setting = await overAWire(t);
  if (setting === null) return;
  const { wire, open } = setting;
  const { link, heard } = open();
  await eventually("a connection", published(link, "first"));
  wire.silence();
  await assert.rejects(link.publish("topic", "into the void"), RedisUnavailable);
  wire.mend();
  await eventually("another connection", published(link, "again"), 8_000);
  await eventually("the message", () => (heard.at(-1) === "again" ? true : null));
});
