import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExitAt } from "#client/openapi.ts";
import { isOlder, shownExit } from "./shown-exit.ts";

const at = (seconds: number) => ({ updated_at: new Date(seconds * 1_000).toISOString() });
const SOLD = { ...at(10), state: "ok", reason: null, net_sol: 0.979, slippage_pct: 2.1 } as ExitAt;

test("a sale is withheld once an answer that is not older is blocked", () => {
  for (const seconds of [10, 11]) {
    const shown = shownExit(SOLD, { ...at(seconds), state: "bloqueado_dato" });
    assert.equal(shown?.state, "bloqueado_dato");
    assert.deepEqual(
      [shown?.net_sol, shown?.slippage_pct, shown?.capacity_sol],
      [null, null, null],
    );
    assert.equal(shown?.updated_at, at(seconds).updated_at);
  }
});

test("a sale that was read after a blocked answer is shown, and so is one beside an answer that is not blocked", () => {
  assert.equal(shownExit(SOLD, { ...at(9), state: "bloqueado_dato" }), SOLD);
  assert.equal(shownExit(SOLD, { ...at(11), state: "ok" }), SOLD);
  assert.equal(shownExit(SOLD, undefined), SOLD);
  assert.equal(shownExit(undefined, { ...at(11), state: "bloqueado_dato" }), undefined);
});

test("a blocked sale keeps its own reason", () => {
  const blocked = { ...SOLD, state: "bloqueado_dato", reason: "size-not-allowed" } as ExitAt;
  assert.equal(shownExit(blocked, { ...at(11), state: "bloqueado_dato" }), blocked);
});

test("a sale is older than an answer of a later state, not than one of the same", () => {
  assert.equal(isOlder(at(10), at(11)), true);
  assert.equal(isOlder(at(10), at(10)), false);
});
