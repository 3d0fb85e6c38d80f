import type { FastifyInstance } from "fastify";
import type { UserAlerts } from "#src/alerts/alerting.ts";
import type { PublishedAccuracy } from "#src/api/service/get-accuracy.ts";
import { systemClock } from "#src/platform/clock.ts";
import type { ExitProof } from "#src/proof/prove-exit.ts";
import type { RelayLink } from "#src/relay/relay-link.ts";
import type { RelayTopics } from "#src/relay/relay-messages.ts";
import { notifyTracker, RemoteMarkets } from "#src/relay/remote-markets.ts";
import { lastAnswer } from "#src/track/history/archive.ts";
import { answerAt } from "#src/track/history/stored-answers.ts";
import type { Windows } from "#src/users/fixed-windows.ts";
import type { Users } from "#src/users/users.ts";
import { openApi, openUsers, type TrackerView } from "./api-part.ts";
import type { ServingBase } from "./process-base.ts";
import type { TrackerFacts } from "./tracker-role.ts";

export type Relay = { readonly link: RelayLink; readonly topics: RelayTopics };

export type RelayedApiOptions = {
  readonly alerts: Pick<UserAlerts, "feed" | "channels">;
  /** Counts requests across processes; absent: no other process answers any. */
  readonly windows?: Windows;
  readonly redis?: TrackerView["redis"];
  /** The tracker is another thread of this process: without a heartbeat for so long it counts as hung. */
  readonly hungAfterMs?: number;
  /** Gets the service facts of each heartbeat. */
  readonly onFacts?: (facts: TrackerFacts) => void;
};

export type RelayedApi = {
  readonly app: FastifyInstance;
  readonly users: Users;
  readonly markets: RemoteMarkets<TrackerFacts>;
  readonly examples: TrackerView["examples"];
};

/** The API of a process or thread that reads its markets from the tracker in another one. */
export async function openRelayedApi(
  base: ServingBase,
  relay: Relay,
  { alerts, windows, redis, hungAfterMs, onFacts }: RelayedApiOptions,
): Promise<RelayedApi> {
  const { config, database: store, closers } = base;
  const clock = systemClock;
  const users = openUsers(base, windows);
  let facts: TrackerFacts = { examples: [] };
  const markets = new RemoteMarkets<TrackerFacts>({
    ...relay,
    isFrozen: config.chain.kind === "recorded",
    storedAnswer: (mint) => lastAnswer(store.db, mint),
    storedState: (mint, slot) => answerAt(store.db, mint, slot),
    clock,
    onFacts: (received) => {
      facts = received;
      onFacts?.(received);
    },
  });
  closers.push(() => markets.close());
  markets.start();
  const examples = () => facts.examples;
  const tracker: TrackerView = {
    markets,
    ...(redis === undefined ? {} : { redis }),
    ...(hungAfterMs === undefined ? {} : { liveness: () => markets.heardWithin(hungAfterMs) }),
    examples,
    accuracyReport: async () => (await markets.accuracyReport()) as PublishedAccuracy,
    proofOf: async (mint, sale) => (await markets.proof(mint, sale)) as ExitProof,
    onWatchlistChange: (userId) => notifyTracker(relay, { kind: "watchlist", userId }),
  };
  return { app: await openApi(base, { tracker, users, alerts }), users, markets, examples };
}
