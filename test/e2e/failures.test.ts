import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { systemClock } from "#src/platform/clock.ts";
import { openDatabase } from "#src/store/connection/database.ts";
import { createUserForEmail, findUserByEmail, setUserTier } from "#src/store/users.ts";
import { AccessCacheSync } from "#src/users/access-cache-sync.ts";
import { ApiKeys } from "#src/users/api-keys.ts";
import { TIERS } from "#src/users/tiers.ts";
import { startDemoNode } from "#test/support/chain/demo-node.ts";
import { type DatabasePlace, postgresPlace } from "#test/support/databases/databases.ts";
import { eventually } from "#test/support/eventually.ts";
import { startCuttingProxy } from "#test/support/processes/cutting-proxy.ts";
import { testRedis } from "#test/support/processes/redis.ts";
import { startTestService } from "#test/support/processes/service.ts";

// What `npm run chaos` shows at length with every part, kept here where it is quick.

const PATIENCE_MS = 20_000;
const ANSWERED_WITHIN_MS = 8_000;

async function deployment(t: TestContext) {
  const place = await postgresPlace(t);
  const redis = place === null ? null : await testRedis(t);
  if (place === null || redis === null) return null;
  const node = await startDemoNode(t);
  const [token] = node.market.namedTokens;
  const start = (role: string, databaseUrl = place.databaseUrl) =>
    startTestService(
      t,
      { ...place, databaseUrl },
      { ...node.environment, REDIS_URL: redis.url, ROLE: role },
    );
  return { place, redis, start, path: `/api/token/${token?.mint}/exitability` };
}

/** A key of a tier without a daily gate. */
async function makeKey(place: DatabasePlace): Promise<string> {
  const store = openDatabase(place);
  const cacheSync = new AccessCacheSync({ db: store.db, clock: systemClock, log: null });
  const apiKeys = new ApiKeys({
    store,
    cacheSync,
    prefix: "exi",
    clock: systemClock,
    log: null,
  });
  await createUserForEmail(store, "ana@example.com", Date.now());
  const user = await findUserByEmail(store.db, "ana@example.com");
  assert.ok(user !== null);
  await setUserTier(store.db, { userId: user.id, tier: "degen" }, Date.now());
  const issued = await apiKeys.activate(user.id);
  await store.close();
  assert.ok(issued !== null);
  return issued.text;
}

const ask = (url: string, apiKey: string, withinMs = ANSWERED_WITHIN_MS) =>
  fetch(url, { headers: { "x-api-key": apiKey }, signal: AbortSignal.timeout(withinMs) });

const answering = (url: string, apiKey: string) =>
  eventually(`an answer from ${url}`, async () =>
    (await ask(url, apiKey, PATIENCE_MS)).status === 200 ? true : null,
  );

test("with Postgres behind a wall every caller is answered, 503 and when to come back, and served once it is gone", async (t) => {
  const shared = await deployment(t);
  if (shared === null || shared.place.databaseUrl === null) return;
  const wire = await startCuttingProxy(t, shared.place.databaseUrl);
  const wired = new URL(shared.place.databaseUrl);
  wired.host = `127.0.0.1:${wire.port}`;
  await shared.start("tracker");
  const replica = await shared.start("api", wired.href);
  const apiKey = await makeKey(shared.place);
  const url = replica.url + shared.path;
  await answering(url, apiKey);
  wire.silence();
  // A cached key is trusted for less than a second.
  await eventually("it is felt", async () =>
    (await ask(url, apiKey)).status === 503 ? true : null,
  );
  const answers = await Promise.all(Array.from({ length: 30 }, () => ask(url, apiKey)));
  for (const answer of answers) {
    assert.equal(answer.status, 503);
    assert.equal(answer.headers.get("retry-after"), "2");
    assert.equal(((await answer.json()) as { error: string }).error, "overloaded");
  }
  wire.mend();
  await answering(url, apiKey);
});

test("replicas count a caller's fair use together, and a Redis that forgot it gives nothing back", async (t) => {
  const shared = await deployment(t);
  if (shared === null) return;
  await shared.start("tracker");
  const replicas = [await shared.start("api"), await shared.start("api")];
  const apiKey = await makeKey(shared.place);
  for (const { url } of replicas) await answering(url + shared.path, apiKey);
  const limit = TIERS.degen.fairUsePerMinute;
  const statuses: number[] = [];
  do {
    for (const { url } of replicas) statuses.push((await ask(url + shared.path, apiKey)).status);
    assert.ok(statuses.length < replicas.length * limit, "no caller is refused");
  } while (statuses.slice(-replicas.length).some((status) => status !== 429));
  const allowed = statuses.filter((status) => status === 200).length + replicas.length;
  // The excess is what one process admits before it receives the count of the other, some milliseconds later.
  assert.ok(allowed >= limit && allowed < 1.5 * limit, `${allowed} of ${limit}`);
  await shared.redis.flush();
  for (const { url } of replicas) assert.equal((await ask(url + shared.path, apiKey)).status, 429);
});
