import { assertNever } from "#src/platform/assert-never.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { Channel } from "#src/store/channels.ts";
import type { UserAlert } from "#src/store/user-alerts.ts";
import { parseEmailAddress } from "#src/users/email-address.ts";
import type { Mailer } from "#src/users/mailer.ts";
import {
  codePush,
  codeText,
  codeTitle,
  messagePush,
  messageText,
  messageTitle,
  testPush,
  testText,
  webhookBody,
  webhookCodeBody,
  webhookTestBody,
} from "./message-text.ts";
import { type PushSender, parseSubscription } from "./push.ts";
import { LONGEST_TELEGRAM, type TelegramBot } from "./telegram.ts";
import type { Sent, WebhookSender } from "./webhook-sender.ts";
import { signatureHeaders, webhookSecret } from "./webhook-signature.ts";

const MAIL_TIMEOUT_MS = 30_000;

/** What goes to a channel; `uid` is the same at every attempt. */
export type Notification =
  | { readonly kind: "alerts"; readonly uid: string; readonly alerts: readonly UserAlert[] }
  | {
      readonly kind: "code";
      readonly uid: string;
      readonly code: string;
      readonly validMinutes: number;
    }
  | { readonly kind: "test"; readonly uid: string };

export type ChannelSender = {
  /** Hands it to the receiver. Never throws; ends within half a minute. */
  readonly send: (channel: Channel, notification: Notification) => Promise<Sent>;
};

export type ChannelSenderDeps = {
  readonly mailer: Pick<Mailer, "send">;
  readonly webhooks: Pick<WebhookSender, "post">;
  /** Null: the operator has no bot. */
  readonly telegram: TelegramBot | null;
  /** Null: the operator has set no key for push messages. */
  readonly push: PushSender | null;
  readonly authSecret: string;
  readonly publicUrl: string;
  readonly clock: WallClock;
};

export function createChannelSender(deps: ChannelSenderDeps): ChannelSender {
  return {
    async send(channel, notification) {
      switch (channel.kind) {
        case "email":
          return sendMail(deps, channel, notification);
        case "webhook":
          return sendWebhook(deps, channel, notification);
        case "telegram":
          return deps.telegram === null
            ? { kind: "failed", error: "There is no Telegram bot here." }
            : deps.telegram.send(
                channel.target,
                contentOf(deps, channel, notification).text(LONGEST_TELEGRAM),
              );
        case "push":
          return sendPush(deps, channel, notification);
        default:
          return assertNever(channel.kind);
      }
    },
  };
}

async function sendMail(
  deps: ChannelSenderDeps,
  channel: Channel,
  notification: Notification,
): Promise<Sent> {
  const to = parseEmailAddress(channel.target);
  if (to === null) return { kind: "failed", error: "This is not an e-mail address." };
  const { title, text } = contentOf(deps, channel, notification);
  const mail = {
    to,
    subject: title().toWellFormed(),
    text: text().toWellFormed(),
    messageId: `<${notification.uid}@${new URL(deps.publicUrl).hostname}>`,
  };
  const timeout = Promise.withResolvers<Sent>();
  // A mail that waits until then is not sent beside the next attempt.
  const waiting = new AbortController();
  const timer = setTimeout(() => {
    waiting.abort();
    timeout.resolve({ kind: "failed", error: "The mail server did not answer in time." });
  }, MAIL_TIMEOUT_MS);
  const sent = deps.mailer.send(mail, waiting.signal).then(
    (): Sent => ({ kind: "sent" }),
    (error: unknown): Sent => ({ kind: "failed", error: mailFailure(error) }),
  );
  try {
    return await Promise.race([sent, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The mailer's own errors hold no address. */
function mailFailure(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 200) : "The mail could not be sent.";
}

function sendWebhook(
  deps: ChannelSenderDeps,
  channel: Channel,
  notification: Notification,
): Promise<Sent> {
  const nowMs = deps.clock.nowMs();
  const body = contentOf(deps, channel, notification).webhook(nowMs);
  const secret = webhookSecret(deps.authSecret, channel.nonce);
  const headers = signatureHeaders(secret, { uid: notification.uid, body, nowMs });
  return deps.webhooks.post(channel.target, headers, body);
}

async function sendPush(
  deps: ChannelSenderDeps,
  channel: Channel,
  notification: Notification,
): Promise<Sent> {
  const subscription = parseSubscription(channel.target);
  if (deps.push === null || subscription === null)
    return { kind: "failed", error: "There are no push messages here." };
  return deps.push.send(subscription, contentOf(deps, channel, notification).push());
}

/** The texts of a notification in the channel's language, each written when its channel needs it. */
function contentOf(
  { publicUrl }: ChannelSenderDeps,
  { id, language }: Channel,
  notification: Notification,
) {
  const { uid } = notification;
  switch (notification.kind) {
    case "alerts": {
      const message = { alerts: notification.alerts, language, publicUrl };
      return {
        title: () => messageTitle(message),
        text: (longest?: number) => messageText(message, longest),
        webhook: () => webhookBody(message),
        push: () => messagePush(message, uid),
      };
    }
    case "code": {
      const { code, validMinutes } = notification;
      return {
        title: () => codeTitle(language),
        text: () => codeText({ code, language, publicUrl, validMinutes }),
        webhook: (nowMs: number) => webhookCodeBody(code, nowMs),
        push: () => codePush({ id, code, language }, uid),
      };
    }
    case "test":
      return {
        title: () => "Exitability",
        text: () => testText(language),
        webhook: webhookTestBody,
        push: () => testPush(language, uid),
      };
    default:
      return assertNever(notification);
  }
}
