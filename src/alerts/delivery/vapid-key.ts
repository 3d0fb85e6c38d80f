import { createECDH } from "node:crypto";

const CURVE = "prime256v1";
const KEY = /^[A-Za-z0-9_-]{43}$/;

export type PushSettings = {
  /** The VAPID private key, base64url; the public key follows from it. */
  readonly privateKey: string;
  /** How a push service reaches the operator: an https: or mailto: URL. */
  readonly contact: string;
};

/** The public key of a VAPID private key; null if the text is not one. */
export function vapidPublicKey(privateKey: string): string | null {
  if (!KEY.test(privateKey)) return null;
  const pair = createECDH(CURVE);
  try {
    pair.setPrivateKey(privateKey, "base64url");
  } catch {
    // Zero, or above the order of the curve.
    return null;
  }
  return pair.getPublicKey("base64url");
}
