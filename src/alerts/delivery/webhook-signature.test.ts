import assert from "node:assert/strict";
import { test } from "node:test";
import { signatureHeaders, webhookSecret } from "./webhook-signature.ts";

test("the signature is that of the Standard Webhooks specification's own example", () => {
  const headers = signatureHeaders("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", {
    uid: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    body: '{"test": 2432232314}',
    nowMs: 1_614_265_330_999,
  });
  assert.deepEqual(headers, {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

test("each channel has a secret of its own, of 32 bytes, that the service can make again", () => {
  const secret = webhookSecret("the service's own", "a");
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal(webhookSecret("the service's own", "a"), secret);
  assert.notEqual(webhookSecret("the service's own", "b"), secret);
  assert.notEqual(webhookSecret("another's", "a"), secret);
});
