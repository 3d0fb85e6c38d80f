import {
  createDelivery,
  createSending,
  createUserAlerts,
  type Delivery,
  type Sending,
} from "#src/alerts/alerting.ts";
import { buildHealthApp } from "#src/api/health-app.ts";
import type { PublishedAccuracy } from "#src/api/service/get-accuracy.ts";
import { systemClock } from "#src/platform/clock.ts";
import { RedisLink } from "#src/relay/redis-link.ts";
import { type RelayTopics, relayTopics } from "#src/relay/relay-messages.ts";
import { notifyTracker, RemoteMarkets } from "#src/relay/remote-markets.ts";
import { SharedWindows } from "#src/relay/shared-windows.ts";
import { deploymentName } from "#src/store/leadership.ts";
import { lastAnswer } from "#src/track/history/archive.ts";
import { answerAt } from "#src/track/history/stored-answers.ts";
import { openApi, openUsers, type TrackerView } from "./api-part.ts";
import { cryptoRandom } from "./open-tracking.ts";
import {
  baseSources,
  type ProcessBase,
  readinessNow,
  type Served,
  sendingDeps,
} from "./process-base.ts";
import { proofFrom } from "./relayed-proof.ts";
import { runs, type SharedUrls } from "./roles.ts";
import { type TrackerFacts, TrackerRole } from "./tracker-role.ts";

type Relay = { readonly link: RedisLink; readonly topics: RelayTopics };

/** One of several processes that share Postgres and Redis: it runs the parts of its role. */
export async function openShared(base: ProcessBase, urls: SharedUrls): Promise<Served> {
  const { config, logger, database, closers } = base;
  const { role } = config;
  const link = new RedisLink({ url: urls.redisUrl, random: cryptoRandom, log: logger });
  closers.push(() => link.close());
  const relay = { link, topics: relayTopics(await deploymentName(database.db)) };
  const tracker = runs(role, "tracker")
    ? new TrackerRole({ config: { ...config, ...urls }, ...relay, logger })
    : null;
  if (tracker !== null) closers.push(() => tracker.close());
  const sending = createSending(sendingDeps(base));
  closers.push(() => sending.close());
  const delivery = runs(role, "alerts") ? await openDelivery(base, sending) : null;
  const parts = { led: () => tracker?.led ?? null, delivery: delivery?.outbox ?? null };
  if (runs(role, "api")) {
    const { sources, ...served } = await openReplica(base, relay, sending);
    return { ...served, sources: { ...sources, ...parts } };
  }
  const health = () => tracker?.led?.tracker.health() ?? null;
  const readiness = () => readinessNow(base, health(), redisState(link));
  const sources = { ...baseSources(base), ...parts, health };
  return { app: await buildHealthApp({ readiness, logger }), examples: () => [], sources };
}

/** The API of a process that reads its markets from the tracker's process. */
async function openReplica(base: ProcessBase, relay: Relay, sending: Sending): Promise<Served> {
  const { database: store, logger: log, closers } = base;
  const clock = systemClock;
  const windows = new SharedWindows({ ...relay, clock });
  closers.push(() => windows.close());
  const users = await openUsers(base, windows);
  const tracker = openRemoteTracker(base, relay);
  const alerts = createUserAlerts({ store, sending, clock, log });
  closers.push(() => alerts.close());
  const health = () => tracker.markets.health();
  return {
    app: await openApi(base, { tracker, users, alerts }),
    examples: tracker.examples,
    sources: { ...baseSources(base), health, signIn: users.outbox },
  };
}

function openRemoteTracker({ config, database, closers }: ProcessBase, relay: Relay): TrackerView {
  let facts: TrackerFacts = { examples: [] };
  const markets = new RemoteMarkets<TrackerFacts>({
    ...relay,
    isFrozen: config.chain.kind === "recorded",
    storedAnswer: (mint) => lastAnswer(database.db, mint),
    storedState: (mint, slot) => answerAt(database.db, mint, slot),
    clock: systemClock,
    onFacts: (received) => {
      facts = received;
    },
  });
  closers.push(() => markets.close());
  markets.start();
  return {
    markets,
    redis: () => redisState(relay.link),
    examples: () => facts.examples,
    accuracyReport: async () => (await markets.accuracyReport()) as PublishedAccuracy,
    proofOf: async (mint, sale) => proofFrom(await markets.proof(mint, sale)),
    onWatchlistChange: (userId) => notifyTracker(relay, { kind: "watchlist", userId }),
  };
}

function redisState({ isUp }: RedisLink): "ok" | "unreachable" {
  return isUp ? "ok" : "unreachable";
}

async function openDelivery(base: ProcessBase, sending: Sending): Promise<Delivery> {
  const { database: store, logger: log, closers } = base;
  const delivery = createDelivery({
    store,
    sending,
    clock: systemClock,
    random: cryptoRandom,
    log,
  });
  closers.push(delivery.close);
  await delivery.start();
  return delivery;
}
