import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { seededRandom } from "#src/platform/seeded-random.ts";
import { type Database, openDatabase } from "#src/store/connection/database.ts";
import { migrate } from "#src/store/connection/migrate.ts";
import { upsertTokens } from "#src/store/tokens.ts";
import {
  type DatabasePlace,
  postgresPlace,
  sqlitePlace,
} from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { poolAddress } from "#test/support/pools/pools.ts";
import type { CrashOrder } from "#test/support/processes/alert-crash-child.ts";
import { someUser, verifiedChannel, watch } from "#test/support/users/watching-users.ts";

const USERS = 3;
/** A round of alerts and deliveries is about half as many steps. */
const STEPS = 180;
/** One answer in so many is a failure: what waits for another attempt has to survive too. */
const FAILS_EACH = 7;

type Receipt = { readonly life: number; readonly path: string; readonly uid: string };

test("killed at 100 random points between detection and delivery: nothing lost, nothing doubled but what was in flight", async (t) => {
  await crashes(t, sqlitePlace(t), { kills: 100, seed: 11 });
});

test("the same on Postgres, at 20 points", async (t) => {
  const place = await postgresPlace(t);
  if (place !== null) await crashes(t, place, { kills: 20, seed: 12 });
});

async function crashes(
  t: TestContext,
  place: DatabasePlace,
  { kills, seed }: { readonly kills: number; readonly seed: number },
): Promise<void> {
  const random = seededRandom(seed);
  const receipts: Receipt[] = [];
  let life = 0;
  const url = await receiver(t, ({ path, uid }) => {
    if (random() * FAILS_EACH < 1) return 500;
    receipts.push({ life, path, uid });
    return 200;
  });
  const database = openDatabase(place);
  await migrate(database, 0);
  const token = { mint: poolAddress(1), name: null, symbol: null, nowMs: 0 };
  await upsertTokens(database.db, [token]);
  for (let number = 0; number < USERS; number++) {
    const userId = await someUser(database, `user${number}@example.com`);
    await watch(database, userId, { mint: poolAddress(1), sizeSol: 5 });
    const target = `${url}/${number}`;
    await verifiedChannel(database, userId, { kind: "webhook", target });
  }
  await database.close();
  const marketFile = join(place.dataDir, "market.json");
  writeFileSync(marketFile, JSON.stringify({ round: 0, sol: 100, nowMs: 1_800_000_000_000 }));
  const order = { databaseUrl: place.databaseUrl, dataDir: place.dataDir, marketFile };
  let killed = 0;
  while (killed < kills) {
    const killAtStep = 1 + Math.floor(random() * STEPS);
    const ended = await live({ ...order, killAtStep, rounds: 1_000_000 });
    assert.deepEqual(ended, [null, "SIGKILL"]);
    life++;
    killed++;
  }
  const rounds = 1 + (JSON.parse(readFileSync(marketFile, "utf8")) as { round: number }).round;
  assert.deepEqual(await live({ ...order, killAtStep: null, rounds }), [0, null]);
  const after = openDatabase(place);
  try {
    await assertNothingLost(after, rounds, receipts);
    t.diagnostic(`${await assertWrittenTogether(after)} alerts of the token with their watchers`);
  } finally {
    await after.close();
  }
  const doubled = assertOnlyInFlightDoubled(receipts);
  t.diagnostic(
    `${rounds} market events, ${receipts.length} deliveries, ${doubled} of them doubled`,
  );
}

/** One process, until it ends. @returns its exit code and the signal that ended it */
async function live(order: CrashOrder): Promise<readonly unknown[]> {
  const script = join(import.meta.dirname, "..", "support", "processes", "alert-crash-child.ts");
  const child = spawn(process.execPath, [script, JSON.stringify(order)], { stdio: "inherit" });
  return once(child, "exit");
}

/** Every event alerted each user once, and every alert arrived. */
async function assertNothingLost(
  { db }: Database,
  rounds: number,
  receipts: readonly Receipt[],
): Promise<void> {
  const alerts = await db.selectFrom("user_alerts").select(["id", "user_id"]).execute();
  assert.equal(alerts.length, rounds * USERS, "one alert for each event and user");
  const sent = await db
    .selectFrom("message_alerts")
    .innerJoin("messages", "messages.id", "message_id")
    .select(["alert_id", "uid", "status"])
    .execute();
  const arrived = new Set(receipts.map(({ uid }) => uid));
  for (const { alert_id, uid, status } of sent) {
    assert.equal(status, "delivered");
    assert.ok(arrived.has(uid), `alert ${alert_id} arrived`);
  }
  assert.equal(new Set(sent.map(({ alert_id }) => alert_id)).size, alerts.length);
  assert.equal(sent.length, alerts.length, "each alert is in one message");
}

/** A token's alert is on disk if and only if the alerts of all its watchers are. */
async function assertWrittenTogether({ db }: Database): Promise<number> {
  const starts = await db.selectFrom("alerts").select("started_at_ms").execute();
  const watchers = await db
    .selectFrom("user_alerts")
    .select((eb) => ["since_ms", eb.fn.countAll<bigint>().as("users")])
    .where("kind", "=", "deterioration")
    .groupBy("since_ms")
    .execute();
  const expected = starts.map(({ started_at_ms: ms }) => [ms, USERS] as const);
  const found = watchers.map(({ since_ms: ms, users }) => [ms, Number(users)] as const);
  assert.deepEqual(new Map(found), new Map(expected));
  assert.equal(found.length, expected.length, "no alert of the token is recorded twice");
  assert.ok(expected.length > 0);
  return expected.length;
}

/** A message came twice only where a process died after the first time, before anything later. */
function assertOnlyInFlightDoubled(receipts: readonly Receipt[]): number {
  let doubled = 0;
  const seen = new Map<string, number>();
  for (const [index, { life, path, uid }] of receipts.entries()) {
    const before = seen.get(uid);
    seen.set(uid, index);
    if (before === undefined) continue;
    doubled++;
    const first = receipts[before];
    assert.ok(first && first.life < life, "never twice from one process");
    const between = receipts
      .slice(before + 1, index)
      .filter((other) => other.path === path && other.life === first.life);
    assert.deepEqual(between, [], "it was the one in flight");
  }
  return doubled;
}

async function receiver(
  t: TestContext,
  answer: (call: { readonly path: string; readonly uid: string }) => number,
): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      const uid = String(request.headers["webhook-id"]);
      response.writeHead(answer({ path: request.url ?? "", uid })).end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  closeAfter(t, () => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return `http://127.0.0.1:${address.port}`;
}
