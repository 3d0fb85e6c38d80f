import { randomUUID } from "node:crypto";
import type { BaseLogger } from "pino";
import type { NowMs } from "#src/platform/clock.ts";
import type { Store } from "#src/store/schema.ts";
import type { UserId } from "#src/store/user-id.ts";
import type { Tracker } from "#src/track/tracker.ts";
import type { Mailer } from "#src/users/mailer.ts";
import { AlertFeed } from "./alert-feed.ts";
import { AlertOutbox } from "./alert-outbox.ts";
import { AlertRules, MESSAGE_RULES } from "./alert-rules.ts";
import { createChannelSender } from "./channel-sender.ts";
import { type Channels, createChannels } from "./channels.ts";
import { Grading } from "./grading.ts";
import { createTelegramBot } from "./telegram.ts";
import { createWatchlist, type Watchlist, type WatchlistDeps } from "./watchlist.ts";
import { parseRanges } from "./webhook-addresses.ts";
import { createWebhookSender, type Resolve } from "./webhook-sender.ts";

/** Watched tokens as their users see them: what routes are given. */
export type Watching = {
  readonly watchlist: Watchlist;
  readonly feed: AlertFeed;
  readonly channels: Channels;
  readonly close: () => Promise<void>;
};

/** The rules over watched tokens, and the grades of their alerts: one process at a time judges. */
export type Judging = {
  readonly rules: AlertRules;
  readonly grading: Grading;
  readonly start: () => Promise<void>;
  /** Stops judging; what was found is on disk after it. */
  readonly close: () => Promise<void>;
};

/** What the rules wrote goes out: any number of processes share the work. */
export type Delivery = {
  readonly outbox: AlertOutbox;
  readonly start: () => Promise<void>;
  /** Finishes what is being sent. The database may be closed after it. */
  readonly close: () => Promise<void>;
};

type Common = {
  readonly store: Store;
  readonly nowMs: NowMs;
  readonly log: Pick<BaseLogger, "warn">;
};

export type SendingDeps = {
  readonly mailer: Mailer;
  readonly authSecret: string;
  readonly publicUrl: string;
  /** Private ranges, in CIDR notation, that webhooks may reach. */
  readonly webhookAllow: readonly string[];
  readonly telegram: { readonly botToken: string; readonly apiUrl: string } | null;
  readonly nowMs: NowMs;
  readonly log: Pick<BaseLogger, "warn">;
  /** How names become addresses; the system's name servers where it is left out. */
  readonly resolve?: Resolve;
};

/** How messages reach people: mail, webhooks, Telegram. */
export type Sending = ReturnType<typeof createSending>;

/** @throws Error where `webhookAllow` holds what is no address range */
export function createSending(deps: SendingDeps) {
  const { mailer, authSecret, publicUrl, nowMs, log } = deps;
  const allowed = parseRanges(deps.webhookAllow);
  if (allowed.length > 0)
    log.warn({ webhookAllow: deps.webhookAllow }, "webhooks may reach these private addresses");
  const webhooks = createWebhookSender({
    allowed,
    ...(deps.resolve === undefined ? {} : { resolve: deps.resolve }),
  });
  const telegram = deps.telegram === null ? null : createTelegramBot(deps.telegram);
  const sender = createChannelSender({ mailer, webhooks, telegram, authSecret, publicUrl, nowMs });
  const close = () => mailer.close();
  return { sender, webhooks, hasTelegram: telegram !== null, authSecret, close };
}

export type WatchingDeps = Common & {
  readonly sending: Sending;
  readonly markets: WatchlistDeps["markets"];
  /** Told of each change of a user's list that is on disk. */
  readonly onChange: (userId: UserId) => void;
};

export function createWatching({
  store,
  markets,
  onChange,
  sending,
  nowMs,
  log,
}: WatchingDeps): Watching {
  const feed = new AlertFeed({ db: store.db, log });
  return {
    watchlist: createWatchlist({ store, markets, onChange, nowMs }),
    channels: createChannels({ ...sending, store, nowMs }),
    feed,
    close: () => feed.close(),
  };
}

export type JudgingDeps = Common & {
  readonly markets: Pick<Tracker, "latest" | "market" | "onSnapshot" | "onAlert" | "setWatched">;
  /** Alerts are on disk, and messages beside them. */
  readonly onRecorded: () => void;
};

export function createJudging({ store, markets, onRecorded, nowMs, log }: JudgingDeps): Judging {
  const newUid = () => `msg_${randomUUID()}`;
  const rules = new AlertRules({ store, markets, nowMs, newUid, onRecorded, log });
  const grading = new Grading({ store, markets, nowMs, log });
  return {
    rules,
    grading,
    async start() {
      await rules.start();
      grading.start();
    },
    async close() {
      await rules.close();
      await grading.close();
    },
  };
}

export type DeliveryDeps = Common & {
  readonly sending: Sending;
  readonly random: () => number;
};

export function createDelivery({ sending, ...deps }: DeliveryDeps): Delivery {
  const outbox = new AlertOutbox({ ...deps, sender: sending.sender });
  return { outbox, start: () => outbox.start(), close: () => outbox.close() };
}

/** All of it in one process. */
export type Alerting = Omit<Watching & Judging & Delivery, "start" | "close"> & {
  /** Begins to judge, to send and to grade. */
  readonly start: () => Promise<void>;
  /** Stops judging, finishes what is being sent. The database may be closed after it. */
  readonly close: () => Promise<void>;
};

export type AlertingDeps = SendingDeps & {
  readonly store: Store;
  /** For what the one process that tracks writes, where that is apart; else `store`. */
  readonly judgingStore?: Store;
  readonly markets: JudgingDeps["markets"] & WatchlistDeps["markets"];
  readonly random: () => number;
};

/** @throws Error where `webhookAllow` holds what is no address range */
export function createAlerting(deps: AlertingDeps): Alerting {
  const sending = createSending(deps);
  const watching = createWatching({
    ...deps,
    sending,
    onChange: (userId) => void judging.rules.reload(userId),
  });
  const delivery = createDelivery({ ...deps, sending });
  const judging = createJudging({
    ...deps,
    store: deps.judgingStore ?? deps.store,
    onRecorded: () => {
      watching.feed.look();
      delivery.outbox.wakeIn(MESSAGE_RULES.coalesceMs);
    },
  });
  return {
    ...watching,
    ...judging,
    ...delivery,
    async start() {
      await delivery.start();
      await judging.start();
    },
    async close() {
      await judging.close();
      await watching.close();
      await delivery.close();
      sending.close();
    },
  };
}
