import assert from "node:assert/strict";
import { test } from "node:test";
import { isPaused } from "./is-paused.ts";

const historyUntil = (c10_sol: number | null, depth_sol: number | null) => ({
  points: [
    { c10_sol: 9, depth_sol: 88 },
    { c10_sol, depth_sol },
  ],
});

const answer = { state: "bloqueado_dato" } as const;
const facts = undefined;

test("pools that are all closed are distinguished from missing data", () => {
  assert.ok(isPaused({ answer, facts, history: historyUntil(0, null) }));
  assert.ok(!isPaused({ answer, facts, history: historyUntil(null, null) }));
  assert.ok(!isPaused({ answer, facts, history: undefined }));
});

test("a token that can be sold, or has no exit, is not paused", () => {
  assert.ok(!isPaused({ answer: { state: "ok" }, facts, history: historyUntil(0, null) }));
  assert.ok(!isPaused({ answer, facts, history: historyUntil(0, 0) }));
});

test("a token whose transfers are paused is paused, whatever its pools are", () => {
  const nobody = { status: "none", address: null } as const;
  const pausable = { status: "set", is_paused: true, authority: nobody } as const;
  assert.ok(isPaused({ answer, facts: { pausable }, history: undefined }));
});
