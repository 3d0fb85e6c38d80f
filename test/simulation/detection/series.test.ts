import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { judgeSeries, parseSeries } from "#bench/detection/series.ts";

const steady = (count: number, c10: number) => Array.from({ length: count }, () => c10);

function series(c10: readonly (number | null)[], events: readonly object[] = [], stepSeconds = 10) {
  return parseSeries(
    JSON.stringify({ id: "a", stepSeconds, c10, depth: c10, events, drainAt: 900 }),
    1,
  );
}

describe("a series from another source", () => {
  test("has its alert on from the sample after a rug to half an hour later, with its cause", () => {
    const judged = judgeSeries(
      series(
        [...steady(90, 10), ...steady(300, 0.5)],
        [{ t: 896, kind: "withdrawal", share: 0.95 }],
      ),
    );
    assert.equal(judged.on.length, 1);
    const [alert] = judged.on;
    assert.deepEqual([alert?.from, alert?.to], [900, 2_700]);
    assert.equal(alert?.cause, "withdrawn");
    assert.match(alert?.why ?? "", /C10 from 10 to 0.5 SOL, liquidity withdrawn/);
    assert.equal(judged.leadSeconds, 0);
  });

  test("says that a cause was not given where no event explains the fall", () => {
    const judged = judgeSeries(series([...steady(90, 10), ...steady(30, 3)]));
    assert.equal(judged.on[0]?.cause, null);
    assert.equal(judged.on[0]?.to, null);
  });

  test("credits an event at a sample's very second to the fall of the next sample", () => {
    const judged = judgeSeries(
      series(
        [...steady(91, 10), ...steady(30, 7.5)],
        [{ t: 900, kind: "withdrawal", share: 0.25 }],
      ),
    );
    assert.deepEqual([judged.on[0]?.from, judged.on[0]?.cause], [910, "withdrawn"]);
  });

  test("is never on for a migration, whichever of the two samples shows the new pool", () => {
    for (const at of [90, 91]) {
      const c10 = [...steady(at, 10), ...steady(200, 2)];
      assert.deepEqual(judgeSeries(series(c10, [{ t: 900, kind: "migration" }])).on, []);
    }
  });

  test("is on after missing samples only where less than half is left", () => {
    const gap = (after: number) => series([...steady(90, 10), null, null, ...steady(90, after)]);
    assert.deepEqual(judgeSeries(gap(5.1)).on, []);
    assert.deepEqual(
      judgeSeries(gap(4.9)).on.map(({ detector }) => detector),
      ["gap"],
    );
  });

  test("is flagged by its slices long before they are through", () => {
    const slices = Array.from({ length: 60 }, (_, slice) => 10 * 0.95 ** (slice + 1));
    const judged = judgeSeries(series([...steady(90, 10), ...slices]));
    assert.ok((judged.on[0]?.c10Sol ?? 0) > 6);
  });
});

test("an invalid line is reported with its number and the error", () => {
  const rows: readonly (readonly [string, RegExp])[] = [
    ["{", /line 7: not JSON/],
    ["[]", /line 7: id is missing/],
    ['{"id":"a","stepSeconds":0,"c10":[]}', /line 7: stepSeconds/],
    ['{"id":"a","stepSeconds":1,"c10":[-1]}', /line 7: c10/],
    ['{"id":"a","stepSeconds":1,"c10":[1],"events":[{"t":1,"kind":"x"}]}', /line 7: unknown event/],
  ];
  for (const [line, message] of rows) assert.throws(() => parseSeries(line, 7), message);
});
