import assert from "node:assert/strict";
import { test } from "node:test";
import { STANDARD_SIZES } from "#src/measure/assessment.ts";
import type { PastDay } from "#src/track/history/past-day.ts";
import { oneApp } from "#test/support/api/app.ts";
import { SOME_MINT, someMarkets, someSnapshot } from "#test/support/markets/assessments.ts";

const PATH = `/api/token/${SOME_MINT}/exitability/past-day`;
const TO_MS = Date.UTC(2026, 10, 21);
const RANGE = { observations: 1_439, quantilesPct: [-4, -1, 0, 1, 4] };
const DAY: PastDay = {
  fromMs: TO_MS - 86_400_000,
  toMs: TO_MS,
  waiting: STANDARD_SIZES.map((_, size) => (size === 5 ? [null, null, null] : [null, RANGE, null])),
  resilience: {
    sells: 40,
    regainedPct: [10, 50, -5],
    ...{ halfLifeSeconds: 60, halfLifeFromSeconds: 41.5, halfLifeToSeconds: null },
  },
};

function marketsWith(day: PastDay | null) {
  return someMarkets(() => someSnapshot(), { pastDay: async () => day });
}

test("each size has the frequencies of the past day by seconds waited, null where too few were seen", async (t) => {
  await oneApp(
    t,
    async ({ send }) => {
      const response = await send("GET", PATH);
      assert.equal(response.statusCode, 200);
      const body = response.json();
      assert.deepEqual(
        [body.from, body.to],
        ["2026-11-20T00:00:00.000Z", "2026-11-21T00:00:00.000Z"],
      );
      assert.deepEqual(Object.keys(body.waiting).toSorted(), [...STANDARD_SIZES].toSorted());
      const changes = { p1_pct: -4, p10_pct: -1, p50_pct: 0, p90_pct: 1, p99_pct: 4 };
      assert.deepEqual(body.waiting["5"], {
        "10": null,
        "60": { observations: 1_439, ...changes },
        "300": null,
      });
      assert.deepEqual(body.waiting["50"], { "10": null, "60": null, "300": null });
      assert.deepEqual(body.resilience, {
        sells: 40,
        regained_pct: { "10": 10, "60": 50, "300": -5 },
        half_life_seconds: 60,
        half_life_from_seconds: 41.5,
        half_life_to_seconds: null,
      });
      assert.equal(response.headers["x-ratelimit-remaining"], "4");
      assert.equal((await send("GET", `${PATH}?at_slot=1`)).statusCode, 400);
    },
    { markets: marketsWith(DAY) },
  );
});

test("without samples everything is unknown, never zero", async (t) => {
  await oneApp(
    t,
    async ({ send }) => {
      const body = (await send("GET", PATH)).json();
      assert.deepEqual(body.waiting["1"], { "10": null, "60": null, "300": null });
      assert.equal(body.resilience, null);
    },
    { markets: marketsWith(null) },
  );
});
