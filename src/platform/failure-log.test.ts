import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "./app-error.ts";
import { FailureLog, isOwnBug, reasonOf } from "./failure-log.ts";

function recordedLog() {
  const lines: { level: string; fields: Record<string, unknown>; text: string }[] = [];
  const at = (level: string) => (fields: object, text?: string) => {
    lines.push({ level, fields: { ...fields }, text: text ?? "" });
  };
  return { lines, log: { info: at("info"), warn: at("warn"), error: at("error") } };
}

test("a failure that repeats is logged once, counted, and its end is logged with the count", () => {
  const { lines, log } = recordedLog();
  const failures = new FailureLog({
    log,
    what: "poll the outbox",
    next: "retrying every 250 ms",
    context: { table: "outbox" },
  });
  failures.succeeded();
  for (let time = 0; time < 3; time++) failures.failed(new Error("database is locked"));
  assert.equal(failures.failures, 3);
  failures.succeeded();
  failures.succeeded();
  assert.deepEqual(lines, [
    {
      level: "warn",
      fields: { table: "outbox", reason: "database is locked" },
      text: "failed to poll the outbox; retrying every 250 ms",
    },
    {
      level: "info",
      fields: { table: "outbox", failures: 3, seconds: 0 },
      text: "recovered: poll the outbox",
    },
  ]);
  failures.failed(new Error("again"));
  assert.equal(lines.length, 3);
});

test("a success soon after a failure does not end an outage that has to be quiet first", (t) => {
  let nowMs = 0;
  t.mock.method(performance, "now", () => nowMs);
  const { lines, log } = recordedLog();
  const failures = new FailureLog({ log, what: "read", next: "retrying", endsAfterMs: 5_000 });
  failures.failed(new Error("away"));
  nowMs = 4_999;
  failures.succeeded();
  failures.failed(new Error("away"));
  nowMs += 5_000;
  failures.succeeded();
  assert.deepEqual(
    lines.map(({ text, fields }) => [text, fields["failures"], fields["seconds"]]),
    [
      ["failed to read; retrying", undefined, undefined],
      ["recovered: read", 2, 10],
    ],
  );
});

test("a mistake of our own is logged with its stack, even between other failures, once for each message", () => {
  const { lines, log } = recordedLog();
  const failures = new FailureLog({ log, what: "grade alerts", next: "retrying" });
  failures.failed(new Error("away"));
  const bug = new TypeError("x is not a function");
  failures.failed(bug);
  failures.failed(bug);
  assert.deepEqual(
    lines.map(({ level, fields }) => [level, fields["err"]]),
    [
      ["warn", undefined],
      ["error", bug],
    ],
  );
});

test("an outage that its source logs is counted, and neither it nor its end is logged again", () => {
  const { lines, log } = recordedLog();
  const failures = new FailureLog({ log, what: "grade alerts", next: "retrying" });
  failures.failed(new AppError("overloaded", { publicMessage: "Later.", isLoggedAtSource: true }));
  assert.equal(failures.failures, 1);
  failures.succeeded();
  assert.deepEqual(lines, []);
  failures.failed(new AppError("overloaded", { publicMessage: "Later." }));
  failures.succeeded();
  assert.deepEqual(
    lines.map(({ text }) => text),
    ["failed to grade alerts; retrying", "recovered: grade alerts"],
  );
});

test("a reason is one line, with the messages of its causes", () => {
  const cause = new Error("the node can't be reached", {
    cause: new Error("connect\n ECONNREFUSED"),
  });
  assert.equal(reasonOf(cause), "the node can't be reached: connect ECONNREFUSED");
  assert.equal(reasonOf("text"), "text");
  const addresses = ["::1", "127.0.0.1"].map((host) => new Error(`connect ECONNREFUSED ${host}:1`));
  assert.equal(reasonOf(new AggregateError(addresses)), "connect ECONNREFUSED ::1:1");
});

test("a TypeError of the network is not a bug of ours", () => {
  assert.equal(isOwnBug(new TypeError("fetch failed")), false);
  assert.equal(isOwnBug(new TypeError("undefined is not iterable")), true);
  assert.equal(isOwnBug(new Error("away")), false);
});
