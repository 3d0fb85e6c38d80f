import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { Worker } from "node:worker_threads";
import { pino } from "pino";
import { DEMO_TOKENS } from "#demo/tokens.ts";
import { readConfig } from "#src/app/config.ts";
import { startService } from "#src/app/main.ts";
import { closeAfter } from "#test/support/ending.ts";
import type { AskingPlan } from "#test/support/processes/asking-thread.ts";
import { temporaryDirectory } from "#test/support/temporary-directory.ts";

const ANSWERS = 20;
const LONGEST_WAIT_MS = 20_000;

function threadedConfig(t: TestContext, environment: Readonly<Record<string, string>> = {}) {
  return readConfig({
    ...{ API_THREAD: "on", DATA_DIR: temporaryDirectory(t) },
    ...{ PORT: "0", TRUST_PROXY: "1", LOG_LEVEL: "silent" },
    ...environment,
  });
}

const quiet = pino({ level: "silent" });

test("requests are answered while the thread that follows the chain is blocked", async (t) => {
  const service = await startService(threadedConfig(t), quiet);
  closeAfter(t, () => service.close());
  const url = `${service.url}/api/token/${DEMO_TOKENS[0]?.mint}/exitability`;
  assert.equal((await fetch(url)).status, 200);
  const answered = new Int32Array(new SharedArrayBuffer(4));
  const plan: AskingPlan = { url, answered };
  const asking = new Worker("./test/support/processes/asking-thread.ts", { workerData: plan });
  try {
    await once(asking, "online");
    // From here on this thread, which follows the chain, does nothing but wait.
    for (let count = 0; count < ANSWERS; count = Atomics.load(answered, 0)) {
      const outcome = Atomics.wait(answered, 0, count, LONGEST_WAIT_MS);
      assert.notEqual(outcome, "timed-out", `${count} answers came while this thread was blocked`);
    }
  } finally {
    await asking.terminate();
  }
});

test("a port that is taken ends the start with the reason, and closes what was opened", async (t) => {
  const taken = createServer().listen(0, "127.0.0.1");
  closeAfter(t, () => taken.close());
  await once(taken, "listening");
  const address = taken.address();
  const port = typeof address === "object" && address !== null ? String(address.port) : "";
  const config = threadedConfig(t, { PORT: port });
  await assert.rejects(startService(config, quiet), { code: "EADDRINUSE" });
  const service = await startService({ ...config, port: 0 }, quiet);
  await service.close();
});

test("the operator's metrics have the requests of the API's thread", async (t) => {
  const service = await startService(threadedConfig(t, { METRICS_PORT: "0" }), quiet);
  closeAfter(t, () => service.close());
  await (await fetch(`${service.url}/readyz`)).text();
  const scrape = await (await fetch(String(service.metricsUrl))).text();
  assert.match(scrape, /^exitability_http_requests_total\{method="GET",route="\/readyz",.*\} 1$/m);
  assert.match(scrape, /^# TYPE exitability_api_event_loop_delay_p99_seconds gauge$/m);
  assert.match(scrape, /^exitability_tracked_tokens \d+$/m);
  assert.match(scrape, /^exitability_alert_outbox_messages 0$/m);
});
