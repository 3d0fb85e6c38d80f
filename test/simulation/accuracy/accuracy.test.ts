import assert from "node:assert/strict";
import { test } from "node:test";
import { isMismatch } from "#src/accuracy/accuracy-record.ts";
import { VENUES } from "#src/venues/all.ts";
import { playedAccuracy } from "./played-accuracy.ts";

test("every swap of the demo market is replayed and exact, on every venue", async (t) => {
  const { demo, tracker, judged, record, play, nowMs } = await playedAccuracy(t);
  for (const mint of demo.mints) await tracker.snapshot(mint);
  let slots = 0;
  await play(40, () => {
    slots++;
    if (slots % 10 !== 0) return;
    const side = slots % 20 === 0 ? "buy" : "sell";
    for (const mint of demo.mints) demo.script(mint, { kind: "trade", side, sol: 0.05 });
  });
  assert.deepEqual(judged.filter(isMismatch), []);
  for (const { id } of VENUES) {
    const { hour } = record.tallies.windows(id, nowMs());
    t.diagnostic(`${id}: ${JSON.stringify(hour)}`);
    assert.ok(hour.replayed > 0, `${id} was never seen`);
    assert.equal(hour.exact, hour.seen, `${id}: ${JSON.stringify(hour.skipped)}`);
  }
});
