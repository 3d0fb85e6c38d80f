import assert from "node:assert/strict";
import { test } from "node:test";
import {
  formatAge,
  formatNumber,
  formatPct,
  formatPrice,
  formatRounded,
  formatSharePct,
  formatTick,
  formatUsd,
  looksLikeMint,
  plainText,
  unbroken,
} from "./format.ts";

test("a token's name is shown without control, bidi or invisible characters", () => {
  assert.equal(plainText("\u202Eevil\u202C\u0000 \u200Bname\n\n"), "evil name");
  assert.equal(plainText("<img src=x onerror=alert(1)>"), "<img src=x onerror=alert(1)>");
  assert.equal(plainText("\u2066\u2069\u200D"), null);
  assert.equal(plainText("\u3164\u2800 \u115F\u034F\uFE0F"), null, "blank letters and symbols");
  assert.equal(plainText(null), null);
  assert.equal(plainText("a".repeat(100))?.length, 41);
  assert.equal(plainText(`z${"\u0301".repeat(40)}`)?.length, 4);
});

test("numbers keep the digits that say something", () => {
  assert.equal(formatNumber(2.8105e-8, "en"), "0.0000000281");
  assert.equal(formatNumber(0, "en"), "0");
  assert.equal(formatNumber(1234.56, "en"), "1,235");
  assert.equal(formatNumber(45.256, "en"), "45.26");
  assert.equal(formatNumber(0.5, "en"), "0.5");
  assert.equal(formatNumber(0.009981, "en"), "0.00998", "not the 0.01 that were sold");
  assert.equal(formatPct(9.99999, "en"), "10\u00a0%");
  assert.equal(formatPct(-0.001, "en"), "0\u00a0%", "no sign before nothing");
  assert.equal(formatPct(-0.25, "es"), "-0,25\u00a0%");
});

test("a number is rounded to plain digits, whatever its size", () => {
  const values = [134.85, 0.9946, 3.1e-8];
  assert.deepEqual(
    values.map((value) => formatRounded(value, "es")),
    ["130", "0,99", "0,000000031"],
  );
});

test("a part is never shown as 0 % or as 100 %", () => {
  const shares = [0, 0.04, 0.3, 1.4, 80, 98.7, 99.6, 99.96, 100];
  assert.deepEqual(
    shares.map((share) => formatSharePct(share, "en").replaceAll("\u00a0", "")),
    ["0%", "<0.1%", "0.3%", "1%", "80%", "99%", "99.6%", ">99.9%", "100%"],
  );
});

test("a loss is never shown as none or as all where it is neither, and a payment in dollars not as none", () => {
  const losses = [0, 0.0001, 0.0049, 0.005, 99.994, 99.995, 99.9999, 100];
  assert.deepEqual(
    losses.map((loss) => formatPct(loss, "en").replaceAll("\u00a0", "")),
    ["0%", "<0.01%", "<0.01%", "0.01%", "99.99%", ">99.99%", ">99.99%", "100%"],
  );
  assert.equal(formatPct(0.002, "es", 2, 2), "<\u00a00,01\u00a0%");
  assert.equal(formatPct(99.6, "en", 0), ">\u00a099\u00a0%");
  assert.deepEqual(
    [0, 0.0023, 0.005, 100].map((usd) => formatUsd(usd, "en").replaceAll("\u00a0", "")),
    ["$0.00", "<$0.01", "$0.01", "$100"],
  );
});

test("an age counts in seconds, then minutes, hours and days, never below zero", () => {
  const ages = [-3, 0, 59.9, 90, 5_399, 5_400, 172_799, 172_800, 1_080_000];
  assert.deepEqual(ages.map(formatAge), [
    "0 s",
    "0 s",
    "59 s",
    "1 min",
    "89 min",
    "1 h",
    "47 h",
    "2 d",
    "12 d",
  ]);
});

test("a mint has the form of a base58 address", () => {
  assert.ok(looksLikeMint(" So11111111111111111111111111111111111111112 "));
  for (const text of ["", "abc", "0".repeat(40), "l".repeat(40), "1".repeat(45)]) {
    assert.ok(!looksLikeMint(text), text);
  }
});

test("the zeros of a small price are counted, not written out", () => {
  assert.equal(formatPrice(0.000005004, "en"), "0.0₅5004");
  assert.equal(formatPrice(2.8e-13, "es"), "0,0₁₂2800");
  assert.equal(formatPrice(0.00012, "en"), "0.00012");
  assert.equal(formatPrice(1.25, "es"), "1,25");
  assert.equal(formatPrice(0, "en"), "0");
});

test("a number is never parted from its unit", () => {
  assert.equal(unbroken("up to 10 % of 5 SOL"), "up to 10\u00a0% of 5\u00a0SOL");
});

test("a tick of a chart's axis is a time of day, or the day that begins", () => {
  const at = (hour: number, minute: number) =>
    new Date(2026, 10, 5, hour, minute).getTime() / 1_000;
  assert.deepEqual(
    [at(0, 0), at(0, 5), at(13, 0)].map((seconds) => formatTick(seconds, "en")),
    ["Nov 5", "00:05", "13:00"],
  );
  const dayBefore = at(11, 0) - 43_200;
  assert.deepEqual(
    [formatTick(dayBefore, "en"), formatTick(at(11, 0), "en", dayBefore)],
    ["23:00", "Nov 5"],
  );
});
