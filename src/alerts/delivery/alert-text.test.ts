import assert from "node:assert/strict";
import { test } from "node:test";
import type { UserAlert } from "#src/store/user-alerts.ts";
import { newUserId } from "#src/store/user-id.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { alertItem } from "./alert-item.ts";
import { alertText, tokenLabel } from "./alert-text.ts";
import { cutText } from "./untrusted-text.ts";

const ALERT: UserAlert = {
  id: 1n,
  entryId: 2n,
  userId: newUserId(),
  mint: WSOL,
  tokenName: "Name",
  tokenSymbol: "SYM",
  sizeLamports: 1_500_000_000n,
  kind: "slippage",
  cause: "sold",
  share: 0.824,
  causes: { withdrawn: 0.176, sold: 0.824, fees: 0, paused: 0 },
  slot: 7n,
  slippagePct: { before: 4, after: 12.34 },
  c10Sol: { before: 1_234.5, after: 0.0123 },
  depthSol: { before: 300, after: 20 },
  position: null,
  sinceMs: Date.UTC(2026, 10, 20, 12),
  createdAtMs: 0,
  grade: null,
};

test("an alert says size, slippage, capacity, depth, cause with its share, and since when, in both languages", () => {
  assert.equal(
    alertText(ALERT, "en"),
    "“SYM” (So11…1112): a position of 1.5 SOL sells at 12.3 % slippage, 4.0 % before. " +
      "What sells within 10 % went from 1235 to 0.0123 SOL: 99 % of it is gone. " +
      "The pools' depth went from 300 to 20 SOL. " +
      "Explained share of that loss: sells 82 %, a liquidity withdrawal 18 % (slot 7). Since 2026-11-20 12:00:00 UTC.",
  );
  assert.equal(
    alertText(ALERT, "es"),
    "“SYM” (So11…1112): una posición de 1,5 SOL se vende con un deslizamiento del 12,3 %, antes 4,0 %. " +
      "Lo que se vende dentro del 10 % pasó de 1235 a 0,0123 SOL: se ha perdido el 99 %. " +
      "La profundidad de los pools pasó de 300 a 20 SOL. " +
      "Parte explicada de esa pérdida: ventas 82 %, una retirada de liquidez 18 % (slot 7). Desde las 2026-11-20 12:00:00 UTC.",
  );
});

test("a share is called the whole only where it is, and a capacity that hardly fell has none", () => {
  const causes = { withdrawn: 0.004, sold: 0.996, fees: 0, paused: 0 };
  const c10Sol = { before: 10, after: 9.95 };
  const text = alertText({ ...ALERT, share: 0.996, causes, c10Sol }, "en");
  assert.match(text, /went from 10 to 9\.95 SOL\./);
  assert.match(text, /that loss: sells 99 % \(slot 7\)/);
  const whole = { withdrawn: 0, sold: 1, fees: 0, paused: 0 };
  assert.match(alertText({ ...ALERT, share: 1, causes: whole }, "es"), /ventas 100 %/);
});

test("what is not known is left out of the text, and null in the item", () => {
  const nothing = { before: null, after: null };
  const alert = { ...ALERT, slippagePct: nothing, c10Sol: nothing, depthSol: nothing };
  const unknown = {
    ...alert,
    cause: "unknown",
    share: null,
    causes: null,
    kind: "deterioration",
  } as const;
  assert.equal(
    alertText(unknown, "en"),
    "“SYM” (So11…1112): a position of 1.5 SOL: its exit is deteriorating fast. " +
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
      assert.match(
        alertText({ ...ALERT, cause, causes: null }, language),
        /: [a-zé ]+ 82 % \(slot/,
      );
  }
});

test("a token is called by its symbol, its name or its address, on one line with nothing hidden", () => {
  const label = (tokenSymbol: string | null, tokenName: string | null) =>
    tokenLabel({ ...ALERT, tokenSymbol, tokenName });
  const address = "So11…1112";
  assert.equal(label("SYM", "Name"), `“SYM” (${address})`);
  assert.equal(label(" \u200b\n", "Na\u202eme\r\nX"), `“NameX” (${address})`);
  assert.equal(label(null, null), address);
  assert.equal(label("x".repeat(500), null), `“${"x".repeat(32)}” (${address})`);
});

test("S1: a symbol of emoji is cut between graphemes, and the text stays well-formed", () => {
  const alert = { ...ALERT, tokenSymbol: `A${"🚀".repeat(23)}` };
  assert.equal(tokenLabel(alert), `“A${"🚀".repeat(15)}” (So11…1112)`);
  assert.ok(alertText(alert, "es").isWellFormed());
  const family = "👨‍👩‍👧";
  assert.equal(cutText(`ab${family}`, 5), "ab");
  assert.ok(cutText("🚀", 1).isWellFormed());
  assert.ok(alertText({ ...ALERT, tokenSymbol: "\ud83d" }, "en").isWellFormed());
  assert.ok(alertItem({ ...ALERT, tokenName: "\ud83d" }, "en").token_name?.isWellFormed());
});

test("M3: a name forms no link, mention or command, has few marks, and is never blank", () => {
  const label = (tokenSymbol: string) => tokenLabel({ ...ALERT, tokenSymbol, tokenName: null });
  const named = (text: string) => `“${text}” (So11…1112)`;
  assert.equal(label("claim-sol.xyz/airdrop"), named("claim-sol[.]xyz[/]airdrop"));
  assert.equal(label("https://t.me/scam"), named("https[:][/][/]t[.]me[/]scam"));
  assert.equal(label("@bot #a"), named("[@]bot [#]a"));
  assert.equal(label("” sells fine “"), named("' sells fine '"));
  assert.equal(label(`x${"\u0301".repeat(23)}`), named("x\u0301\u0301"));
  for (const blank of ["\u3164", "\u2800", "\u034f", "\ufe0f", "\u0301", " "])
    assert.equal(label(blank), "So11…1112");
});
