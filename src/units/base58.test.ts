import assert from "node:assert/strict";
import { test } from "node:test";
import { getBase58Decoder, getBase58Encoder } from "@solana/kit";
import fc from "fast-check";
import { base58Decode, base58Encode } from "./base58.ts";

test("any bytes become the base58 text that kit makes of them, and come back", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat({ max: 3 }), (tail, zeros) => {
      const bytes = Uint8Array.from([...new Uint8Array(zeros), ...tail]);
      const text = base58Encode(bytes);
      assert.equal(text, getBase58Decoder().decode(bytes));
      assert.deepEqual(base58Decode(text), bytes);
      assert.deepEqual(base58Decode(text), new Uint8Array(getBase58Encoder().encode(text)));
    }),
  );
});

test("text outside the alphabet, or too long to decode in reasonable time, is not base58", () => {
  for (const text of ["0", "O", "I", "l", "a b", "ñ", "😀", "2".repeat(8_193)]) {
    assert.equal(base58Decode(text), null, text.slice(0, 10));
  }
});
