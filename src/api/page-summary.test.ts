import assert from "node:assert/strict";
import { test } from "node:test";
import { SOME_MINT, someSnapshot } from "#test/support/markets/assessments.ts";
import { pageSummary } from "./page-summary.ts";

function titleOf(symbol: string | null, name: string | null): string | undefined {
  return pageSummary({ latest: () => ({ ...someSnapshot(), symbol, name }) }, SOME_MINT)?.title;
}

test("a link preview names a token by the first of its names that shows anything, cut between letters", () => {
  const asked = ": what do I get if I sell now?";
  assert.equal(titleOf("RUG", "Magic Carpet"), `RUG${asked}`);
  assert.equal(titleOf("\u3164\u2800 \ufe0f", "Magic\u202e Carpet"), `Magic Carpet${asked}`);
  assert.equal(titleOf("\u115f", null), `${SOME_MINT}${asked}`);
  assert.equal(titleOf("😀".repeat(30), null), `${"😀".repeat(20)}${asked}`);
});
