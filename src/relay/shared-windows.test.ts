import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createClient } from "@redis/client";
import type { WallClock } from "#src/platform/clock.ts";
import { closeAfter } from "#test/support/ending.ts";
import { eventually } from "#test/support/eventually.ts";
import { type TestRedis, testRedis } from "#test/support/processes/redis.ts";
import { RedisLink } from "./redis-link.ts";
import { RelayUnavailable } from "./relay-link.ts";
import { SharedWindows, type SharedWindowsDeps } from "./shared-windows.ts";

const RULE = { limit: 10, lengthMs: 60_000 };
const NOW = 1_800_000_000_000;
const topics = { usage: (subject: string) => `usage:${subject}` };
const log = { warn: () => undefined, info: () => undefined, error: () => undefined };

/** One process's windows over a Redis link of its own. */
async function processOn(t: TestContext, { url }: TestRedis, clock: WallClock) {
  const link = new RedisLink({ url, random: () => 0.5, log });
  const windows = windowsOn(t, { link, topics, clock });
  closeAfter(t, () => link.close());
  await new Promise<void>((resolve) => void link.onRestored(resolve));
  return windows;
}

function windowsOn(t: TestContext, deps: SharedWindowsDeps): SharedWindows {
  const windows = new SharedWindows(deps);
  closeAfter(t, () => windows.close());
  return windows;
}

/** Takes until it is refused. @returns how often it was not */
function takeAll(windows: SharedWindows, nowMs: number): number {
  let taken = 0;
  while (windows.take("somebody", RULE, nowMs).allowed) taken++;
  return taken;
}

test("uses of many callers are published in few messages", async (t) => {
  const told: number[] = [];
  const link = {
    async evaluate(_script: string, { keys }: { readonly keys: readonly string[] }) {
      told.push(keys.length);
      return keys.flatMap(() => [1, RULE.lengthMs]);
    },
  };
  const windows = windowsOn(t, { link, topics, clock: { nowMs: () => NOW } });
  for (let caller = 0; caller < 1_000; caller++) windows.take(`user:${caller}`, RULE, NOW);
  await windows.flush();
  assert.equal(
    told.reduce((sum, keys) => sum + keys, 0),
    1_000,
  );
  assert.ok(told.length <= 2, `${told.length} messages`);
});

test("uses that could not be published are published later, in full", async (t) => {
  let isAway = true;
  const told: string[] = [];
  const link = {
    async evaluate(_script: string, { args }: { readonly args: readonly string[] }) {
      if (isAway) throw new RelayUnavailable("away");
      told.push(args[0] ?? "");
      return [Number(args[0]), RULE.lengthMs];
    },
  };
  const windows = windowsOn(t, { link, topics, clock: { nowMs: () => NOW } });
  for (let use = 0; use < 3; use++) windows.take("somebody", RULE, NOW);
  await windows.flush();
  windows.take("somebody", RULE, NOW);
  isAway = false;
  await windows.flush();
  assert.deepEqual(told, ["4"]);
});

test("processes count together, and each receives the uses of the others", async (t) => {
  const redis = await testRedis(t);
  if (redis === null) return;
  const [here, there] = [
    await processOn(t, redis, { nowMs: () => NOW }),
    await processOn(t, redis, { nowMs: () => NOW }),
  ];
  for (let use = 0; use < 6; use++) here.take("somebody", RULE, NOW);
  await here.flush();
  there.take("somebody", RULE, NOW);
  await there.flush();
  assert.equal(there.peek("somebody", RULE, NOW).used, 7);
  assert.equal(takeAll(there, NOW), 3);
});

test("after Redis lost everything no process admits more than the limit, and its window ends in time", async (t) => {
  const redis = await testRedis(t);
  if (redis === null) return;
  let nowMs = NOW;
  const windows = await processOn(t, redis, { nowMs: () => nowMs });
  let taken = 0;
  for (; taken < 7; taken++) windows.take("somebody", RULE, nowMs);
  await windows.flush();
  const { resetAtMs } = windows.peek("somebody", RULE, nowMs);
  nowMs += RULE.lengthMs / 2;
  await redis.flush();
  windows.take("somebody", RULE, nowMs);
  taken++;
  await windows.flush();
  taken += takeAll(windows, nowMs);
  assert.equal(taken, RULE.limit);
  assert.equal(windows.peek("somebody", RULE, nowMs).resetAtMs, resetAtMs);
});

test("while Redis is unreachable each process counts alone, and the counts are merged when it is back", async (t) => {
  const redis = await testRedis(t);
  if (redis === null) return;
  const [here, there] = [
    await processOn(t, redis, { nowMs: () => NOW }),
    await processOn(t, redis, { nowMs: () => NOW }),
  ];
  await redis.kill();
  for (let use = 0; use < 4; use++) here.take("somebody", RULE, NOW);
  assert.equal(takeAll(there, NOW), RULE.limit);
  await redis.start();
  const client = createClient({ url: redis.url });
  client.on("error", () => undefined);
  await client.connect();
  closeAfter(t, () => client.destroy());
  await eventually("the uses of both are published", async () => {
    await Promise.all([here.flush(), there.flush()]);
    return (await client.get("usage:somebody")) === String(4 + RULE.limit) ? true : null;
  });
  here.take("somebody", RULE, NOW); // Allowed if the other process published last.
  await here.flush();
  assert.equal(here.take("somebody", RULE, NOW).allowed, false);
});
