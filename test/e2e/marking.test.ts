import assert from "node:assert/strict";
import { test } from "node:test";
import { sqlitePlace } from "#test/support/databases.ts";
import { eventually } from "#test/support/eventually.ts";
import { startTestService } from "#test/support/service.ts";

const STEP = / Schedule: .* elapsed: ([\d.]+),/;

test("the event loop of a service does not catch up with V8's schedule of a marking", async (t) => {
  const service = await startTestService(t, sqlitePlace(t), {}, [
    // So that a small heap is marked often.
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
  await eventually("a thread marks its heap", async () => {
    await (await fetch(`${service.url}/openapi.json`)).text();
    return steps().length > 0 ? true : null;
  });
  assert.deepEqual([...new Set(steps())], ["1.0"]);
});
