import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { recordDemo } from "#bench/detection/demo-recording.ts";
import { judgeReplay, replayFiles } from "#bench/detection/recorded.ts";
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
