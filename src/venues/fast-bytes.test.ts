import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ByteReader } from "./byte-reader.ts";
import { hasSameBytes, u64AsDouble } from "./fast-bytes.ts";

const bytes = fc.uint8Array({ minLength: 24, maxLength: 24 });

test("a u64 is read as the double next to it", () => {
  fc.assert(
    fc.property(bytes, (data) => {
      assert.equal(u64AsDouble(data, 3), Number(new ByteReader(data).u64(3)));
    }),
  );
});

test("bytes are compared within the range alone", () => {
  const a = Uint8Array.of(1, 2, 3, 4);
  const b = Uint8Array.of(9, 2, 3, 9);
  assert.equal(hasSameBytes(a, b, 1, 3), true);
  assert.equal(hasSameBytes(a, b, 0, 3), false);
  assert.equal(hasSameBytes(a, b, 1, 4), false);
});
