import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { apiKeyHint, hashApiKey, isApiKeyText, newApiKeyText } from "./api-key-text.ts";

test("a key is prefix, underscore, 26 random base62 digits and 6 check digits", () => {
  for (let made = 0; made < 100; made++) {
    const text = newApiKeyText("exi");
    assert.match(text, /^exi_[0-9A-Za-z]{32}$/);
    assert.equal(isApiKeyText(text), true);
  }
});

test("keys are unique, and digits are evenly distributed", () => {
  const texts = Array.from({ length: 2_000 }, () => newApiKeyText("exi"));
  assert.equal(new Set(texts).size, texts.length);
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const digit of text.slice(4, 30)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
  assert.equal(counts.size, 62);
  const expected = (2_000 * 26) / 62;
  for (const [digit, count] of counts)
    assert.ok(Math.abs(count - expected) < 6 * Math.sqrt(expected), `${digit}: ${count}`);
});

test("a typo in any place fails the check", () => {
  const text = newApiKeyText("exi");
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.constantFrom(..."0aZ_9q"), (place, digit) => {
      const typo = text.slice(0, place) + digit + text.slice(place + 1);
      assert.equal(isApiKeyText(typo), typo === text);
    }),
    { numRuns: 300 },
  );
});

test("two swapped digits fail the check", () => {
  const text = newApiKeyText("exi");
  for (let place = 4; place < text.length - 1; place++) {
    const [before, a = "", b = ""] = [text.slice(0, place), text[place], text[place + 1]];
    const swapped = `${before}${b}${a}${text.slice(place + 2)}`;
    assert.equal(isApiKeyText(swapped), a === b);
  }
});

test("texts that are not keys fail the check", () => {
  for (const text of ["", "exi_", "x".repeat(100_000), "exi_\n".repeat(20), "éxi_0000000000"])
    assert.equal(isApiKeyText(text), false);
});

test("the hint shows only the ends of the key, and the hash nothing", () => {
  const text = newApiKeyText("exi");
  assert.equal(apiKeyHint(text), `${text.slice(0, 8)}…${text.slice(-4)}`);
  assert.match(hashApiKey(text), /^[0-9a-f]{64}$/);
});
