import assert from "node:assert/strict";
import { test } from "node:test";
import { verdictOf } from "./verdict.ts";

test("what can't be sold is never called good", () => {
  assert.deepEqual([0, 2.99, 3, 29.9, 30, null].map(verdictOf), [
    "good",
    "good",
    "warn",
    "warn",
    "bad",
    "bad",
  ]);
});
