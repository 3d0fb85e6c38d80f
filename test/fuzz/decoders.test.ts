import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { seededRandom } from "#src/platform/seeded-random.ts";
import { readExecutions, sharedPath } from "#test/support/pools/executions.ts";
import { propertyRuns } from "#test/support/property-runs.ts";
import { attack } from "./attack.ts";

const ATTACKS_PER_FILE = propertyRuns(200);

test("mutated accounts of every venue give a pool or a reason, and never throw", async (t) => {
  const folder = sharedPath(t, "executions");
  if (folder === null) return;
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".jsonl.gz"))) {
    await t.test(file, async (t) => {
      const path = sharedPath(t, "executions", file);
      if (path === null) return;
      const executions = await readExecutions(path);
      const random = seededRandom(executions.length);
      const outcomes = { pool: 0, unusable: 0 };
      for (let count = 0; count < ATTACKS_PER_FILE; count++) {
        const chosen = executions[Math.floor(random() * executions.length)];
        if (chosen !== undefined) outcomes[attack(chosen.execution, random).outcome]++;
      }
      assert.equal(outcomes.pool + outcomes.unusable, ATTACKS_PER_FILE);
      assert.ok(outcomes.unusable > 0, "some mutations make a pool unusable");
      assert.ok(outcomes.pool > 0, "some mutations leave a pool");
    });
  }
});
