import assert from "node:assert/strict";
import { test } from "node:test";
import { createUserForEmail } from "#src/store/users.ts";
import { eachApp } from "#test/support/api/app.ts";
import { areaUnderCurve, timeRegister } from "#test/support/api/register-timing.ts";

/** By chance alone 2,000 calls leave these bounds once in fifty runs; three times over, never. */
const BOUNDS = { low: 0.47, high: 0.53 };
const RUNS_AT_MOST = 3;

test("over 2,000 interleaved calls register's time does not reveal whether an address is known", async (t) => {
  await eachApp(t, async ({ app, store, users }, t) => {
    const known = Array.from({ length: 50 }, (_, index) => `known${index}abcdef@example.com`);
    for (const email of known) await createUserForEmail(store, email, users.clock.nowMs());
    const url = await app.listen({ host: "127.0.0.1", port: 0 });
    users.start();
    try {
      const areas: number[] = [];
      do {
        const timing = await timeRegister({ url, known, calls: 2_000, random: Math.random });
        areas.push(timing.areaUnderCurve);
        t.diagnostic(JSON.stringify(timing));
      } while (areas.length < RUNS_AT_MOST && areas.every(isTelling));
      assert.ok(!areas.every(isTelling), `areas under the curve: ${areas.join(", ")}`);
    } finally {
      await users.close();
    }
  });
});

test("the area under the curve is what it says", () => {
  assert.equal(areaUnderCurve([1, 2, 3], [4, 5, 6]), 1);
  assert.equal(areaUnderCurve([4, 5, 6], [1, 2, 3]), 0);
  assert.equal(areaUnderCurve([1, 1], [1, 1]), 0.5);
  assert.equal(areaUnderCurve([1, 3], [2, 4]), 0.75);
});

function isTelling(area: number): boolean {
  return area < BOUNDS.low || area > BOUNDS.high;
}
