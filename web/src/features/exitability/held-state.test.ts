import assert from "node:assert/strict";
import { test } from "node:test";
import { heldState, knownAtMs } from "./held-state.ts";

const at = (seconds: number) => ({ updated_at: new Date(seconds * 1_000).toISOString() });
const answer = (seconds: number, depth_sol = 120) => ({
  ...at(seconds),
  token_id: "M",
  state: "ok" as const,
  depth_sol,
  precio_mid: 0.000005,
  slippage: { all: { "1": 1.2 } } as never,
});

test("a quiet token's sale is as new as the last answer that repeats its state", () => {
  const held = heldState(heldState(null, answer(10)), answer(45));
  assert.equal(knownAtMs(at(10), held), 45_000);
  assert.equal(knownAtMs(at(30), held), 45_000);
  assert.equal(knownAtMs(at(50), held), 50_000);
});

test("an answer of another state does not make the sale newer", () => {
  const held = heldState(heldState(null, answer(10)), answer(45, 80));
  assert.equal(knownAtMs(at(10), held), 10_000);
  assert.equal(knownAtMs(at(45), held), 45_000);
});

test("an older answer that repeats the state changes nothing, and without an answer the sale's own time counts", () => {
  const held = heldState(null, answer(45));
  assert.equal(heldState(held, answer(10)), held);
  assert.equal(knownAtMs(at(10), null), 10_000);
});
