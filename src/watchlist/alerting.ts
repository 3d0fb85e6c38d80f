import { randomUUID } from "node:crypto";
import type { BaseLogger } from "pino";
import type { NowMs } from "#src/platform/clock.ts";
import type { Store } from "#src/store/schema.ts";
import type { Tracker } from "#src/track/tracker.ts";
import type { Mailer } from "#src/users/mailer.ts";
import { AlertFeed } from "./alert-feed.ts";
import { AlertOutbox } from "./alert-outbox.ts";
import { AlertRules, MESSAGE_RULES } from "./alert-rules.ts";
import { createChannelSender } from "./channel-sender.ts";
import { type Channels, createChannels } from "./channels.ts";
import { Grading } from "./grading.ts";
import { createTelegramBot } from "./telegram.ts";
import { createWatchlist, type Watchlist } from "./watchlist.ts";
import { parseRanges } from "./webhook-addresses.ts";
import { createWebhookSender, type Resolve } from "./webhook-sender.ts";

/** Everything about watched tokens: what routes are given, and what works beside them. */
export type Alerting = {
  readonly watchlist: Watchlist;
  readonly feed: AlertFeed;
  readonly channels: Channels;
  readonly rules: AlertRules;
  readonly outbox: AlertOutbox;
  readonly grading: Grading;
  /** Begins to judge, to send and to grade. */
  readonly start: () => Promise<void>;
  /** Stops judging, finishes what is being sent. The database may be closed after it. */
  readonly close: () => Promise<void>;
};

export type AlertingDeps = {
  readonly store: Store;
  readonly markets: Pick<
    Tracker,
    "latest" | "snapshot" | "market" | "onSnapshot" | "onAlert" | "setWatched"
  >;
  readonly mailer: Mailer;
  readonly authSecret: string;
  readonly publicUrl: string;
  /** Private ranges, in CIDR notation, that webhooks may reach. */
  readonly webhookAllow: readonly string[];
  readonly telegram: { readonly botToken: string; readonly apiUrl: string } | null;
  readonly nowMs: NowMs;
  readonly random: () => number;
  readonly log: Pick<BaseLogger, "warn">;
  /** How names become addresses; the system's name servers where it is left out. */
  readonly resolve?: Resolve;
};

/** @throws Error where `webhookAllow` holds what is no address range */
export function createAlerting(deps: AlertingDeps): Alerting {
  const { store, markets, mailer, nowMs, random, log, authSecret, publicUrl } = deps;
  const allowed = parseRanges(deps.webhookAllow);
  if (allowed.length > 0)
    log.warn({ webhookAllow: deps.webhookAllow }, "webhooks may reach these private addresses");
  const webhooks = createWebhookSender({
    allowed,
    ...(deps.resolve === undefined ? {} : { resolve: deps.resolve }),
  });
  const telegram = deps.telegram === null ? null : createTelegramBot(deps.telegram);
  const sender = createChannelSender({ mailer, webhooks, telegram, authSecret, publicUrl, nowMs });
  const feed = new AlertFeed({ db: store.db, log });
  const outbox = new AlertOutbox({ store, sender, nowMs, random, log });
  const rules = new AlertRules({
    store,
    markets,
    nowMs,
    newUid: () => `msg_${randomUUID()}`,
    onRecorded: () => {
      feed.look();
      outbox.wakeIn(MESSAGE_RULES.coalesceMs);
    },
    log,
  });
  const grading = new Grading({ store, markets, nowMs, log });
  return {
    watchlist: createWatchlist({
      store,
      markets,
      onChange: (userId) => void rules.reload(userId),
      nowMs,
    }),
    channels: createChannels({
      store,
      sender,
      webhooks,
      hasTelegram: telegram !== null,
      authSecret,
      nowMs,
    }),
    feed,
    rules,
    outbox,
    grading,
    async start() {
      await outbox.start();
      await rules.start();
      grading.start();
    },
    async close() {
      await rules.close();
      await grading.close();
      await feed.close();
      await outbox.close();
      mailer.close();
    },
  };
}
