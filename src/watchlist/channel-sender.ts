import type { Channel } from "#src/store/channels.ts";
import type { UserAlert } from "#src/store/user-alerts.ts";
import { parseEmailAddress } from "#src/users/email-address.ts";
import type { Mailer } from "#src/users/mailer.ts";
import {
  codeText,
  codeTitle,
  messageText,
  messageTitle,
  testText,
  webhookBody,
  webhookCodeBody,
  webhookTestBody,
} from "#src/wire/alert-message.ts";
import type { TelegramBot } from "./telegram.ts";
import type { Sent, WebhookSender } from "./webhook-sender.ts";
import { signatureHeaders, webhookSecret } from "./webhook-signature.ts";

const MAIL_TIMEOUT_MS = 30_000;

/** What goes to a channel; `uid` is the same at every attempt. */
export type Parcel =
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
  readonly send: (channel: Channel, parcel: Parcel) => Promise<Sent>;
};

export type ChannelSenderDeps = {
  readonly mailer: Pick<Mailer, "send">;
  readonly webhooks: Pick<WebhookSender, "post">;
  /** Null: the operator has no bot. */
  readonly telegram: TelegramBot | null;
  readonly authSecret: string;
  readonly publicUrl: string;
  readonly nowMs: () => number;
};

export function createChannelSender(deps: ChannelSenderDeps): ChannelSender {
  return {
    async send(channel, parcel) {
      switch (channel.kind) {
        case "email":
          return sendMail(deps, channel, parcel);
        case "webhook":
          return sendWebhook(deps, channel, parcel);
        case "telegram":
          return deps.telegram === null
            ? { kind: "failed", error: "There is no Telegram bot here." }
            : deps.telegram.send(channel.target, textOf(deps, channel, parcel));
        default: {
          const unreachable: never = channel.kind;
          return unreachable;
        }
      }
    },
  };
}

async function sendMail(deps: ChannelSenderDeps, channel: Channel, parcel: Parcel): Promise<Sent> {
  const to = parseEmailAddress(channel.target);
  if (to === null) return { kind: "failed", error: "This is no e-mail address." };
  const mail = {
    to,
    subject: titleOf(deps, channel, parcel),
    text: textOf(deps, channel, parcel),
    messageId: `<${parcel.uid}@${new URL(deps.publicUrl).hostname}>`,
  };
  const timeout = Promise.withResolvers<Sent>();
  const timer = setTimeout(
    () => timeout.resolve({ kind: "failed", error: "The mail server did not answer in time." }),
    MAIL_TIMEOUT_MS,
  );
  const sent = deps.mailer.send(mail).then(
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

function sendWebhook(deps: ChannelSenderDeps, channel: Channel, parcel: Parcel): Promise<Sent> {
  const nowMs = deps.nowMs();
  const body = bodyOf(deps, channel, parcel, nowMs);
  const secret = webhookSecret(deps.authSecret, channel.nonce);
  const headers = signatureHeaders(secret, { uid: parcel.uid, body, nowMs });
  return deps.webhooks.post(channel.target, headers, body);
}

function bodyOf(
  { publicUrl }: ChannelSenderDeps,
  { language }: Channel,
  parcel: Parcel,
  nowMs: number,
): string {
  switch (parcel.kind) {
    case "alerts":
      return webhookBody({ alerts: parcel.alerts, language, publicUrl }, nowMs);
    case "code":
      return webhookCodeBody(parcel.code, nowMs);
    case "test":
      return webhookTestBody(nowMs);
    default: {
      const unreachable: never = parcel;
      return unreachable;
    }
  }
}

function titleOf({ publicUrl }: ChannelSenderDeps, { language }: Channel, parcel: Parcel): string {
  switch (parcel.kind) {
    case "alerts":
      return messageTitle({ alerts: parcel.alerts, language, publicUrl });
    case "code":
      return codeTitle(language);
    case "test":
      return "Exitability";
    default: {
      const unreachable: never = parcel;
      return unreachable;
    }
  }
}

function textOf({ publicUrl }: ChannelSenderDeps, { language }: Channel, parcel: Parcel): string {
  switch (parcel.kind) {
    case "alerts":
      return messageText({ alerts: parcel.alerts, language, publicUrl });
    case "code": {
      const { code, validMinutes } = parcel;
      return codeText({ code, language, publicUrl, validMinutes });
    }
    case "test":
      return testText(language);
    default: {
      const unreachable: never = parcel;
      return unreachable;
    }
  }
}
