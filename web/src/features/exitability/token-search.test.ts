import assert from "node:assert/strict";
import { test } from "node:test";
import {
  convertedAmount,
  exitPath,
  limitsOf,
  readAmount,
  readTyped,
  sizeInSol,
  worthInSol,
} from "./token-search.ts";

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

test("an amount that the page prints is never sold as a thousandth of it", () => {
  const of = { unit: "tokens", solUsd: null } as const;
  assert.equal(readTyped("398.111", { ...of, language: "es" }).kind, "ambiguous");
  const english = readTyped("398,111", { ...of, language: "en" });
  assert.ok(english.kind === "amount" && english.digits === "398111" && english.isByLanguage);
  assert.equal(readTyped("1,000.5", { ...of, unit: "sol", language: "en" }).kind, "invalid");
});

test("an amount of an address has a point, whatever the language", () => {
  assert.equal(readAmount("1.125", "tokens"), "1.125");
});

test("a size beyond what is measured is never asked for, and its limits are", () => {
  const profile = "retail";
  for (const amount of ["0", "0.009", "1000.1", "5000"]) {
    const sale = { amount, unit: "sol", profile } as const;
    assert.equal(exitPath("M", sale, 150), null, amount);
    assert.equal(sizeInSol(sale), null, amount);
  }
  for (const amount of ["0.01", "1000"]) {
    const sale = { amount, unit: "sol", profile } as const;
    assert.match(exitPath("M", sale, null) ?? "", new RegExp(`size=${amount}&`));
    assert.equal(sizeInSol(sale), Number(amount));
  }
  assert.equal(exitPath("M", { amount: "0", unit: "tokens", profile }, 150), null);
});

test("dollars are asked for as SOL, and not at all without a rate", () => {
  const sale = { amount: "300", unit: "usd", profile: "pro" } as const;
  assert.equal(exitPath("M", sale, 150), "/api/token/M/exitability/at?size=2.000000&profile=pro");
  assert.equal(exitPath("M", sale, null), null);
});

test("dollars worth less or more than what is measured are refused, and never asked for as another size", () => {
  assert.deepEqual(limitsOf("usd", 151.234), { minimum: 1.52, maximum: 151_234 });
  assert.equal(readAmount("1000000", "usd", 150), null);
  assert.equal(readAmount("0.5", "usd", 150), null);
  assert.equal(readAmount("150000", "usd", 150), "150000");
  assert.equal(readAmount("1000000", "usd"), "1000000", "no limit is known without a rate");
  for (const amount of ["1000000", "0.5"])
    assert.equal(exitPath("M", { amount, unit: "usd", profile: "retail" }, 150), null);
});

test("another unit keeps the position", () => {
  const rates = { solUsd: 150, tokenSol: 0.000005, tokenDecimals: null };
  const sale = { amount: "50", unit: "sol", profile: "retail" } as const;
  assert.equal(convertedAmount(sale, "tokens", rates), "10000000");
  assert.equal(convertedAmount(sale, "usd", rates), "7500");
  const tokens = { ...sale, amount: "10000000", unit: "tokens" } as const;
  assert.equal(convertedAmount(tokens, "sol", rates), "50");
  assert.equal(convertedAmount(tokens, "usd", rates), "7500");
  assert.equal(convertedAmount({ ...sale, amount: "0.0123456789" }, "tokens", rates), "2469.14");
  assert.equal(convertedAmount(tokens, "sol", { ...rates, tokenSol: null }), null);
  assert.equal(worthInSol({ ...sale, amount: "300", unit: "usd" }, rates), 2);
});

test("a position in tokens has no more decimals than the token", () => {
  const sale = { amount: "0.5", unit: "sol", profile: "retail" } as const;
  for (const [tokenDecimals, tokens] of [
    [null, "0.000833333"],
    [8, "0.00083333"],
    [6, "0.000833"],
    [0, "0"],
  ] as const)
    assert.equal(
      convertedAmount(sale, "tokens", { solUsd: 150, tokenSol: 600, tokenDecimals }),
      tokens,
    );
  const cheap = { solUsd: 150, tokenSol: 0.005, tokenDecimals: 0 };
  assert.equal(convertedAmount(sale, "tokens", cheap), "100");
  assert.equal(convertedAmount(sale, "usd", cheap), "75", "dollars have cents");
});

test("rounding takes the largest position beyond no limit", () => {
  const rates = { solUsd: 151.23456, tokenSol: null, tokenDecimals: null };
  const sale = { amount: "1000", unit: "sol", profile: "retail" } as const;
  const dollars = convertedAmount(sale, "usd", rates);
  assert.equal(dollars, "151234");
  assert.equal(readAmount(dollars, "usd", rates.solUsd), dollars);
});
