import Type from "typebox";
import {
  type ChannelAnswer,
  type ChannelRequest,
  type Channels,
  endpointOf,
} from "#src/alerts/delivery/channels.ts";
import { failureInLanguage } from "#src/alerts/delivery/failure-in-language.ts";
import { AppError } from "#src/platform/app-error.ts";
import type { Language } from "../notice.ts";
import { IntegerText, idText, nullable, Timestamp, timestamp, timestampOrNull } from "../values.ts";

/** Channels (mailbox, webhook, Telegram chat, browser) as several endpoints return them. */

type Listed = Awaited<ReturnType<Channels["list"]>>;
type Channel = Listed["channels"][number];
type DeadLetter = Listed["deadLetters"][number];
type ChannelKind = ChannelRequest["kind"];
type AddedChannel = Extract<ChannelAnswer, { readonly kind: "added" }>;

export const CHANNELS_PATH = "/api/account/channels";

/** Another user's channel is answered like an unknown one. */
export function noChannel(): AppError {
  return new AppError("not_found", { publicMessage: "You have no such channel." });
}

export const ChannelIdField = idText("id must be the id of a channel", "The channel's id", "1");

export const ChannelKindWord = Type.Enum(["email", "webhook", "telegram", "push"]);

export const ChannelItem = Type.Object(
  {
    id: IntegerText,
    kind: ChannelKindWord,
    target: Type.String({ description: "Of a push subscription: its endpoint" }),
    status: Type.Enum(["pending", "verified", "failing"]),
    enabled: Type.Boolean(),
    created_at: Timestamp,
    last_delivery_at: nullable(Timestamp),
    last_error: nullable(Type.String()),
  },
  { $id: "Channel" },
);

export const ChannelsBody = Type.Object(
  {
    items: Type.Array(ChannelItem),
    dead_letters: Type.Array(
      Type.Object({
        alert_id: IntegerText,
        channel_id: IntegerText,
        kind: ChannelKindWord,
        failed_at: Timestamp,
        error: Type.String(),
      }),
    ),
    kinds: Type.Array(ChannelKindWord, { description: "What can be added here" }),
    push_key: nullable(
      Type.String(),
      "The VAPID public key that browsers subscribe with; null: the service sends no push messages",
    ),
  },
  { $id: "Channels" },
);

export const AddedChannelBody = Type.Object(
  {
    status: Type.Enum(["pending", "verified"]),
    id: IntegerText,
    secret: nullable(Type.String(), "A webhook's signing secret, shown this once"),
    verification: Type.String({ description: "What to do next, in a sentence" }),
  },
  { $id: "AddedChannel" },
);

/** `status`: `pending` until its code is entered, then `verified`, or `failing` while nothing arrives. */
export function channelBody(channel: Channel, language: Language) {
  return {
    id: String(channel.id),
    kind: channel.kind,
    target: channel.kind === "push" ? endpointOf(channel.target) : channel.target,
    status: statusOf(channel),
    enabled: channel.isEnabled,
    created_at: timestamp(channel.createdAtMs),
    last_delivery_at: timestampOrNull(channel.lastDeliveryAtMs),
    last_error: channel.lastError === null ? null : failureInLanguage(channel.lastError, language),
  };
}

function statusOf({ isVerified, failingSinceMs }: Channel) {
  if (!isVerified) return "pending";
  return failingSinceMs === null ? "verified" : "failing";
}

/** An alert that could not be handed to a channel in 24 hours. */
export function deadLetterBody(letter: DeadLetter, language: Language) {
  return {
    alert_id: String(letter.alertId),
    channel_id: String(letter.channelId),
    kind: letter.kind,
    failed_at: timestamp(letter.failedAtMs),
    error: failureInLanguage(letter.error, language),
  };
}

/** A channel that was just added: the one time that its secret is shown. */
export function addedChannelBody({ channel, secret, codeSent }: AddedChannel, language: Language) {
  return {
    status: statusOf(channel),
    id: String(channel.id),
    secret,
    verification: verificationText(channel.kind, codeSent, language),
  };
}

const WHERE: Readonly<Record<Language, Readonly<Record<ChannelKind, string>>>> = {
  en: {
    email: "We sent a code to this mailbox: enter it here.",
    webhook:
      "We posted a signed message of type channel.verification to this URL: enter the code in its data here.",
    telegram: "Our bot sent a code to this chat: enter it here.",
    push: "A first notification was sent to this browser; its arrival verifies the channel.",
  },
  es: {
    email: "Hemos enviado un código a este buzón: introdúcelo aquí.",
    webhook:
      "Hemos enviado a esta URL un mensaje firmado de tipo channel.verification: introduce aquí el código de sus datos.",
    telegram: "Nuestro bot ha enviado un código a este chat: introdúcelo aquí.",
    push: "Se ha enviado una primera notificación a este navegador; su llegada verifica el canal.",
  },
};

function verificationText(
  kind: ChannelKind,
  codeSent: AddedChannel["codeSent"],
  language: Language,
): string {
  if (codeSent === null)
    return language === "es"
      ? "Es la dirección con la que entras: no hace falta ningún código."
      : "This is the address that you sign in with: it needs no code.";
  if (codeSent.kind === "sent") return WHERE[language][kind];
  const failure = failureInLanguage(codeSent.error, language);
  return language === "es"
    ? `El código no ha llegado (${failure}) Pide otro con la prueba del canal.`
    : `The code did not arrive (${failure}) Ask for another with the channel's test.`;
}
