import {
  createDelivery,
  createSending,
  createUserAlerts,
  type Delivery,
  type Sending,
} from "#src/alerts/alerting.ts";
import { buildHealthApp } from "#src/api/health-app.ts";
import { systemClock } from "#src/platform/clock.ts";
import { RedisLink } from "#src/relay/redis-link.ts";
import { relayTopics } from "#src/relay/relay-messages.ts";
import { SharedWindows } from "#src/relay/shared-windows.ts";
import { deploymentName } from "#src/store/leadership.ts";
import { cryptoRandom } from "./open-tracking.ts";
import {
  apiCounts,
  baseSources,
  type ProcessBase,
  readinessNow,
  type Served,
  type ServingBase,
  sendingDeps,
  watchRequests,
} from "./process-base.ts";
import { openRelayedApi, type Relay } from "./relayed-api.ts";
import { runs, type SharedUrls } from "./roles.ts";
import { TrackerRole } from "./tracker-role.ts";

type SharedRelay = Relay & { readonly link: RedisLink };

/** One of several processes that share Postgres and Redis: it runs the parts of its role. */
export async function openShared(opened: ProcessBase, urls: SharedUrls): Promise<Served> {
  const base = watchRequests(opened);
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
  const api = () => apiCounts(base, null);
  const sources = { ...baseSources(base), api, ...parts, health };
  return { app: await buildHealthApp({ readiness, logger }), examples: () => [], sources };
}

/** The API of a process that reads its markets from the tracker's process. */
async function openReplica(
  base: ServingBase,
  relay: SharedRelay,
  sending: Sending,
): Promise<Served> {
  const { database: store, logger: log, closers } = base;
  const windows = new SharedWindows({ ...relay, clock: systemClock });
  closers.push(() => windows.close());
  const redis = () => redisState(relay.link);
  const alerts = createUserAlerts({ store, sending, clock: systemClock, log });
  closers.push(() => alerts.close());
  const api = await openRelayedApi(base, relay, { alerts, windows, redis });
  const { app, users, markets, examples } = api;
  const health = () => markets.health();
  const counts = () => apiCounts(base, users.outbox);
  return { app, examples, sources: { ...baseSources(base), health, api: counts } };
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
