import assert from "node:assert/strict";
import { test } from "node:test";
import { readinessAnswer, readinessOf } from "./health.ts";

const OK = { database: "ok", redis: null, authSecret: null } as const;
const FAILING = { database: "failing", redis: null, authSecret: null } as const;

test("a process is ready where the database answers and the chain is known to be young", () => {
  const isReady = (chainAgeMs: number | null) =>
    readinessOf(OK, { chainAgeMs, slotLag: null, stream: null, refusals: [] }).isReady;
  assert.equal(isReady(400), true);
  assert.equal(isReady(119_999), true);
  assert.equal(isReady(120_000), false);
  assert.equal(isReady(null), false, "unknown is not young");
  assert.equal(
    readinessOf(FAILING, { chainAgeMs: 400, slotLag: 0, stream: null, refusals: [] }).isReady,
    false,
  );
});

test("a process that answers from no chain needs the database alone", () => {
  assert.deepEqual(readinessOf(OK, null), {
    isReady: true,
    database: "ok",
    redis: null,
    authSecret: null,
    chainAgeSeconds: null,
    slotLag: null,
    stream: null,
    refusals: [],
  });
  assert.equal(readinessOf(FAILING, null).isReady, false);
});

test("another AUTH_SECRET in another process is in the body, and no reason to send requests elsewhere", async () => {
  const readiness = async () => readinessOf({ ...OK, authSecret: "differs" }, null);
  const { status, body } = await readinessAnswer({ readiness, admission: { isStopping: false } });
  assert.equal(status, 200);
  assert.equal(Object(body).auth_secret, "differs");
});

test("readiness says which stream is in use instead of the configured one, why and since when", () => {
  const sinceMs = Date.UTC(2026, 10, 23, 3, 0, 0, 7);
  const reason = "No valid auth token";
  const stream = { configured: "grpc", inUse: "websocket", reason, sinceMs } as const;
  const health = { chainAgeMs: 400, slotLag: 0, stream, refusals: [] };
  const { isReady, stream: told } = readinessOf(OK, health);
  assert.equal(isReady, true);
  assert.deepEqual(told, {
    configured: "grpc",
    in_use: "websocket",
    reason,
    since: "2026-11-23T03:00:00.007Z",
  });
});

test("readiness and its body name what the node refuses, by method and venue", async () => {
  const refusals = [
    { method: "getProgramAccounts", venue: "raydium-amm-v4", reason: "excluded" },
    { method: "getTokenLargestAccounts", venue: null, reason: "HTTP 403" },
  ] as const;
  const health = { chainAgeMs: 400, slotLag: 0, stream: null, refusals };
  const readiness = async () => readinessOf(OK, health);
  const { status, body } = await readinessAnswer({ readiness, admission: { isStopping: false } });
  assert.equal(status, 200);
  assert.deepEqual(Object(body).refusals, [
    { method: "getProgramAccounts", program: "raydium-amm-v4", reason: "excluded" },
    { method: "getTokenLargestAccounts", program: null, reason: "HTTP 403" },
  ]);
});
