import { randomUUID } from "node:crypto";
import type { WallClock } from "#src/platform/clock.ts";
import type { FailureLogger } from "#src/platform/failure-log.ts";
import type { Store } from "#src/store/schema.ts";
import type { Tracker } from "#src/track/tracker.ts";
import type { Mailer } from "#src/users/mailer.ts";
import { AlertRecorder } from "./alert-recorder.ts";
import { createChannelSender } from "./delivery/channel-sender.ts";
import { type Channels, createChannels } from "./delivery/channels.ts";
import { AlertOutbox } from "./delivery/outbox.ts";
import { MESSAGE_RULES } from "./delivery/plan.ts";
import { createPushSender } from "./delivery/push.ts";
import { createTelegramBot } from "./delivery/telegram.ts";
import type { PushSettings } from "./delivery/vapid-key.ts";
import { parseRanges } from "./delivery/webhook-addresses.ts";
import { createWebhookSender, type Resolve } from "./delivery/webhook-sender.ts";
import { AlertFeed } from "./feed.ts";
import { Grading } from "./grading.ts";

/** A user's view of alerts: what the endpoints need. */
export type UserAlerts = {
  readonly feed: AlertFeed;
  readonly channels: Channels;
  readonly close: () => Promise<void>;
};

/** The rules over watched tokens, and the grades of their alerts: one process at a time judges. */
export type Judging = {
  readonly recorder: AlertRecorder;
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
  readonly clock: WallClock;
  readonly log: FailureLogger;
};

export type SendingDeps = {
  readonly mailer: Mailer;
  readonly authSecret: string;
  readonly publicUrl: string;
  /** Private ranges, in CIDR notation, that webhooks may reach. */
  readonly webhookAllow: readonly string[];
  readonly telegram: { readonly botToken: string; readonly apiUrl: string } | null;
  readonly push: PushSettings | null;
  readonly clock: WallClock;
  readonly log: FailureLogger;
  /** How names become addresses; the system's name servers where it is left out. */
  readonly resolve?: Resolve;
};

/** How messages reach people: mail, webhooks, Telegram, push messages. */
export type Sending = ReturnType<typeof createSending>;

/** @throws Error if `webhookAllow` holds anything but address ranges */
export function createSending(deps: SendingDeps) {
  const { mailer, authSecret, publicUrl, clock } = deps;
  const allowed = parseRanges(deps.webhookAllow);
  const webhooks = createWebhookSender({
    allowed,
    ...(deps.resolve === undefined ? {} : { resolve: deps.resolve }),
  });
  const telegram = deps.telegram === null ? null : createTelegramBot(deps.telegram);
  const push = deps.push === null ? null : createPushSender(deps.push, webhooks);
  const receivers = { mailer, webhooks, telegram, push };
  const sender = createChannelSender({ ...receivers, authSecret, publicUrl, clock });
  const close = () => mailer.close();
  return { sender, webhooks, hasTelegram: telegram !== null, push, authSecret, close };
}

export type UserAlertsDeps = Common & { readonly sending: Sending };

export function createUserAlerts({ store, sending, clock, log }: UserAlertsDeps): UserAlerts {
  const feed = new AlertFeed({ db: store.db, clock, log });
  const channels = createChannels({ ...sending, store, clock });
  return { feed, channels, close: () => feed.close() };
}

export type JudgingDeps = Common & {
  readonly markets: Pick<Tracker, "latest" | "market" | "onReport" | "setWatched">;
  /** Alerts are on disk, and messages beside them. */
  readonly onRecorded: () => void;
};

export function createJudging({ store, markets, onRecorded, clock, log }: JudgingDeps): Judging {
  const newUid = () => `msg_${randomUUID()}`;
  const recorder = new AlertRecorder({ store, markets, clock, newUid, onRecorded, log });
  const grading = new Grading({ store, markets, clock, log });
  return {
    recorder,
    grading,
    async start() {
      await recorder.start();
      grading.start();
    },
    async close() {
      await recorder.close();
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
export type Alerting = Omit<UserAlerts & Judging & Delivery, "start" | "close"> & {
  /** Begins to judge, to send and to grade. */
  readonly start: () => Promise<void>;
  /** Stops judging, finishes what is being sent. The database may be closed after it. */
  readonly close: () => Promise<void>;
};

export type AlertingDeps = SendingDeps & {
  readonly store: Store;
  /** For what the one process that tracks writes, where that is apart; else `store`. */
  readonly judgingStore?: Store;
  readonly markets: JudgingDeps["markets"];
  readonly random: () => number;
};

/** @throws Error if `webhookAllow` holds anything but address ranges */
export function createAlerting(deps: AlertingDeps): Alerting {
  const sending = createSending(deps);
  const userAlerts = createUserAlerts({ ...deps, sending });
  const delivery = createDelivery({ ...deps, sending });
  const judging = createJudging({
    ...deps,
    store: deps.judgingStore ?? deps.store,
    onRecorded: () => {
      userAlerts.feed.poll();
      delivery.outbox.wakeIn(MESSAGE_RULES.coalesceMs);
    },
  });
  return {
    ...userAlerts,
    ...judging,
    ...delivery,
    async start() {
      await delivery.start();
      await judging.start();
    },
    async close() {
      await judging.close();
      await userAlerts.close();
      await delivery.close();
      sending.close();
    },
  };
}
