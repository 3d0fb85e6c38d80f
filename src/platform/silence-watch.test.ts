import assert from "node:assert/strict";
import { test } from "node:test";
import { SilenceWatch } from "./silence-watch.ts";

function watched(t: Parameters<NonNullable<Parameters<typeof test>[0]>>[0]) {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const state = { nowMs: 0, aliveAtMs: 0, silences: 0 };
  const watch = new SilenceWatch({
    silentAfterMs: 10_000,
    aliveAtMs: () => state.aliveAtMs,
    onSilent: () => void state.silences++,
    clock: { nowMs: () => state.nowMs },
  });
  watch.start();
  const pass = (seconds: number): void => {
    for (let passed = 0; passed < seconds; passed++) {
      state.nowMs += 1_000;
      t.mock.timers.tick(1_000);
    }
  };
  return { state, watch, pass };
}

test("silence is reported after its time, at every check while it lasts", (t) => {
  const { state, watch, pass } = watched(t);
  pass(10);
  assert.equal(state.silences, 0);
  pass(1);
  assert.equal(state.silences, 1);
  state.aliveAtMs = state.nowMs;
  pass(10);
  assert.equal(state.silences, 1);
  watch.stop();
  pass(60);
  assert.equal(state.silences, 1);
});

test("a blocked process does not count as a silent connection", (t) => {
  const { state, pass } = watched(t);
  pass(5);
  state.nowMs += 60_000;
  pass(1);
  assert.equal(state.silences, 0, "what arrived meanwhile was not handled yet");
  pass(1);
  assert.equal(state.silences, 1, "nothing had arrived");
});

test("a process that is blocked before every check reports the silence after some checks", (t) => {
  const { state, pass } = watched(t);
  for (let block = 0; block < 3; block++) {
    state.nowMs += 5_000;
    pass(1);
  }
  assert.equal(state.silences, 0);
  state.nowMs += 5_000;
  pass(1);
  assert.equal(state.silences, 1);
});
