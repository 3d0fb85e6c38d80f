import { ECDH } from "node:crypto";
import webPush from "web-push";
import { type PushSettings, vapidPublicKey } from "./vapid-key.ts";
import type { Sent, WebhookSender } from "./webhook-sender.ts";

const CURVE = "prime256v1";
const POINT_BYTES = 65;
const AUTH_BYTES = 16;
const LONGEST_ENDPOINT = 1_024;
const BASE64URL = /^[A-Za-z0-9_-]{1,128}$/;
/** A push service drops what it could not hand to the browser for this long: an exit alert ages fast. */
const KEPT_SECONDS = 3_600;

/** A browser's subscription: where its push service listens, and the keys that messages are encrypted with. */
export type PushSubscription = {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
};

export type PushSender = {
  /** What browsers subscribe with, base64url. */
  readonly publicKey: string;
  /** Encrypts a text for a subscription and posts it. `gone`: the subscription has ended. */
  readonly send: (subscription: PushSubscription, text: string) => Promise<Sent>;
};

/**
 * Reads what a browser's subscription serialises to; null for anything else. The endpoint is only
 * bounded here: the guard of webhooks judges where it leads, now and at every call.
 */
export function parseSubscription(text: string): PushSubscription | null {
  const { endpoint, keys } = readObject(text);
  if (typeof endpoint !== "string" || endpoint.length > LONGEST_ENDPOINT) return null;
  if (!URL.canParse(endpoint) || typeof keys !== "object" || keys === null) return null;
  const { p256dh, auth } = keys as Readonly<Record<string, unknown>>;
  if (typeof p256dh !== "string" || typeof auth !== "string") return null;
  if (!isPoint(p256dh) || !BASE64URL.test(auth)) return null;
  if (Buffer.from(auth, "base64url").length !== AUTH_BYTES) return null;
  return { endpoint: new URL(endpoint).href, keys: { p256dh, auth } };
}

function readObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    // Not JSON: nothing in it is a subscription.
    return {};
  }
}

function isPoint(key: string): boolean {
  if (!BASE64URL.test(key) || Buffer.from(key, "base64url").length !== POINT_BYTES) return false;
  try {
    ECDH.convertKey(key, CURVE, "base64url");
    return true;
  } catch {
    // Not a point of the curve.
    return false;
  }
}

/**
 * Web Push (RFC 8030, 8188, 8291, 8292). The library encrypts and signs; the request goes out through
 * the sender of webhooks, so that an endpoint reaches public hosts only.
 */
export function createPushSender(
  { privateKey, contact }: PushSettings,
  webhooks: Pick<WebhookSender, "post">,
): PushSender {
  const publicKey = vapidPublicKey(privateKey);
  if (publicKey === null) throw new Error("the VAPID private key is not a key");
  const vapidDetails = { subject: contact, publicKey, privateKey };
  const options = { vapidDetails, TTL: KEPT_SECONDS, urgency: "high" } as const;
  return {
    publicKey,
    async send(subscription, text) {
      const request = webPush.generateRequestDetails(subscription, text, options);
      const headers = Object.entries(request.headers)
        .filter(([name]) => name !== "Content-Length")
        .map(([name, value]) => [name.toLowerCase(), String(value)] as const);
      const sent = await webhooks.post(
        subscription.endpoint,
        Object.fromEntries(headers),
        request.body ?? Buffer.alloc(0),
      );
      return sent.kind === "failed" && (sent.status === 404 || sent.status === 410)
        ? { kind: "gone", error: "This browser no longer takes notifications." }
        : sent;
    },
  };
}
