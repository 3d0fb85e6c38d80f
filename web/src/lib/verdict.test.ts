import assert from "node:assert/strict";
import { test } from "node:test";
import { verdictOf } from "./verdict.ts";

test("what can't be sold is never called good", () => {
  assert.deepEqual([0, 9.99, 10, 29.9, 30, null].map(verdictOf), [
    "good",
    "good",
    "warn",
    "warn",
    "bad",
    "bad",
  ]);
});
