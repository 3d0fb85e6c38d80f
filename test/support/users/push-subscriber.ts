import assert from "node:assert/strict";
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";

const TAG_BYTES = 16;
const SALT_BYTES = 16;
/** Salt, record size, length of the key, and the sender's key: RFC 8188, as RFC 8291 uses it. */
const HEADER_BYTES = SALT_BYTES + 4 + 1 + 65;

/** A VAPID key for tests. */
export const VAPID_KEY = "r71-1tGS3V5pXcRUyAwq2_vLN2ivRHdhY6-DrFpNSdM";

/** A browser's side of Web Push: what it subscribes with, and what it reads from a posted body. */
export type PushSubscriber = {
  /** As `JSON.stringify(subscription)` in a browser. */
  readonly subscription: string;
  readonly open: (body: Buffer) => string;
};

export function pushSubscriber(endpoint: string): PushSubscriber {
  const pair = createECDH("prime256v1");
  const ownKey = pair.generateKeys();
  const auth = randomBytes(16);
  const keys = { p256dh: ownKey.toString("base64url"), auth: auth.toString("base64url") };
  return {
    subscription: JSON.stringify({ endpoint, expirationTime: null, keys }),
    open(body) {
      const salt = body.subarray(0, SALT_BYTES);
      const senderKey = body.subarray(SALT_BYTES + 5, HEADER_BYTES);
      const info = Buffer.concat([Buffer.from("WebPush: info\0"), ownKey, senderKey]);
      const secret = hkdfSync("sha256", pair.computeSecret(senderKey), auth, info, 32);
      const derive = (what: string, bytes: number) =>
        Buffer.from(
          hkdfSync("sha256", Buffer.from(secret), salt, `Content-Encoding: ${what}\0`, bytes),
        );
      const decipher = createDecipheriv(
        "aes-128-gcm",
        derive("aes128gcm", 16),
        derive("nonce", 12),
      );
      decipher.setAuthTag(body.subarray(-TAG_BYTES));
      const sealed = body.subarray(HEADER_BYTES, -TAG_BYTES);
      const plain = Buffer.concat([decipher.update(sealed), decipher.final()]);
      const end = plain.lastIndexOf(2);
      assert.ok(end > 0, "the last record ends with the byte 2");
      return plain.subarray(0, end).toString();
    },
  };
}
