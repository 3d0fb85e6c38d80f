import assert from "node:assert/strict";
import { test } from "node:test";
import { searchTokens } from "./search-tokens.ts";

const TOKENS = [
  { mint: "1", name: "Magic Carpet", symbol: "RUG" },
  { mint: "2", name: "Rugby", symbol: "RUGBY" },
  { mint: "3", name: "Great Shrug", symbol: "MEH" },
];

test("an exact symbol comes first, then beginnings, then the rest", () => {
  const found = (text: string) => searchTokens(TOKENS, text).map(({ mint }) => mint);
  assert.deepEqual(found("rug"), ["1", "2", "3"]);
  assert.deepEqual(found("$RUGBY"), ["2"]);
  assert.deepEqual(found("magic"), ["1"]);
  assert.deepEqual(found(""), []);
});
