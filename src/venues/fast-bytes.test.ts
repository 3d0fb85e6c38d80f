import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { toNumber } from "#src/units/to-number.ts";
import { ByteReader } from "./byte-reader.ts";
import { hasSameBytes, signedUpperWords, u64AsDouble, upperWords, word } from "./fast-bytes.ts";

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

function bytesOf(value: bigint): Uint8Array {
  const data = new Uint8Array(19);
  const view = new DataView(data.buffer, 3);
  view.setBigUint64(0, BigInt.asUintN(64, value), true);
  view.setBigUint64(8, BigInt.asUintN(64, value >> 64n), true);
  return data;
}

const LIMIT = 1n << 85n;

test("a 128-bit integer below 2^85 comes apart into two exact doubles", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: LIMIT - 1n }), (value) => {
      const data = bytesOf(value);
      assert.equal(word(data, 3), toNumber(value & 0xffff_ffffn));
      assert.equal(upperWords(data, 3), toNumber(value >> 32n));
    }),
  );
});

test("so does a signed one, its sign in the upper part", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -LIMIT, max: LIMIT - 1n }), (value) => {
      const data = bytesOf(value);
      const high = BigInt(signedUpperWords(data, 3));
      assert.equal(high * (1n << 32n) + BigInt(word(data, 3)), value);
    }),
  );
});
