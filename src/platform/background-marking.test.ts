import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { closeAfter } from "#test/support/ending.ts";

const MODULE = new URL("./background-marking.ts", import.meta.url).href;
/** Replaces small objects again and again, so that V8 marks the heap as long as the program runs. */
const PROGRAM = `
  import { leaveMarkingToThreads } from ${JSON.stringify(MODULE)};
  leaveMarkingToThreads();
  const live = Array.from({ length: 20_000 }, () => []);
  for (let turn = 0; turn < 10_000_000; turn++)
    live[turn % live.length] = Array.from({ length: 20 }, () => ({ turn }));
`;
const STEP = /Schedule: .* elapsed: ([\d.]+), marked: .* concurrent (\d+)KB\)/;
const ENOUGH_STEPS = 10;

test("V8's threads mark the heap, and what it expects does not grow with the time that has passed", async (t) => {
  const child = spawn(process.execPath, [
    // A small young generation: objects grow old soon.
    ...["--trace-incremental-marking", "--max-semi-space-size=1"],
    ...["--input-type=module", "--eval", PROGRAM],
  ]);
  closeAfter(t, () => child.kill("SIGKILL"));
  let steps = 0;
  let byThreads = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [, elapsedMs, concurrentKb] = STEP.exec(line) ?? [];
    if (elapsedMs === undefined) continue;
    // The time from which V8 computes how much should be marked by now.
    assert.equal(elapsedMs, "1.0", line);
    steps++;
    byThreads += Number(concurrentKb);
    if (steps >= ENOUGH_STEPS && byThreads > 0) return;
  }
  assert.fail(`the program ended after ${steps} steps, and ${byThreads} kB marked by threads`);
});
