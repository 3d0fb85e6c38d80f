import { createHmac } from "node:crypto";

/**
 * A webhook's secret, made of the service's own and what is kept of the channel: it is nowhere on
 * disk. In the form of Standard Webhooks.
 */
export function webhookSecret(authSecret: string, nonce: string): string {
  const secret = createHmac("sha256", authSecret).update(`webhook-secret/${nonce}`).digest();
  return `whsec_${secret.toString("base64")}`;
}

/** The headers of Standard Webhooks: the message's id, the second of this attempt, and the HMAC. */
export function signatureHeaders(
  secret: string,
  message: { readonly uid: string; readonly body: string; readonly nowMs: number },
): Readonly<Record<string, string>> {
  const seconds = String(Math.floor(message.nowMs / 1_000));
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const signature = createHmac("sha256", key)
    .update(`${message.uid}.${seconds}.${message.body}`)
    .digest("base64");
  return {
    "webhook-id": message.uid,
    "webhook-timestamp": seconds,
    "webhook-signature": `v1,${signature}`,
  };
}
