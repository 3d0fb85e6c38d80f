import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeBase64, decodeByBuffer } from "./base64.ts";

test("both decoders return the encoded bytes, in a buffer of their own", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const text = Buffer.from(bytes).toString("base64");
      for (const decode of [decodeBase64, decodeByBuffer]) {
        const decoded = decode(text);
        assert.deepEqual(decoded, bytes);
        assert.equal(decoded.buffer.byteLength, bytes.length);
      }
    }),
  );
});

test("both decoders refuse what is not base64", () => {
  for (const text of ["=", "ab=c", "a", "abc$", "abcde", "ab-_"]) {
    assert.throws(() => decodeBase64(text), SyntaxError, text);
    assert.throws(() => decodeByBuffer(text), SyntaxError, text);
  }
});
