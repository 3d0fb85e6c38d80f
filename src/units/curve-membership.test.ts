import assert from "node:assert/strict";
import { test } from "node:test";
import { ed25519 } from "@noble/curves/ed25519.js";
import fc from "fast-check";
import { isOnCurve, legendreSymbol } from "./curve-membership.ts";

test("any 32 bytes are on the curve exactly where they decompress to a point", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      assert.equal(isOnCurve(bytes), decompresses(bytes));
    }),
    { numRuns: 500 },
  );
});

test("the smallest and the largest numbers are judged as decompression does", () => {
  for (const low of [0, 1, 2, 3, 5, 255]) {
    for (const fill of [0, 255]) {
      const bytes = new Uint8Array(32).fill(fill);
      bytes[0] = low;
      bytes[31] = fill & 0x7f;
      assert.equal(isOnCurve(bytes), decompresses(bytes), `${low} then ${fill}`);
    }
  }
});

test("the symbol of numbers with long runs of zeros follows Euler's criterion", () => {
  const prime = ed25519.Point.Fp.ORDER;
  const powers = Array.from({ length: 255 }, (_, bit) => 1n << BigInt(bit));
  const numbers = powers.flatMap((power) => [
    power,
    3n * power,
    prime - power,
    power * power + power,
  ]);
  for (const number of numbers) {
    const a = number % prime;
    if (a === 0n) continue;
    const expected = ed25519.Point.Fp.pow(a, (prime - 1n) / 2n) === 1n ? 1 : -1;
    assert.equal(legendreSymbol(a), expected, String(a));
  }
});

/** The sign bit chooses between two points, and of the number itself any residue is taken. */
function decompresses(bytes: Uint8Array): boolean {
  const canonical = bytes.slice();
  canonical[31] = (canonical[31] ?? 0) & 0x7f;
  try {
    ed25519.Point.fromBytes(canonical, true);
    return true;
  } catch {
    return false;
  }
}
