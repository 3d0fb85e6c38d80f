import assert from "node:assert/strict";
import { test } from "node:test";
import { parseEmailAddress } from "./email-address.ts";

test("ordinary addresses pass, in lower case", () => {
  assert.equal(parseEmailAddress("Ana.Perez+exit@Example.COM"), "ana.perez+exit@example.com");
  assert.equal(parseEmailAddress("a@b.co"), "a@b.co");
  assert.equal(parseEmailAddress("a@xn--bcher-kva.example"), "a@xn--bcher-kva.example");
});

test("texts that could inject mail headers are refused", () => {
  for (const text of [
    "a@example.com\r\nBcc: b@example.com",
    "a@example.com\n",
    "a\u0000@example.com",
    "a@example.com, b@example.com",
    "<a@example.com>",
    '"a b"@example.com',
    "a b@example.com",
    " a@example.com",
    "a@example.com ",
    "a@[127.0.0.1]",
  ])
    assert.equal(parseEmailAddress(text), null, JSON.stringify(text));
});

test("look-alike letters are refused, also those with an ASCII lower case", () => {
  for (const text of ["a\u212A@example.com", "аna@example.com", "a@exаmple.com", "a＠example.com"])
    assert.equal(parseEmailAddress(text), null, text);
});

test("incomplete, repeated and overlong addresses are refused", () => {
  for (const text of [
    "",
    "@",
    "a@",
    "@example.com",
    "a@example",
    "a@@example.com",
    "a@.com",
    "a@example..com",
    ".a@example.com",
    "a.@example.com",
    "a..b@example.com",
    "a@-example.com",
    "a@example.1",
    `${"a".repeat(65)}@example.com`,
    `a@${"b".repeat(250)}.com`,
    `a@${"b".repeat(1_000_000)}.com`,
    `${"a.".repeat(100_000)}a@example.com`,
  ])
    assert.equal(parseEmailAddress(text), null, text.slice(0, 40));
});
