import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { address } from "#src/units/address.ts";
import { ByteReader } from "../byte-reader.ts";
import { markedArrays } from "./bitmap.ts";
import { markArray, newBitmapExtensionData } from "./encode.ts";
import { LB_PAIR } from "./layout.ts";

const PAIR = address("5ttUNgVR3M5Yax5jsi5B4DdHb8C9nzcpk7fFH8DQb1Aq");
const indexes = fc.oneof(
  fc.integer({ min: -6_656, max: 6_655 }),
  fc.integer({ min: -530, max: -495 }),
  fc.integer({ min: 495, max: 530 }),
);

function bitmapOf(marked: readonly number[]) {
  const pair = new Uint8Array(LB_PAIR.length);
  const extension = newBitmapExtensionData(PAIR);
  for (const index of marked) markArray(pair, extension, index);
  return { pair: new ByteReader(pair), extension: new ByteReader(extension) };
}

test("a walk finds exactly the marked arrays at or beyond its start, in order, across both bitmaps", () => {
  fc.assert(
    fc.property(fc.uniqueArray(indexes, { maxLength: 12 }), indexes, (marked, start) => {
      const bitmap = bitmapOf(marked);
      const rising = marked.toSorted((a, b) => a - b);
      assert.deepEqual(
        markedArrays(bitmap, start, "up", 100),
        rising.filter((index) => index >= start),
      );
      assert.deepEqual(
        markedArrays(bitmap, start, "down", 100),
        rising.filter((index) => index <= start).reverse(),
      );
    }),
  );
});

test("a walk stops at its count", () => {
  assert.deepEqual(markedArrays(bitmapOf([5, 6, 7, 8]), 0, "up", 2), [5, 6]);
});

test("without an extension only the pair's own range is walked", () => {
  const { pair } = bitmapOf([-600, -3, 600]);
  assert.deepEqual(markedArrays({ pair, extension: null }, 0, "down", 9), [-3]);
  assert.deepEqual(markedArrays({ pair, extension: null }, 0, "up", 9), []);
});
