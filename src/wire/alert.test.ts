import assert from "node:assert/strict";
import { test } from "node:test";
import { alertItem, alertText, type ShownAlert, tokenLabel } from "./alert.ts";

const ALERT: ShownAlert = {
  id: 1n,
  entryId: 2n,
  mint: "So11111111111111111111111111111111111111112",
  tokenName: "Name",
  tokenSymbol: "SYM",
  sizeLamports: 1_500_000_000n,
  kind: "slippage",
  cause: "sold",
  share: 0.824,
  slot: 7n,
  slippagePct: { before: 4, after: 12.34 },
  c10Sol: { before: 1_234.5, after: 0.0123 },
  depthSol: { before: 300, after: 20 },
  sinceMs: Date.UTC(2026, 10, 20, 12),
  createdAtMs: 0,
  grade: null,
};

test("an alert says size, slippage, capacity, depth, cause with its share, and since when, in both languages", () => {
  assert.equal(
    alertText(ALERT, "en"),
    "SYM: a position of 1.5 SOL sells at 12.3 % slippage, 4.0 % before. " +
      "What sells within 10 % went from 1235 to 0.0123 SOL. " +
      "The pools' depth went from 300 to 20 SOL. " +
      "82 % of the fall is sells in slot 7. Since 2026-11-20 12:00:00 UTC.",
  );
  assert.equal(
    alertText(ALERT, "es"),
    "SYM: una posición de 1,5 SOL se vende con un deslizamiento del 12,3 %, antes 4,0 %. " +
      "Lo que se vende dentro del 10 % pasó de 1235 a 0,0123 SOL. " +
      "La profundidad de los pools pasó de 300 a 20 SOL. " +
      "El 82 % de la caída es ventas en el slot 7. Desde las 2026-11-20 12:00:00 UTC.",
  );
});

test("what is not known is left out of the text, and null in the item", () => {
  const nothing = { before: null, after: null };
  const alert = { ...ALERT, slippagePct: nothing, c10Sol: nothing, depthSol: nothing };
  const unknown = { ...alert, cause: "unknown", share: null, kind: "deterioration" } as const;
  assert.equal(
    alertText(unknown, "en"),
    "SYM: a position of 1.5 SOL: its exit is deteriorating fast. " +
      "The cause is not known (slot 7). Since 2026-11-20 12:00:00 UTC.",
  );
  const item = alertItem(unknown, "en");
  assert.deepEqual(
    [item.cause, item.share_pct, item.slippage_after_pct, item.c10_before_sol],
    ["unknown", null, null, null],
  );
});

test("every cause has its word and its text in both languages", () => {
  for (const [cause, word] of [
    ["withdrawn", "liquidity-withdrawn"],
    ["sold", "sells"],
    ["fees", "fees-raised"],
    ["paused", "trading-paused"],
  ] as const) {
    assert.equal(alertItem({ ...ALERT, cause }, "en").cause, word);
    for (const language of ["en", "es"] as const)
      assert.match(alertText({ ...ALERT, cause }, language), /82 % (?:of|de)/);
  }
});

test("a token is called by its symbol, its name or its address, on one line with nothing hidden", () => {
  const label = (tokenSymbol: string | null, tokenName: string | null) =>
    tokenLabel({ ...ALERT, tokenSymbol, tokenName });
  assert.equal(label("SYM", "Name"), "SYM");
  assert.equal(label(" \u200b\n", "Na\u202eme\r\nX"), "NameX");
  assert.equal(label(null, null), "So11…1112");
  assert.equal(label("x".repeat(500), null).length, 32);
});
