import assert from "node:assert/strict";
import { test } from "node:test";
import { targetRefusal } from "./target-refusal.ts";

test("a refused webhook is explained by what is wrong with its URL", () => {
  for (const [target, reason] of [
    ["nonsense", "url"],
    ["ftp://example.com/", "https"],
    ["http://example.com/", "https"],
    ["https://ana:secret@example.com/", "user"],
    ["https://127.0.0.1/", "host"],
  ] as const) {
    assert.equal(targetRefusal("webhook", target), reason, target);
  }
  assert.equal(targetRefusal("telegram", "@ana"), "chat");
  assert.equal(targetRefusal("email", "nonsense"), null);
});
