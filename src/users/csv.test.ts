import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { toCsv } from "./csv.ts";

test("cells are quoted where required, and rows end as in RFC 4180", () => {
  assert.equal(toCsv([["a", 'b "c"', "d,e"], ["f\ng"]]), 'a,"b ""c""","d,e"\r\n"f\ng"\r\n');
});

test("no cell can be read as a formula", () => {
  for (const text of ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "|calc", "%0a"])
    assert.match(toCsv([[text]]), /^"?'/, JSON.stringify(text));
  assert.equal(toCsv([["ana@example.com"]]), "ana@example.com\r\n");
  fc.assert(
    fc.property(fc.string(), (text) => {
      const cell = toCsv([[text]]).replace(/^"/, "");
      assert.doesNotMatch(cell, /^\s*[=+\-@]/);
    }),
  );
});
