import assert from "node:assert/strict";
import { test } from "node:test";
import { USDC, WSOL } from "#src/units/known-addresses.ts";
import { ByteReader } from "#src/venues/byte-reader.ts";
import { FieldWriter } from "./field-writer.ts";

test("fields are read back as they were written, also where they are longer than an event usually is", () => {
  const long = Uint8Array.from({ length: 2_000 }, (_, index) => index & 0xff);
  const bytes = new FieldWriter()
    .u8(7)
    .bool(true)
    .u32(0xfedcba98)
    .i32(-5)
    .u64(1n, 2n ** 64n - 1n)
    .raw(long)
    .i64(-6n)
    .i128(-7n)
    .address(USDC, WSOL)
    .text("sell_v2")
    .bytes();
  const reader = new ByteReader(bytes);
  assert.equal(reader.u8(0), 7);
  assert.equal(reader.bool(1), true);
  assert.equal(reader.u32(2), 0xfedcba98);
  assert.equal(reader.i32(6), -5);
  assert.equal(reader.u64(10), 1n);
  assert.equal(reader.u64(18), 2n ** 64n - 1n);
  assert.deepEqual(bytes.subarray(26, 2_026), long);
  assert.equal(reader.i64(2_026), -6n);
  assert.equal(reader.i128(2_034), -7n);
  assert.equal(reader.address(2_050), USDC);
  assert.equal(reader.address(2_082), WSOL);
  assert.equal(reader.u32(2_114), 7);
  assert.equal(Buffer.from(bytes.subarray(2_118)).toString(), "sell_v2");
  assert.equal(bytes.length, 2_125);
});
