import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { MIGRATIONS } from "#src/store/connection/migrate.ts";
import { type DatabasePlace, eachDatabasePlace } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import type { MigrateOrder } from "#test/support/processes/migrate-child.ts";

const PROCESSES = 5;

test("five processes that start together run each migration once between them, and all go on", async (t) => {
  await eachDatabasePlace(t, async (t, place) => {
    const starting = Array.from({ length: PROCESSES }, () => readyProcess(t, place));
    const processes = await Promise.all(starting);
    const ran = await Promise.all(processes.map(({ begin }) => begin()));
    const workers = ran.filter((names) => names.length > 0);
    assert.deepEqual(workers, [MIGRATIONS.map(({ name }) => name)]);
  });
});

/** A process that is about to migrate. `begin` lets it, and answers with the names of what it ran. */
async function readyProcess(t: TestContext, { databaseUrl, dataDir }: DatabasePlace) {
  const script = join(import.meta.dirname, "..", "support", "processes", "migrate-child.ts");
  const order: MigrateOrder = { databaseUrl, dataDir };
  const child = spawn(process.execPath, [script, JSON.stringify(order)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  closeAfter(t, () => child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, "exit");
  assert.deepEqual(await once(lines, "line"), ["ready"]);
  return {
    async begin(): Promise<readonly string[]> {
      const answer = once(lines, "line");
      child.stdin.write("go");
      const [code] = await ended;
      assert.equal(code, 0);
      const [line] = await answer;
      return JSON.parse(String(line)) as readonly string[];
    },
  };
}
