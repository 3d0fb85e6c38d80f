import type { UserAlert } from "#src/store/user-alerts.ts";
import { alertItem } from "./alert-item.ts";
import { alertText, type ChannelLanguage, timestamp, tokenLabel } from "./alert-text.ts";
import { cutText } from "./untrusted-text.ts";

/** Alerts that go out together, to one receiver. */
export type AlertMessage = {
  readonly alerts: readonly UserAlert[];
  readonly language: ChannelLanguage;
  /** Where the dashboard is. */
  readonly publicUrl: string;
};

/** One line that names the tokens, for a mail's subject. */
export function messageTitle({ alerts, language }: AlertMessage): string {
  const labels = [...new Set(alerts.map(tokenLabel))];
  const shown = labels.slice(0, 3).join(", ");
  const tokens = labels.length > 3 ? `${shown}, +${labels.length - 3}` : shown;
  return language === "es" ? `Alerta de salida: ${tokens}` : `Exit alert: ${tokens}`;
}

/**
 * The message for people, as plain text with a link for each token. Of more alerts than `longest` UTF-16 units hold,
 * the first are written out and the others counted, with the link to the list of all.
 */
export function messageText(
  { alerts, language, publicUrl }: AlertMessage,
  longest = Number.POSITIVE_INFINITY,
): string {
  const parts = alerts.map(
    (alert) => `${alertText(alert, language)}\n${publicUrl}/token/${alert.mint}`,
  );
  const textOf = (shown: number) => {
    const left = parts.length - shown;
    const more = left === 0 ? [] : [MORE[language](left)];
    const end = `${ALL[language]}: ${publicUrl}/alerts`;
    return [...parts.slice(0, shown), ...more, end].join("\n\n");
  };
  let shown = parts.length;
  while (shown > 1 && textOf(shown).length > longest) shown--;
  return textOf(shown);
}

const ALL: Readonly<Record<ChannelLanguage, string>> = {
  es: "Las alertas y sus canales",
  en: "Alerts and their channels",
};

const MORE: Readonly<Record<ChannelLanguage, (left: number) => string>> = {
  es: (left) => (left === 1 ? "Y 1 alerta más." : `Y ${left} alertas más.`),
  en: (left) => (left === 1 ? "And 1 more alert." : `And ${left} more alerts.`),
};

/**
 * The body that a webhook receives (Standard Webhooks: type, timestamp, data). The time is that of the newest
 * alert: how old the news of a repeated message is must not depend on the attempt.
 */
export function webhookBody(message: AlertMessage): string {
  const { alerts, language, publicUrl } = message;
  const items = alerts.map((alert) => ({
    ...alertItem(alert, language),
    url: `${publicUrl}/token/${alert.mint}`,
  }));
  return JSON.stringify({
    type: "exit.alerts",
    timestamp: timestamp(Math.max(...alerts.map(({ createdAtMs }) => createdAtMs))),
    data: { alerts: items },
  });
}

/** What a channel receives while it is being verified. */
export type CodeMessage = {
  readonly code: string;
  readonly language: ChannelLanguage;
  readonly publicUrl: string;
  readonly validMinutes: number;
};

export function codeTitle(language: ChannelLanguage): string {
  return language === "es"
    ? "Verifica este canal de alertas de Exitability"
    : "Verify this channel for Exitability's alerts";
}

export function codeText({ code, language, publicUrl, validMinutes }: CodeMessage): string {
  return language === "es"
    ? [
        `El código de este canal es ${code}`,
        `Introdúcelo en ${publicUrl}/alerts. Vale durante ${validMinutes} minutos.`,
        "Si no lo has pedido, no hay que hacer nada: sin el código no se envía ninguna alerta.",
      ].join("\n\n")
    : [
        `This channel's code is ${code}`,
        `Enter it at ${publicUrl}/alerts. It works for ${validMinutes} minutes.`,
        "If you did not ask for it, nothing has to be done: without the code no alert is sent.",
      ].join("\n\n");
}

export function webhookCodeBody(code: string, nowMs: number): string {
  return JSON.stringify({
    type: "channel.verification",
    timestamp: timestamp(nowMs),
    data: { code },
  });
}

/** What a verified channel receives when its user tries it. */
export function testText(language: ChannelLanguage): string {
  return language === "es"
    ? "Esta es una prueba: por este canal llegarán tus alertas de salida."
    : "This is a test: your exit alerts will arrive through this channel.";
}

export function webhookTestBody(nowMs: number): string {
  return JSON.stringify({ type: "channel.test", timestamp: timestamp(nowMs), data: {} });
}

/** A notification shows a few lines; a push service takes 4,096 bytes, encrypted. */
const LONGEST_NOTE = 600;

/** What the service worker of the dashboard reads (`web/public/push.js`). */
type PushMessage = {
  readonly title: string;
  readonly body: string;
  /** A page of this service. */
  readonly path: string;
  /** A repeated message replaces its notification. */
  readonly tag: string;
  /** Entered by the service worker: the channel is verified when its first message arrives. */
  readonly verify?: { readonly id: string; readonly code: string };
};

function pushText(message: PushMessage): string {
  const { title, body } = message;
  return JSON.stringify({
    ...message,
    title: cutText(title, LONGEST_NOTE),
    body: cutText(body, LONGEST_NOTE),
  });
}

/** Alerts as one notification; it leads to their token, or to the list if there are several. */
export function messagePush(message: AlertMessage, uid: string): string {
  const { alerts, language } = message;
  const [mint, ...others] = new Set(alerts.map((alert) => alert.mint));
  return pushText({
    title: messageTitle(message),
    body: alerts.map((alert) => alertText(alert, language)).join("\n"),
    path: mint === undefined || others.length > 0 ? "/alerts" : `/token/${mint}`,
    tag: uid,
  });
}

export function codePush(
  { id, code, language }: Pick<CodeMessage, "code" | "language"> & { readonly id: bigint },
  uid: string,
): string {
  const body =
    language === "es"
      ? "Tus alertas de salida llegarán a este navegador."
      : "Your exit alerts will arrive in this browser.";
  const verify = { id: String(id), code };
  return pushText({ title: "Exitability", body, path: "/alerts", tag: uid, verify });
}

export function testPush(language: ChannelLanguage, uid: string): string {
  return pushText({ title: "Exitability", body: testText(language), path: "/alerts", tag: uid });
}
