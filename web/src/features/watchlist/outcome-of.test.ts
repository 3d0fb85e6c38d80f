import assert from "node:assert/strict";
import { test } from "node:test";
import { outcomeOf } from "./outcome-of.ts";

test("a position without exit is not an unknown one", () => {
  const of = (
    state: "ok" | "bloqueado_dato" | "bloqueado_tamano_amm" | "not_found",
    slippage_pct: number | null,
  ) => outcomeOf({ size_sol: 20, exitability: { slippage_pct, state } });
  assert.deepEqual(of("ok", 10), { kind: "sold", paidSol: 18, slippagePct: 10 });
  assert.deepEqual(of("ok", null), { kind: "no-exit" });
  assert.deepEqual(of("bloqueado_tamano_amm", null), { kind: "not-measured" });
  assert.deepEqual(of("not_found", null), { kind: "no-pool" });
  assert.deepEqual(of("bloqueado_dato", null), { kind: "unknown" });
});
