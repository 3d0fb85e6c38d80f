import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { systemClock } from "#src/platform/clock.ts";
import { mapSome } from "#src/platform/map-some.ts";
import type { AssessedSnapshot } from "#src/track/snapshot-text.ts";
import { NOTHING_TRACKED } from "#src/track/tracker-health.ts";
import type { Address } from "#src/units/address.ts";
import { startReplica, TOPICS } from "#test/support/api/replica.ts";
import { closeAfter } from "#test/support/ending.ts";
import { eventually } from "#test/support/eventually.ts";
import { someMarkets, someMeasurement, someSnapshot } from "#test/support/markets/assessments.ts";
import { testAddress } from "#test/support/pools/test-accounts.ts";
import { type CuttingProxy, startCuttingProxy } from "#test/support/processes/cutting-proxy.ts";
import { testRedis } from "#test/support/processes/redis.ts";
import { MarketPublisher } from "./market-publisher.ts";
import { RedisLink } from "./redis-link.ts";

const TOKENS = 1_500;
const LOADS_AT_ONCE = 100;
const PATIENCE_MS = 15_000;
const log = { warn: () => undefined, info: () => undefined, error: () => undefined };

function linkOver(t: TestContext, wire: CuttingProxy): RedisLink {
  const url = `redis://127.0.0.1:${wire.port}`;
  const link = new RedisLink({ url, random: () => 0.5, log });
  closeAfter(t, () => link.close());
  return link;
}

/** A tracker whose tokens change only through `change`, and not when they are requested. */
function startTracker(t: TestContext, link: RedisLink) {
  const newest = new Map<Address, AssessedSnapshot>();
  let publish: (snapshot: AssessedSnapshot) => void = () => undefined;
  let stateTimeMs = Date.now();
  let measurement = someMeasurement;
  const change = (mints: Iterable<Address>) => {
    stateTimeMs++;
    // Every second change is a new measurement, the others are renewals.
    if (stateTimeMs % 2 === 0) measurement = { ...someMeasurement };
    for (const mint of mints) {
      const snapshot = someSnapshot({ mint, measurement, stateTimeMs }) as AssessedSnapshot;
      newest.set(mint, snapshot);
      publish(snapshot);
    }
  };
  const markets = someMarkets((mint) => newest.get(mint) ?? { kind: "not-found", mint }, {
    latest: (mint) => newest.get(mint) ?? null,
    onSnapshot(listener) {
      publish = listener;
      return () => undefined;
    },
    health: () => NOTHING_TRACKED,
  });
  const publisher = new MarketPublisher({
    ...{ link, topics: TOPICS, markets, term: 1n, facts: () => ({}), clock: systemClock, log },
    accuracyReport: () => ({}),
    proofOf: async () => ({}),
    onWatchlistChange: () => undefined,
  });
  publisher.start();
  closeAfter(t, () => publisher.close());
  return { newest, change };
}

test("after any connection broke, a replica soon holds the newest snapshot of every token, also without new changes", async (t) => {
  const redis = await testRedis(t);
  if (redis === null) return;
  const wires = [
    await startCuttingProxy(t, redis.url),
    await startCuttingProxy(t, redis.url),
  ] as const;
  const links = wires.map((wire) => linkOver(t, wire));
  const [trackerLink, replicaLink] = links;
  assert.ok(trackerLink !== undefined && replicaLink !== undefined);
  const { newest, change } = startTracker(t, trackerLink);
  const replica = startReplica(t, replicaLink);
  const mints = Array.from({ length: TOKENS }, (_, index) => testAddress(index));
  const allUp = () => (links.every(({ isUp }) => isUp) ? true : null);
  await eventually("both connections", allUp, PATIENCE_MS);
  change(mints);
  const loaded = await mapSome(mints, LOADS_AT_ONCE, (mint) => replica.snapshot(mint));
  assert.ok(loaded.every(({ kind }) => kind === "assessed"));
  const outdated = () =>
    mints.filter((mint) => {
      const held = replica.latest(mint);
      const wanted = newest.get(mint)?.assessment.stateTimeMs;
      return held?.kind !== "assessed" || held.assessment.stateTimeMs !== wanted;
    });
  change(mints);
  await eventually("a change", () => (outdated().length === 0 ? true : null), PATIENCE_MS);
  for (const broken of [[1], [0], [0, 1], [1]]) {
    for (const place of broken) wires[place as 0 | 1].cut();
    const isBroken = () => (broken.every((place) => links[place]?.isUp === false) ? true : null);
    await eventually("the break", isBroken);
    change(mints);
    assert.equal(outdated().length, TOKENS, "every message was lost");
    for (const place of broken) wires[place as 0 | 1].mend();
    const isCurrent = () => (outdated().length === 0 ? true : null);
    await eventually(`the newest after ${broken}`, isCurrent, PATIENCE_MS);
  }
});
