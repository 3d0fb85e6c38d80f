import assert from "node:assert/strict";
import { test } from "node:test";
import { readWritten } from "./written-amount.ts";

const digitsOf = (text: string, language: "es" | "en") => {
  const written = readWritten(text, language);
  return written.kind === "amount" ? written.digits : written.kind;
};

test("an amount that has one reading is read alike in both languages", () => {
  for (const [text, digits] of [
    ["5", "5"],
    ["0.125", "0.125"],
    ["0,125", "0.125"],
    ["1.5", "1.5"],
    ["2,5", "2.5"],
    ["1234.567", "1234.567"],
    ["1234,567", "1234.567"],
    ["1.0000", "1.0000"],
    ["1.500,25", "1500.25"],
    ["1,500.25", "1500.25"],
    ["1.000.000", "1000000"],
    ["1,000,000", "1000000"],
    ["1,00,000", "100000"],
    ["1.000.000,5", "1000000.5"],
    ["2 300 000", "2300000"],
    ["2'300'000.125", "2300000.125"],
    ["1.5k", "1500"],
    ["2,3 M", "2300000"],
  ] as const) {
    for (const language of ["es", "en"] as const)
      assert.equal(digitsOf(text, language), digits, `${text} in ${language}`);
  }
});

test("before three digits the language's own decimal sign is one", () => {
  assert.equal(digitsOf("1,125", "es"), "1.125");
  assert.equal(digitsOf("398,111", "es"), "398.111");
  assert.equal(digitsOf("1.125", "en"), "1.125");
  assert.equal(digitsOf("398.111", "en"), "398.111");
});

test("in English a comma before three digits separates thousands, and the caller learns it", () => {
  for (const [text, digits] of [
    ["1,000", "1000"],
    ["398,111", "398111"],
    ["1,125k", "1125000"],
  ] as const)
    assert.deepEqual(readWritten(text, "en"), { kind: "amount", digits, isByLanguage: true }, text);
  assert.deepEqual(readWritten("1000", "en"), {
    kind: "amount",
    digits: "1000",
    isByLanguage: false,
  });
});

test("in Spanish a point before three digits is refused with both readings", () => {
  for (const [text, readings] of [
    ["1.000", ["1000", "1.000"]],
    ["398.111", ["398111", "398.111"]],
    ["1.125k", ["1125000", "1125"]],
  ] as const)
    assert.deepEqual(readWritten(text, "es"), { kind: "ambiguous", readings }, text);
});

test("any other text is invalid, and so are groups that are not whole", () => {
  for (const text of [
    "",
    "abc",
    "-1",
    "1e3",
    "5 SOL",
    ".",
    ".5",
    "1..5",
    "12.34.56",
    "1.2.3,4",
    "1,50.5",
  ])
    for (const language of ["es", "en"] as const)
      assert.equal(digitsOf(text, language), "invalid", `${text} in ${language}`);
});
