import assert from "node:assert/strict";
import { test } from "node:test";
import { eachDatabase } from "#test/support/databases/databases.ts";
import {
  deleteTalliesBefore,
  readMismatches,
  readTallies,
  writeMismatches,
  writeTallies,
} from "./accuracy.ts";

test("tallies of a span are replaced when written again, and old ones are deleted", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const row = { venue: "pumpswap", span: "hour", index: 7, tally: "{}" };
    await writeTallies(db, [row, { ...row, index: 8 }, { ...row, span: "minute" }]);
    await writeTallies(db, [{ ...row, index: 8, tally: '{"seen":1}' }]);
    await deleteTalliesBefore(db, { span: "hour", index: 8 });
    const left = (await readTallies(db)).toSorted((a, b) => a.index - b.index);
    assert.deepEqual(left, [
      { ...row, span: "minute" },
      { ...row, index: 8, tally: '{"seen":1}' },
    ]);
    await writeTallies(db, []);
  });
});

test("only the given number of newest mismatches is kept, newest first", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const mismatch = (atMs: number) => ({
      atMs,
      venue: "pumpswap",
      signature: `s${atMs}`,
      execution: `{"n":${atMs}}`,
    });
    await writeMismatches(db, [1, 2, 3].map(mismatch), 3);
    await writeMismatches(db, [4, 5].map(mismatch), 3);
    assert.deepEqual(await readMismatches(db, 10), [5, 4, 3].map(mismatch));
    assert.deepEqual(await readMismatches(db, 1), [mismatch(5)]);
  });
});
