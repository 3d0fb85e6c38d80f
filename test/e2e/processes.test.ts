import assert from "node:assert/strict";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { DEMO_DEPLOYED_SLOT } from "#demo/program-accounts.ts";
import { startDemoNode } from "#test/support/chain/demo-node.ts";
import { postgresPlace, sqlitePlace } from "#test/support/databases/databases.ts";
import { eventually } from "#test/support/eventually.ts";
import { type TestRedis, testRedis } from "#test/support/processes/redis.ts";
import { type RunningService, startTestService } from "#test/support/processes/service.ts";
import { temporaryDirectory } from "#test/support/temporary-directory.ts";

const MAINNET = "../shared/mainnet";
/** Answers are stored with samples that differ from the last one: at most one in ten seconds, written within five. */
const STORED_WITHIN_MS = 60_000;
/** The age of an answer is stated from thirty seconds on. */
const AGE_STATED_WITHIN_MS = 60_000;
/** A pool's subscriptions have to settle; a swap has to be made, judged, published and stored. */
const FIRST_SWAP_WITHIN_MS = 60_000;

type Environment = Readonly<Record<string, string>>;
type JudgedSwap = { readonly outcome: string; readonly deployed_slot: number | null };
type Deployment = {
  readonly redis: TestRedis;
  readonly start: (role: string, environment?: Environment) => Promise<RunningService>;
};

/** Processes that share a Postgres and a Redis; null, and the test is skipped, if one is missing. */
async function deployment(t: TestContext, chain: Environment): Promise<Deployment | null> {
  const place = await postgresPlace(t);
  const redis = place === null ? null : await testRedis(t);
  if (place === null || redis === null) return null;
  return {
    redis,
    start: (role, environment = {}) =>
      startTestService(t, place, {
        ...chain,
        ...environment,
        REDIS_URL: redis.url,
        ROLE: role,
        TRUST_PROXY: "1",
      }),
  };
}

let callers = 0;

/** Sends the request as a new caller, so that no daily gate applies. */
async function ask({ url }: Pick<RunningService, "url">, path: string) {
  callers++;
  const from = `10.${(callers >> 16) & 255}.${(callers >> 8) & 255}.${callers & 255}`;
  const response = await fetch(url + path, { headers: { "x-forwarded-for": from } });
  return { status: response.status, body: await response.text() };
}

const said = (service: RunningService, words: string) =>
  eventually(`"${words}"`, async () =>
    service.lines.some((line) => line.includes(words)) ? true : null,
  );

const secondsSince = (sinceMs: number) => ((performance.now() - sinceMs) / 1_000).toFixed(1);

/** The recorded accounts, and the fixed Clock sysvar of their node. */
function standingStill(t: TestContext): string {
  const folder = temporaryDirectory(t);
  cpSync(MAINNET, folder, { recursive: true });
  const clock = Buffer.alloc(40);
  clock.writeBigUInt64LE(400_000_000n, 0);
  clock.writeBigInt64LE(1_790_000_000n, 8);
  clock.writeBigUInt64LE(925n, 16);
  clock.writeBigUInt64LE(926n, 24);
  clock.writeBigInt64LE(1_790_000_000n, 32);
  const account = {
    lamports: 1_169_280,
    data: [clock.toString("base64"), "base64"],
    owner: "Sysvar1111111111111111111111111111111111111",
    executable: false,
    rentEpoch: 0,
    space: 40,
  };
  const pubkey = "SysvarC1ock11111111111111111111111111111111";
  writeFileSync(join(folder, `${pubkey}.json`), JSON.stringify({ pubkey, account }));
  return folder;
}

test("a process with another AUTH_SECRET logs it at its start, and /readyz has it", async (t) => {
  const shared = await deployment(t, {});
  if (shared === null) return;
  const first = await shared.start("api");
  const odd = await shared.start("api", { AUTH_SECRET: "another secret, and long enough, too" });
  await said(odd, "AUTH_SECRET differs from that of another process");
  const secretOf = async (service: RunningService) =>
    JSON.parse((await ask(service, "/readyz")).body).auth_secret;
  assert.equal(await secretOf(odd), "differs");
  assert.equal(await secretOf(first), "same", "it compares again within a minute");
});

test("replicas, and an API in a thread, answer what a single thread answers, byte for byte", async (t) => {
  if (!existsSync(MAINNET)) {
    if (process.env["CI"]) throw new Error(`${MAINNET} must be there on CI`);
    t.skip(`${MAINNET} is absent`);
    return;
  }
  const chain = { ACCOUNTS_DIR: standingStill(t) };
  const shared = await deployment(t, chain);
  if (shared === null) return;
  const alone = await startTestService(t, sqlitePlace(t), { ...chain, TRUST_PROXY: "1" });
  const tracker = await shared.start("tracker");
  const threaded = { ...chain, TRUST_PROXY: "1", API_THREAD: "on" };
  const others = [
    await shared.start("api"),
    await shared.start("api"),
    await startTestService(t, sqlitePlace(t), threaded),
  ];
  await said(tracker, "tracker leadership acquired");
  const mints = new Set(
    readFileSync(`${MAINNET}/README.md`, "utf8").match(/[1-9A-HJ-NP-Za-km-z]{32,44}/g),
  );
  let compared = 0;
  for (const mint of mints) {
    for (const path of ["", "/exitability", "/exitability?profile=pro&size=5", "/pools"]) {
      const own = () => ask(alone, `/api/token/${mint}${path}`);
      for (const other of others) {
        // A first answer does not wait for the searches behind it, so the two may finish apart.
        const isSame = async () =>
          isDeepStrictEqual(await ask(other, `/api/token/${mint}${path}`), await own()) || null;
        await eventually(`${mint}${path} is answered alike`, isSame, 15_000);
        compared++;
      }
      const expected = await own();
      if (expected.status !== 200) break;
    }
    // An answer's age is the asker's clock's, and no part of the measurement.
    const ageless = async (service: RunningService, path: string) => {
      const { status, body } = await ask(service, path);
      const { age_seconds: _, ...rest } = JSON.parse(body);
      return { status, rest };
    };
    for (const rest of ["at?size=3.7", "stressed?profile=pro"]) {
      const path = `/api/token/${mint}/exitability/${rest}`;
      for (const other of others) {
        const isSame = async () =>
          isDeepStrictEqual(await ageless(other, path), await ageless(alone, path)) || null;
        await eventually(`${path} is answered alike`, isSame, 15_000);
      }
    }
  }
  assert.ok(compared > 50, `${compared} answers were compared`);
});

test("a replica's answers follow the chain, those of a past slot do not change, and without a tracker they show their growing age", async (t) => {
  const node = await startDemoNode(t);
  const shared = await deployment(t, node.environment);
  if (shared === null) return;
  const replica = await shared.start("api");
  const ready = async () => (await ask(replica, "/readyz")).status;
  assert.equal(await ready(), 503, "no process has published the age of the chain");
  const tracker = await shared.start("tracker");
  await eventually("readiness", async () => ((await ready()) === 200 ? true : null));
  const [token] = node.market.namedTokens;
  assert.ok(token !== undefined);
  const path = `/api/token/${token.mint}/exitability`;
  const answer = async () => JSON.parse((await ask(replica, path)).body);
  const first = await eventually("an answer", async () => {
    const { status, body } = await ask(replica, path);
    return status === 200 ? JSON.parse(body) : null;
  });
  await eventually("a newer answer", async () =>
    (await answer()).updated_at > first.updated_at ? true : null,
  );
  const newest = async () => {
    const { body } = await ask(replica, `${path}?at_slot=999999999999999`);
    return JSON.parse(body).slot_before as number | null;
  };
  const slot = await eventually("a stored answer", newest, STORED_WITHIN_MS);
  const past = `${path}?at_slot=${slot}&profile=pro`;
  const stored = await ask(replica, past);
  assert.equal(stored.status, 200);
  assert.deepEqual(await ask(await shared.start("api"), past), stored);
  await tracker.kill();
  assert.deepEqual(await ask(replica, past), stored);
  const last = await answer();
  assert.equal(last.state, "ok");
  const statedAge = ({ aviso }: { readonly aviso: string | null }) =>
    /tiene (\d+) segundos/.exec(aviso ?? "")?.[1] ?? null;
  assert.equal(statedAge(last), null);
  const age = await eventually(
    "the age is stated",
    async () => statedAge(await answer()),
    AGE_STATED_WITHIN_MS,
  );
  assert.ok(Number(age) > 30, age);
  assert.equal((await answer()).updated_at, last.updated_at);
});

test("a replica serves the tracker's accuracy record, and the last swaps from the database", async (t) => {
  const { market, environment } = await startDemoNode(t);
  const shared = await deployment(t, { ...environment, ACCURACY: "full" });
  if (shared === null) return;
  await shared.start("tracker");
  const replica = await shared.start("api");
  const mints = market.namedTokens.slice(0, 3).map(({ mint }) => mint);
  for (const mint of mints) await ask(replica, `/api/token/${mint}/exitability`);
  const lookForSwap = async () => {
    for (const mint of mints) market.script(mint, { kind: "trade", side: "buy", sol: 0.05 });
    const { status, body } = await ask(replica, "/api/accuracy/swaps");
    assert.equal(status, 200, body);
    const { swaps } = JSON.parse(body) as { swaps: readonly JudgedSwap[] };
    // A swap whose state was not read in time is skipped.
    return swaps.find(({ outcome }) => outcome !== "skipped") ?? null;
  };
  const swap = await eventually("a swap that was replayed", lookForSwap, FIRST_SWAP_WITHIN_MS);
  assert.equal(swap.outcome, "exact");
  assert.equal(swap.deployed_slot, Number(DEMO_DEPLOYED_SLOT));
  const { body } = await ask(replica, "/api/accuracy");
  for (const { program, deployed_slot } of JSON.parse(body).venues)
    assert.equal(deployed_slot, Number(DEMO_DEPLOYED_SLOT), program);
});

test("who stands by takes over from a tracker that dies, and from one that is frozen, which then stops", async (t) => {
  const node = await startDemoNode(t);
  const shared = await deployment(t, node.environment);
  if (shared === null) return;
  const first = await shared.start("tracker");
  await said(first, "tracker leadership acquired");
  const second = await shared.start("tracker");
  const replica = await shared.start("api");
  const [token] = node.market.namedTokens;
  const path = `/api/token/${token?.mint}/exitability`;
  await eventually("an answer", async () =>
    (await ask(replica, path)).status === 200 ? true : null,
  );

  const diedAtMs = performance.now();
  await first.kill();
  await said(second, "tracker leadership acquired");
  t.diagnostic(`took over ${secondsSince(diedAtMs)} s after a death`);
  const before = JSON.parse((await ask(replica, path)).body).updated_at;
  await eventually("answers of the successor", async () =>
    JSON.parse((await ask(replica, path)).body).updated_at > before ? true : null,
  );

  const third = await shared.start("tracker");
  const frozeAtMs = performance.now();
  second.freeze();
  await said(third, "tracker leadership acquired");
  t.diagnostic(`took over ${secondsSince(frozeAtMs)} s after a freeze`);
  second.thaw();
  await said(second, "tracker leadership released");
});

test("without Redis every process answers from what it has, and receives updates again afterwards", async (t) => {
  const node = await startDemoNode(t);
  const shared = await deployment(t, node.environment);
  if (shared === null) return;
  await shared.start("tracker");
  const replica = await shared.start("api");
  const [token, other] = node.market.namedTokens;
  const path = `/api/token/${token?.mint}/exitability`;
  await eventually("an answer", async () =>
    (await ask(replica, path)).status === 200 ? true : null,
  );
  await shared.redis.kill();
  const without = await ask(replica, path);
  assert.equal(without.status, 200);
  const unknown = await ask(replica, `/api/token/${other?.mint}/exitability`);
  assert.deepEqual([unknown.status, JSON.parse(unknown.body).error], [503, "chain_unavailable"]);
  await shared.redis.start();
  const { updated_at } = JSON.parse(without.body);
  await eventually("a newer answer", async () =>
    JSON.parse((await ask(replica, path)).body).updated_at > updated_at ? true : null,
  );
  await eventually("the other token", async () =>
    (await ask(replica, `/api/token/${other?.mint}/exitability`)).status === 200 ? true : null,
  );
});
