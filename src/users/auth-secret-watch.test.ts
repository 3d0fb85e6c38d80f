import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import type { FailureLogger } from "#src/platform/failure-log.ts";
import type { Store } from "#src/store/schema.ts";
import { eachDatabase } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { AuthSecretWatch } from "./auth-secret-watch.ts";

const SECRET = "the secret of most processes, long enough";
const OTHER = "the secret of one process, and long enough";
const MINUTE_MS = 60_000;

/** Processes on one database, whose clock the test moves. */
function processesOn(t: TestContext, store: Store) {
  const time = { nowMs: 1_790_000_000_000 };
  const startProcess = async (authSecret: string) => {
    const lines: string[] = [];
    const add = (level: string) => (text: unknown) => void lines.push(`${level}: ${text}`);
    const log = { info: add("info"), warn: add("warn"), error: add("error") } as FailureLogger;
    const clock = { nowMs: () => time.nowMs };
    const watch = new AuthSecretWatch({
      ...{ store, authSecret, clock, log },
      processId: randomUUID(),
    });
    await watch.start();
    closeAfter(t, () => watch.close());
    return { watch, lines };
  };
  return { time, startProcess };
}

test("a process with another secret is detected at its start, by the others within a minute, and once", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const { time, startProcess } = processesOn(t, store);
    const first = await startProcess(SECRET);
    const second = await startProcess(SECRET);
    assert.deepEqual([first.lines, second.lines], [[], []]);
    const odd = await startProcess(OTHER);
    assert.equal(odd.watch.isSame, false);
    assert.match(odd.lines.join("\n"), /^error: AUTH_SECRET differs from that of another process/);
    time.nowMs += MINUTE_MS;
    for (const { watch } of [first, second, odd, first, second, odd]) await watch.check();
    for (const { watch, lines } of [first, second, odd]) {
      assert.equal(watch.isSame, false);
      assert.equal(lines.length, 1);
    }
    await odd.watch.close();
    await first.watch.check();
    assert.equal(first.watch.isSame, true);
    assert.match(first.lines.at(-1) ?? "", /^info: all processes .* have the same AUTH_SECRET/);
  });
});

test("stopping one of two processes with the same secret neither hides nor invents a difference", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const { startProcess } = processesOn(t, store);
    const [stopped, running] = [await startProcess(SECRET), await startProcess(SECRET)];
    const odd = await startProcess(OTHER);
    await stopped.watch.close();
    await odd.watch.check();
    assert.equal(odd.watch.isSame, false);
    await odd.watch.close();
    await running.watch.check();
    assert.equal(running.watch.isSame, true);
    assert.deepEqual(running.lines, []);
  });
});

test("a secret may change while all processes are stopped", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const { startProcess } = processesOn(t, store);
    const before = [await startProcess(SECRET), await startProcess(SECRET)];
    for (const { watch } of before) await watch.close();
    const after = await startProcess(OTHER);
    assert.equal(after.watch.isSame, true);
    assert.deepEqual(after.lines, []);
  });
});

test("a process that was killed counts for three minutes", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const { time, startProcess } = processesOn(t, store);
    await startProcess(SECRET);
    const { watch } = await startProcess(OTHER);
    assert.equal(watch.isSame, false);
    time.nowMs += 3 * MINUTE_MS + 1;
    await watch.check();
    assert.equal(watch.isSame, true);
  });
});

test("the database has no secret, only a keyed hash", async (t) => {
  await eachDatabase(t, async (t, store) => {
    await processesOn(t, store).startProcess(SECRET);
    const rows = await store.db.selectFrom("auth_secrets").selectAll().execute();
    assert.equal(rows.length, 1);
    assert.doesNotMatch(String(rows[0]?.fingerprint), /secret|process/);
  });
});
