import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSize, parseUnits } from "./requested-size.ts";

test("a size snaps to the nearest standard size, a tie to the larger", () => {
  const snapped: readonly (readonly [string, string])[] = [
    ["0.01", "0.5"],
    ["0.5", "0.5"],
    ["0.74", "0.5"],
    ["0.75", "1"],
    ["1", "1"],
    ["1.5", "2"],
    ["3.49", "2"],
    ["3.5", "5"],
    ["7.5", "10"],
    ["29.999", "10"],
    ["29.99999999999999999999", "10"],
    ["30", "50"],
    ["1000", "50"],
    ["0.30000000000000004", "0.5"],
    ["0.010000000000000002", "0.5"],
  ];
  for (const [text, used] of snapped) {
    assert.deepEqual(parseSize(text), { requested: Number(text), used }, text);
  }
});

test("anything but plain digits from 0.01 to 1000 is not a size", () => {
  for (const text of [
    "",
    "0",
    "0.009",
    "0.00999999999999999999",
    "1000.1",
    "1000.00000000000000000001",
    "1e2",
    "-1",
    "+1",
    "1,5",
    " 1",
    "NaN",
    "0x10",
    "1.",
  ]) {
    assert.equal(parseSize(text), null, text);
  }
});

test("an amount is its smallest units exactly, and none where it is finer than they are", () => {
  assert.equal(parseUnits("1.5", 9), 1_500_000_000n);
  assert.equal(parseUnits("1.50", 1), 15n, "zeros at the end add no digits");
  assert.equal(parseUnits("18446744073709551615", 0), 18_446_744_073_709_551_615n);
  assert.equal(parseUnits("0.1234567", 6), null);
  for (const text of ["", "-1", "1e3", ".5", "5."]) assert.equal(parseUnits(text, 6), null, text);
});
