import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "./app-error.ts";
import { failureReporter } from "./failure-reporter.ts";

function recordedLog() {
  const lines: string[] = [];
  const at = (level: string) => (fields: object, text?: string) => {
    const count = "failures" in fields ? ` (${String(fields.failures)})` : "";
    lines.push(`${level}: ${text ?? ""}${count}`);
  };
  return { lines, log: { info: at("info"), warn: at("warn"), error: at("error") } };
}

test("each kind of failure is logged once, and its end once none came for a while", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { lines, log } = recordedLog();
  const report = failureReporter(log);
  for (let time = 0; time < 3; time++) {
    report("read accounts", new Error("away"));
    report("search pools", new Error("away"));
    t.mock.timers.tick(1_000);
  }
  assert.deepEqual(lines, [
    "warn: failed to read accounts; it will be retried",
    "warn: failed to search pools; it will be retried",
  ]);
  t.mock.timers.tick(30_000);
  assert.deepEqual(lines.slice(2), [
    "info: recovered: read accounts (3)",
    "info: recovered: search pools (3)",
  ]);
  report("read accounts", new Error("away"));
  assert.equal(lines.length, 5);
});

test("an outage that its source logs is not logged again", () => {
  const { lines, log } = recordedLog();
  const cause = new AppError("chain_unavailable", {
    publicMessage: "Try again.",
    isLoggedAtSource: true,
  });
  failureReporter(log)("read accounts", cause);
  assert.deepEqual(lines, []);
});
