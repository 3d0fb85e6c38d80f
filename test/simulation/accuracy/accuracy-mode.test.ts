import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { pino } from "pino";
import { openFakeProvider } from "#bench/providers/fake-provider.ts";
import { PLANS } from "#bench/providers/plans.ts";
import { DemoMarket } from "#demo/market.ts";
import { MARKET_PROGRAMS } from "#demo/programs/all.ts";
import { readConfig } from "#src/app/config.ts";
import { openTracking } from "#src/app/open-tracking.ts";
import { VENUES } from "#src/venues/all.ts";
import { sqliteDatabase } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { eventually } from "#test/support/eventually.ts";
import { temporaryDirectory } from "#test/support/temporary-directory.ts";

const WITHIN_MS = 40_000;

/** A service's tracking on a node without limits that counts its calls. */
async function trackingWith(t: TestContext, accuracy: string) {
  const plan = PLANS.find(({ id }) => id === "triton");
  assert.ok(plan !== undefined);
  const demo = new DemoMarket({
    ...{ seed: 3, startMs: Date.now(), programs: MARKET_PROGRAMS, venues: VENUES },
  });
  const provider = await openFakeProvider(demo.ledger, { ...plan, limits: [], latencyMs: 0 });
  closeAfter(t, provider.close);
  const config = readConfig({
    SOLANA_RPC_URL: provider.httpUrl,
    SOLANA_WS_URL: provider.wsUrl,
    DATA_DIR: temporaryDirectory(t),
    ACCURACY: accuracy,
    PROOF: "off",
  });
  const database = await sqliteDatabase(t);
  const tracking = await openTracking(config, { database, logger: pino({ level: "silent" }) });
  closeAfter(t, tracking.close);
  await tracking.start();
  const mint = demo.namedTokens[0]?.mint;
  assert.ok(mint !== undefined);
  await tracking.tracker.snapshot(mint);
  const depth = (): bigint | null => {
    const snapshot = tracking.tracker.latest(mint);
    return snapshot?.kind === "assessed"
      ? (snapshot.assessment.measurement?.depthLamports ?? null)
      : null;
  };
  const trade = (): void => {
    demo.script(mint, { kind: "trade", side: "buy", sol: 0.5 });
    demo.catchUp(Date.now());
  };
  const replayed = (): number =>
    tracking.accuracyReport().venues.reduce((sum, { windows }) => sum + windows.hour.replayed, 0);
  return { provider, depth, trade, replayed };
}

test("ACCURACY=off follows a token without receiving or reading one of its swaps", async (t) => {
  const { provider, depth, trade, replayed } = await trackingWith(t, "off");
  const before = depth();
  await eventually(
    "a traded pool is measured again",
    () => {
      trade();
      return depth() === before ? null : true;
    },
    WITHIN_MS,
  );
  const { calls, bytesByKind } = provider.takeCounts();
  assert.equal(bytesByKind.get("logsNotification"), undefined);
  assert.equal(calls.get("getTransaction"), undefined);
  assert.equal(replayed(), 0);
});

test("ACCURACY=full receives the swaps of the same token, and replays them", async (t) => {
  const { provider, trade, replayed } = await trackingWith(t, "full");
  await eventually(
    "a replayed swap",
    () => {
      trade();
      return replayed() > 0 ? true : null;
    },
    WITHIN_MS,
  );
  assert.ok((provider.takeCounts().bytesByKind.get("logsNotification") ?? 0) > 0);
});
