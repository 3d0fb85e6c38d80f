import assert from "node:assert/strict";
import { test } from "node:test";
import { nextPath, signInPath } from "./next-path.ts";

test("after signing in one is led back, and never to another site", () => {
  assert.equal(nextPath(new URL(signInPath("/token/abc"), "http://here").search), "/token/abc");
  for (const next of [
    "//evil.example",
    "/\\\\evil.example",
    "https://evil.example",
    "javascript:1",
    "",
  ]) {
    assert.equal(nextPath(`?next=${encodeURIComponent(next)}`), "/watchlist", next);
  }
});
