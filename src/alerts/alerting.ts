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
import { createPushSender } from "./delivery/push.ts";
import { createTelegramBot } from "./delivery/telegram.ts";
import type { PushSettings } from "./delivery/vapid-key.ts";
import { parseRanges } from "./delivery/webhook-addresses.ts";
import { createWebhookSender, type Resolve } from "./delivery/webhook-sender.ts";
import { AlertFeed } from "./feed.ts";
import type { AlertNotices } from "./finding-writer.ts";
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
  readonly notices: AlertNotices;
};

export function createJudging({ store, markets, notices, clock, log }: JudgingDeps): Judging {
  const newUid = () => `msg_${randomUUID()}`;
  const recorder = new AlertRecorder({ store, markets, clock, newUid, log, ...notices });
  const grading = new Grading({ store, markets, clock, log });
  return {
    recorder,
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

/** Sends and shows what was recorded; it need not run where alerts are judged. */
export type Messaging = Omit<UserAlerts & Delivery, "close"> & {
  /** To be called where alerts are written: sends them, and shows them once they are on disk. */
  readonly notices: AlertNotices;
  /** Finishes what is being sent. The database may be closed after it. */
  readonly close: () => Promise<void>;
};

export type MessagingDeps = SendingDeps & {
  readonly store: Store;
  readonly random: () => number;
};

/** @throws Error if `webhookAllow` holds anything but address ranges */
export function createMessaging(deps: MessagingDeps): Messaging {
  const sending = createSending(deps);
  const { feed, channels, ...userAlerts } = createUserAlerts({ ...deps, sending });
  const { outbox, start, ...delivery } = createDelivery({ ...deps, sending });
  return {
    ...{ feed, channels, outbox, start },
    notices: {
      onRecording: () => outbox.pollSoon(),
      onRecorded() {
        feed.poll();
        outbox.poll();
      },
    },
    async close() {
      await userAlerts.close();
      await delivery.close();
      sending.close();
    },
  };
}
