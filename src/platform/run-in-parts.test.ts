import assert from "node:assert/strict";
import { test } from "node:test";
import { runInParts } from "./run-in-parts.ts";

function* countTo(last: number): Generator<void, number> {
  let reached = 0;
  while (reached < last) {
    reached++;
    yield;
  }
  return reached;
}

test("the result is that of the last part, with a turn of the event loop after each part", async () => {
  let turns = 0;
  const turn = async (): Promise<void> => {
    turns++;
    await new Promise(setImmediate);
  };
  assert.equal(await runInParts(countTo(5), { nowMs: () => 0 }, turn), 5);
  assert.equal(turns, 5);
});

test("a rest is as long as the part before it, and half a second at most where the clock is set", async () => {
  let nowMs = 1_000;
  function* parts(): Generator<void, void> {
    for (const tookMs of [40, 0, 3_600_000, -3_600_000]) {
      nowMs += tookMs;
      yield;
    }
  }
  const rests: number[] = [];
  await runInParts(parts(), { nowMs: () => nowMs }, async (ms) => {
    rests.push(ms);
  });
  assert.deepEqual(rests, [40, 0, 500, 0]);
});

test("a part that throws ends the computation with its error", async () => {
  function* failing(): Generator<void, number> {
    yield;
    throw new RangeError("no pools");
  }
  await assert.rejects(runInParts(failing(), { nowMs: () => 0 }), /no pools/);
});
