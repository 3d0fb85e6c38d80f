import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { sqlitePlace } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { startTestService } from "#test/support/processes/service.ts";
import { subscribe } from "#test/support/processes/subscriber.ts";
import { pythonTools } from "./python.ts";

const CONFIGURATION = join(import.meta.dirname, "schemathesis.toml");
const FEWEST_REQUESTS = 1_000;
const OPTIONS = [
  "--phases=examples,coverage,fuzzing",
  "--max-examples=5",
  `--seed=${process.env.PROPERTY_SEED ?? 1}`,
  "--continue-on-failure",
  "--no-color",
];

test("schemathesis finds no answer that the document does not describe, and no failure", {
  timeout: 300_000,
}, async (t) => {
  const tools = pythonTools(t);
  if (tools === null) return;
  const place = sqlitePlace(t);
  const service = await startTestService(t, place, { ACCOUNTS_DIR: "" });
  const { accessToken } = await subscribe(service, place, "tester@example.com");
  const header = `--header=Authorization: Bearer ${accessToken}`;
  const document = `${service.url}/openapi.json`;
  const command = ["--config-file", CONFIGURATION, "run", document, header, ...OPTIONS];
  const child = spawn("schemathesis", command, { cwd: place.dataDir, env: { ...tools } });
  closeAfter(t, () => child.kill("SIGKILL"));
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  assert.equal(code, 0, `${output}${errors}`);
  const [, count] = /(\d+) generated/.exec(output) ?? [];
  assert.ok(Number(count) >= FEWEST_REQUESTS, `${count} requests`);
  t.diagnostic(`${count} requests`);
});
