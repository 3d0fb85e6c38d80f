import assert from "node:assert/strict";
import { test } from "node:test";
import { exitPath, readAmount } from "./token-search.ts";

test("an amount is understood in the ways in which people write it", () => {
  for (const [text, plain] of [
    ["5", "5"],
    ["2,5", "2.5"],
    ["2.5", "2.5"],
    ["1.500,25", "1500.25"],
    ["1,500.25", "1500.25"],
    ["2 300 000", "2300000"],
    ["1,000,000", "1000000"],
    ["1.5k", "1500"],
    ["2,3 M", "2300000"],
  ] as const) {
    assert.equal(readAmount(text, "tokens"), plain, text);
  }
});

test("an invalid amount, or one that cannot be sold, is refused", () => {
  for (const text of ["", "0", "abc", "-1", "1e3", "1.2.3,4.5x", "5 SOL"])
    assert.equal(readAmount(text, "tokens"), null, text);
  assert.equal(readAmount("0.001", "sol"), null);
  assert.equal(readAmount("1001", "sol"), null);
});

test("dollars are asked for as SOL, and not at all without a rate", () => {
  const sale = { amount: "300", unit: "usd", profile: "pro" } as const;
  assert.equal(exitPath("M", sale, 150), "/api/token/M/exitability/at?size=2.000000&profile=pro");
  assert.equal(exitPath("M", sale, null), null);
});
