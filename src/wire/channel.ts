import type { Language } from "./notice.ts";
import { timestamp } from "./timestamp.ts";

export type ShownChannel = {
  readonly id: bigint;
  readonly kind: "email" | "webhook" | "telegram";
  readonly target: string;
  readonly isEnabled: boolean;
  readonly isVerified: boolean;
  readonly createdAtMs: number;
  readonly lastDeliveryAtMs: number | null;
  readonly lastError: string | null;
  readonly failingSinceMs: number | null;
};

/** `status`: `pending` until its code is entered, then `verified`, or `failing` while nothing arrives. */
export function channelBody(channel: ShownChannel) {
  return {
    id: String(channel.id),
    kind: channel.kind,
    target: channel.target,
    status: statusOf(channel),
    enabled: channel.isEnabled,
    created_at: timestamp(channel.createdAtMs),
    last_delivery_at:
      channel.lastDeliveryAtMs === null ? null : timestamp(channel.lastDeliveryAtMs),
    last_error: channel.lastError,
  };
}

function statusOf({ isVerified, failingSinceMs }: ShownChannel) {
  if (!isVerified) return "pending";
  return failingSinceMs === null ? "verified" : "failing";
}

/** An alert that could not be handed to a channel in 24 hours. */
export function deadLetterBody(letter: {
  readonly alertId: bigint;
  readonly channelId: bigint;
  readonly kind: string;
  readonly failedAtMs: number;
  readonly error: string;
}) {
  return {
    alert_id: String(letter.alertId),
    channel_id: String(letter.channelId),
    kind: letter.kind,
    failed_at: timestamp(letter.failedAtMs),
    error: letter.error,
  };
}

export type AddedChannel = {
  readonly channel: ShownChannel;
  readonly secret: string | null;
  /** What became of sending the code; null: none is needed. */
  readonly codeSent:
    | { readonly kind: "sent" }
    | { readonly kind: "failed"; readonly error: string }
    | null;
};

/** A channel that was just added: the one time that its secret is shown. */
export function addedChannelBody({ channel, secret, codeSent }: AddedChannel, language: Language) {
  return {
    status: statusOf(channel),
    id: String(channel.id),
    secret,
    verification: verificationText(channel.kind, codeSent, language),
  };
}

const WHERE: Readonly<Record<Language, Readonly<Record<ShownChannel["kind"], string>>>> = {
  en: {
    email: "We sent a code to this mailbox: enter it here.",
    webhook:
      "We posted a signed message of type channel.verification to this URL: enter the code in its data here.",
    telegram: "Our bot sent a code to this chat: enter it here.",
  },
  es: {
    email: "Hemos enviado un código a este buzón: introdúcelo aquí.",
    webhook:
      "Hemos enviado a esta URL un mensaje firmado de tipo channel.verification: introduce aquí el código de sus datos.",
    telegram: "Nuestro bot ha enviado un código a este chat: introdúcelo aquí.",
  },
};

function verificationText(
  kind: ShownChannel["kind"],
  codeSent: AddedChannel["codeSent"],
  language: Language,
): string {
  if (codeSent === null)
    return language === "es"
      ? "Es la dirección con la que entras: no hace falta ningún código."
      : "This is the address that you sign in with: it needs no code.";
  if (codeSent.kind === "sent") return WHERE[language][kind];
  return language === "es"
    ? `El código no ha llegado (${codeSent.error}) Pide otro con la prueba del canal.`
    : `The code did not arrive (${codeSent.error}) Ask for another with the channel's test.`;
}
