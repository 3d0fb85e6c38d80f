import assert from "node:assert/strict";
import { test } from "node:test";
import { SubscribeRequest } from "@triton-one/yellowstone-grpc";
import { testAddress } from "#test/support/pools/test-accounts.ts";
import { encodeRequest } from "./geyser-encoding.ts";
import { FIRST_LIMITS } from "./geyser-limits.ts";
import { pingRequest, subscribeRequest } from "./geyser-request.ts";

const encode = (request: SubscribeRequest) => SubscribeRequest.encode(request).finish();
const read = (request: SubscribeRequest) =>
  SubscribeRequest.decode(new Uint8Array(encodeRequest(request, encode)));

test("a request of any size decodes to the same as the package's own encoding", () => {
  for (const count of [0, 1, 3, 4_000]) {
    const addresses = Array.from({ length: count }, (_, index) => testAddress(index + 1));
    const memcmp = [{ offset: 8, bytes: testAddress(7) }];
    const request = subscribeRequest(
      {
        accounts: new Set(addresses),
        programs: [
          { kind: "whole", programIds: [testAddress(1), testAddress(2)] },
          { kind: "some", filter: { programId: testAddress(3), dataSize: 165, memcmp } },
        ],
        mentioned: new Set(addresses.slice(0, 5)),
      },
      "confirmed",
      { ...FIRST_LIMITS, addresses: 1_500 },
    );
    assert.deepEqual(read(request), SubscribeRequest.decode(encode(request)));
  }
  assert.deepEqual(read(pingRequest(9)), SubscribeRequest.decode(encode(pingRequest(9))));
});
