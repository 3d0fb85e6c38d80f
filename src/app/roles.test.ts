import assert from "node:assert/strict";
import { test } from "node:test";
import { ROLES } from "./config.ts";
import { type ProcessPart, runs, sharedUrls } from "./roles.ts";

const PARTS: readonly ProcessPart[] = ["api", "tracker", "alerts"];

test("the role all runs every part, and each other role the part of its name", () => {
  const parts = ROLES.map((role) => [role, PARTS.filter((part) => runs(role, part))]);
  assert.deepEqual(parts, [
    ["all", PARTS],
    ["api", ["api"]],
    ["tracker", ["tracker"]],
    ["alerts", ["alerts"]],
  ]);
});

test("a process shares the service only with a database server and Redis", () => {
  const databaseUrl = "postgres://127.0.0.1/exitability";
  const redisUrl = "redis://127.0.0.1";
  assert.equal(sharedUrls({ databaseUrl: null, redisUrl: null }), null);
  assert.equal(sharedUrls({ databaseUrl, redisUrl: null }), null);
  assert.deepEqual(sharedUrls({ databaseUrl, redisUrl }), { databaseUrl, redisUrl });
});
