import assert from "node:assert/strict";
import { test } from "node:test";
import { getAddressDecoder, getAddressEncoder } from "@solana/kit";
import fc from "fast-check";
import { addressBytes, addressFromBytes, compareAddressBytes, parseAddress } from "./address.ts";

const thirtyTwoBytes = fc.oneof(
  fc.uint8Array({ minLength: 32, maxLength: 32 }),
  fc
    .tuple(fc.integer({ min: 0, max: 32 }), fc.uint8Array({ minLength: 32, maxLength: 32 }))
    .map(([zeros, bytes]) => bytes.map((byte, index) => (index < zeros ? 0 : byte))),
);

test("any 32 bytes become the base58 text that kit makes of them, and come back", () => {
  fc.assert(
    fc.property(thirtyTwoBytes, (bytes) => {
      const text = addressFromBytes(bytes);
      assert.equal(text, getAddressDecoder().decode(bytes));
      assert.deepEqual(addressBytes(text), bytes);
      assert.deepEqual(new Uint8Array(getAddressEncoder().encode(text as never)), bytes);
    }),
  );
});

test("text that is not the base58 form of exactly 32 bytes is not an address", () => {
  for (const text of [
    "",
    "So1111111111111111111111111111111111111111",
    "So111111111111111111111111111111111111111122",
    "0o11111111111111111111111111111111111111112",
    "1".repeat(31),
    "1".repeat(33),
    "z".repeat(44),
    "So11111111111111111111111111111111111111112\n",
    "ñ".repeat(40),
  ]) {
    assert.equal(parseAddress(text), null, text);
  }
  assert.equal(parseAddress("1".repeat(32)), "1".repeat(32));
});

test("addresses compare by their bytes, not by their text", () => {
  fc.assert(
    fc.property(thirtyTwoBytes, thirtyTwoBytes, (a, b) => {
      const compared = compareAddressBytes(addressFromBytes(a), addressFromBytes(b));
      assert.equal(Math.sign(compared), Math.sign(Buffer.compare(a, b)));
    }),
  );
});
