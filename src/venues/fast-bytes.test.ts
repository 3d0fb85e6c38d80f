import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ByteReader } from "./byte-reader.ts";
import { hasSameBytes, i128AsDouble, u64AsDouble } from "./fast-bytes.ts";

const bytes = fc.uint8Array({ minLength: 24, maxLength: 24 });

test("a u64 is read as the double next to it", () => {
  fc.assert(
    fc.property(bytes, (data) => {
      assert.equal(u64AsDouble(data, 3), Number(new ByteReader(data).u64(3)));
    }),
  );
});

test("an i128 is read exactly where it is an i64, and is NaN where it is none", () => {
  const i64 = fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n });
  const i128 = fc.bigInt({ min: -(1n << 127n), max: (1n << 127n) - 1n });
  fc.assert(
    fc.property(fc.oneof(i64, i128), (value) => {
      const data = new Uint8Array(24);
      const view = new DataView(data.buffer);
      view.setBigUint64(5, BigInt.asUintN(64, value), true);
      view.setBigInt64(13, value >> 64n, true);
      const isI64 = BigInt.asIntN(64, value) === value;
      assert.equal(i128AsDouble(data, 5), isI64 ? Number(value) : Number.NaN);
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
