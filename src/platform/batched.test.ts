import assert from "node:assert/strict";
import { test } from "node:test";
import { batched } from "./batched.ts";

function counted(most: number) {
  const batches: (readonly string[])[] = [];
  const ask = batched(async (keys: readonly string[]) => {
    batches.push(keys);
    return new Map(keys.filter((key) => key !== "nobody").map((key) => [key, key.length]));
  }, most);
  return { ask, batches };
}

test("what is asked in one round is asked once, and each hears their own", async () => {
  const { ask, batches } = counted(10);
  const answers = await Promise.all([ask("a"), ask("bb"), ask("a"), ask("nobody")]);
  assert.deepEqual(answers, [1, 2, 1, undefined]);
  assert.deepEqual(batches, [["a", "bb", "nobody"]]);
  assert.equal(await ask("a"), 1, "a later round asks anew");
  assert.equal(batches.length, 2);
});

test("no more than so many are asked together", async () => {
  const { ask, batches } = counted(2);
  await Promise.all(["a", "b", "c", "d", "e"].map(ask));
  assert.deepEqual(batches, [["a", "b"], ["c", "d"], ["e"]]);
});

test("where asking fails everybody in it hears of it, and the next round goes on", async () => {
  let fails = true;
  const ask = batched(async (keys: readonly string[]) => {
    if (fails) throw new Error("away");
    return new Map(keys.map((key) => [key, true]));
  }, 10);
  const outcomes = await Promise.allSettled([ask("a"), ask("b")]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  fails = false;
  assert.equal(await ask("a"), true);
});
