import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bitmapExtensionAccount, pairAccount } from "#demo/programs/meteora-dlmm-accounts.ts";
import { MINT_X, MINT_Y, PAIR, PARAMETERS } from "#test/support/pools/dlmm-pool.ts";
import { ByteReader } from "../byte-reader.ts";
import { markedArrays } from "./bitmap.ts";

const indexes = fc.oneof(
  fc.integer({ min: -6_656, max: 6_655 }),
  fc.integer({ min: -530, max: -495 }),
  fc.integer({ min: 495, max: 530 }),
);

function bitmapOf(arrays: readonly number[]) {
  const pair = pairAccount(
    {
      parameters: PARAMETERS,
      mintX: MINT_X,
      mintY: MINT_Y,
      reserveX: PAIR,
      reserveY: PAIR,
      oracle: PAIR,
      creator: PAIR,
      arrays,
      slot: 0n,
    },
    {
      isEnabled: true,
      volatility: { accumulator: 0, reference: 0, indexReference: 0, lastUpdateTimestamp: 0n },
      activeId: 0,
      protocolFeeX: 0n,
      protocolFeeY: 0n,
    },
  );
  return {
    pair: new ByteReader(pair.data),
    extension: new ByteReader(bitmapExtensionAccount(PAIR, arrays, 0n).data),
  };
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

test("a walk that starts where only an extension has the bits finds nothing without one", () => {
  const { pair } = bitmapOf([-3, 600]);
  assert.deepEqual(markedArrays({ pair, extension: null }, -515, "up", 9), []);
  assert.deepEqual(markedArrays({ pair, extension: null }, 515, "down", 9), []);
});
