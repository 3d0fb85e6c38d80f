import type { FastifyInstance } from "fastify";
import { JudgedSwapReader } from "#src/accuracy/judged-swap-reader.ts";
import type { UserAlerts } from "#src/alerts/alerting.ts";
import { buildApp } from "#src/api/app.ts";
import type { PublishedAccuracy } from "#src/api/service/get-accuracy.ts";
import { systemClock } from "#src/platform/clock.ts";
import type { UserId } from "#src/store/user-id.ts";
import type { Markets } from "#src/track/markets.ts";
import { loadAuthSecret } from "#src/users/auth-secret.ts";
import type { Windows } from "#src/users/fixed-windows.ts";
import { createMailer, createUsers, type Users } from "#src/users/users.ts";
import { VENUES } from "#src/venues/all.ts";
import { createWatchlist } from "#src/watchlist/watchlist.ts";
import manifest from "../../package.json" with { type: "json" };
import { DASHBOARD_DIRECTORY, DASHBOARD_PAGES } from "./dashboard.ts";
import type { ProofOf } from "./open-tracking.ts";
import { type ProcessBase, readinessNow, type Served, type ServingBase } from "./process-base.ts";

const ORIGIN_OF_CHAIN = { rpc: "live", recorded: "recorded", demo: "demo" } as const;

/** The tracker as the API sees it, in this process or in another one. */
export type TrackerView = {
  readonly markets: Markets;
  readonly examples: Served["examples"];
  readonly accuracyReport: () => PublishedAccuracy | Promise<PublishedAccuracy>;
  readonly proofOf: ProofOf;
  /** Whether Redis is reachable, where it brings the markets. */
  readonly redis?: () => "ok" | "unreachable";
  /** Resolves while the tracker's thread lives, where it is another one of this process. */
  readonly liveness?: () => Promise<void>;
  /** Called after a user changed their watchlist. */
  readonly onWatchlistChange: (userId: UserId) => void;
};

/** Sign-in, API keys, sessions and limits; `windows` count requests across processes. */
export function openUsers(base: ProcessBase, windows?: Windows): Users {
  const { config, database: store, logger: log, closers } = base;
  const clock = systemClock;
  const users = createUsers({
    ...config,
    store,
    mailer: createMailer({ ...config, clock, log }),
    authSecret: loadAuthSecret(config),
    ...(windows && { windows }),
    clock,
    log,
  });
  closers.push(users.close);
  users.start();
  return users;
}

/** The HTTP API and the dashboard. */
export function openApi(
  base: ServingBase,
  parts: {
    readonly tracker: TrackerView;
    readonly users: Users;
    readonly alerts: Pick<UserAlerts, "feed" | "channels">;
  },
): Promise<FastifyInstance> {
  const { config, database, logger, requests, admission } = base;
  const { tracker, users, alerts } = parts;
  const { markets, examples } = tracker;
  return buildApp({
    markets,
    users,
    accuracy: {
      report: tracker.accuracyReport,
      swaps: new JudgedSwapReader(database, systemClock),
    },
    proofOf: tracker.proofOf,
    watchlist: createWatchlist({
      store: database,
      markets,
      onChange: tracker.onWatchlistChange,
      clock: systemClock,
    }),
    feed: alerts.feed,
    channels: alerts.channels,
    publicUrl: config.publicUrl,
    readiness: () => readinessNow(base, markets.health(), tracker.redis?.() ?? null),
    ...(tracker.liveness && { liveness: tracker.liveness }),
    clock: systemClock,
    logger,
    trustProxyHops: config.trustProxyHops,
    requests,
    admission,
    service: {
      origin: ORIGIN_OF_CHAIN[config.chain.kind],
      commitment: config.commitment,
      examples,
      venues: VENUES.map(({ id, family, kind }) => ({ id, family, kind })),
      version: manifest.version,
    },
    dashboard: {
      directory: DASHBOARD_DIRECTORY,
      pages: DASHBOARD_PAGES,
      isBehindTls: config.publicUrl.startsWith("https:"),
    },
  });
}
