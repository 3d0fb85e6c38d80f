import assert from "node:assert/strict";
import { test } from "node:test";
import { sqlitePlace } from "#test/support/databases/databases.ts";
import { eventually } from "#test/support/eventually.ts";
import { startTestService } from "#test/support/processes/service.ts";

const STEP = / Schedule: .* elapsed: ([\d.]+),/;

test("the event loop of a service does not catch up with V8's schedule of a marking", async (t) => {
  const service = await startTestService(t, sqlitePlace(t), {}, [
    // V8 marks a small heap often if it is full soon and may hardly grow.
    ...["--trace-incremental-marking", "--max-semi-space-size=1", "--heap-growing-percent=5"],
    ...["bin/exitability.mjs", "serve"],
  ]);
  // A marking that began with the process keeps its schedule.
  const started = service.lines.length;
  const steps = () =>
    service.lines.slice(started).flatMap((line) => {
      const [, elapsedMs] = STEP.exec(line) ?? [];
      return elapsedMs ?? [];
    });
  await eventually("the heap is marked", async () => {
    await (await fetch(`${service.url}/openapi.json`)).text();
    return steps().length > 0 ? true : null;
  });
  assert.deepEqual([...new Set(steps())], ["1.0"]);
});
