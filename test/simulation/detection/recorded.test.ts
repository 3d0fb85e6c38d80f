import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { recordDemo } from "#bench/detection/demo-recording.ts";
import { namedAddress } from "#bench/detection/plain-pool-venue.ts";
import { judgeReplay, judgeWaiting, replayFiles } from "#bench/detection/recorded.ts";
import { emptySeries } from "#bench/detection/truth.ts";
import { seededRandom } from "#src/platform/seeded-random.ts";
import { temporaryDirectory } from "#test/support/temporary-directory.ts";

const MINUTES = 13;

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .toSorted()
    .map((name) => join(folder, name));
}

test("recorded minutes of the demo market give the alerts that they gave live, at the same chain times, also from files that were rotated or cut off", async (t) => {
  const folder = temporaryDirectory(t);
  const symbols = ["RUG", "LEAK", "PAUSE"];
  const live = await recordDemo({ folder, minutes: MINUTES, seed: 1, symbols, fileBytes: 20_000 });
  assert.equal(live.tokens, symbols.length);
  assert.ok(live.alerts.some(({ kind }) => kind === "on"));
  const files = filesIn(folder);
  assert.ok(files.length > 1);
  const replay = await replayFiles(files);
  assert.deepEqual(replay.alerts, live.alerts);
  assert.deepEqual(
    judgeReplay(replay).map(({ markets }) => markets),
    [1, 1, 1, 3],
  );

  // Each file can be read alone: without the first, the alerts that turn on later are the same.
  const [first = "", second = "", ...others] = files;
  const beganMs = Date.parse(
    (/updates-(.*)\.jsonl/.exec(second)?.[1] ?? "").replace(
      /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/,
      "$1-$2-$3T$4:$5:$6.$7Z",
    ),
  );
  const without = await replayFiles([second, ...others]);
  const later = live.alerts.filter(({ kind, chainMs }) => kind === "on" && chainMs > beganMs);
  assert.ok(later.length > 0);
  assert.deepEqual(
    without.alerts.filter(({ kind }) => kind === "on"),
    later,
  );

  // The file of a process that was killed ends in the middle of a line.
  const bytes = readFileSync(first);
  writeFileSync(first, bytes.subarray(0, bytes.length / 2));
  assert.ok((await replayFiles([first])).tokens.length > 0);
});

test("ranges of the first half hold in the second if the market stays the same, and rarely if it gets wilder", () => {
  const held = (wilder: number) => {
    const random = seededRandom(3);
    const samples = Array.from({ length: 6_000 }, (_, step) => ({
      atMs: 10_000 * (step + 1),
      ...{ c10Sol: 10, depthSol: 90, slippagesPct: [0.5, 1, 2, 5, 10, 40] },
      mid: 1 + 0.02 * (random() - 0.5) * (step < 3_000 ? 1 : wilder),
      ...{ confidence: "high" as const, basis: 1 },
    }));
    const token = { mint: namedAddress("token"), series: emptySeries(), alarms: [], samples };
    return judgeWaiting({ tokens: [token] });
  };
  const [same] = held(1);
  assert.deepEqual([same?.size, same?.seconds, same?.tokens], ["0.5", 10, 1]);
  assert.ok(
    Math.abs((same?.held80 ?? 0) - 0.8) < 0.03 && Math.abs((same?.held98 ?? 0) - 0.98) < 0.01,
  );
  // Six sizes, 10 s and 60 s: 5 minutes would need 17 hours.
  assert.equal(held(1).length, 12);
  const [wild] = held(4);
  assert.ok((wild?.held80 ?? 1) < 0.35, `${wild?.held80}`);
});
