import assert from "node:assert/strict";
import { test } from "node:test";
import { address } from "#src/units/address.ts";
import { QuotedExecuted, type ServedQuote, shortfallBps } from "./quoted-executed.ts";

const MINT = address("5PHFdQdv1v5Q455T5TrJVokAmcdnUEfKPVwdGtitpump");
const START_MS = Date.UTC(2026, 10, 21, 12);

const ANSWER: ServedQuote = {
  mint: MINT,
  atMs: START_MS,
  slot: 1_000n,
  solPerBaseUnit: 1e-6,
  ladder: [
    [0.5, 1],
    [1, 1.5],
    [2, 2.5],
    [5, 5.5],
  ],
};

function sale(worthSol: number, lostPct: number, afterSeconds = 5) {
  const paidSol = worthSol * (1 - lostPct / 100);
  const atMs = START_MS + 1_000 * afterSeconds;
  return { mint: MINT, atMs, slot: 1_001n, baseUnits: worthSol * 1e6, paidSol };
}

test("a sale with exactly the quoted slippage has no shortfall, at any size in between", () => {
  for (const [worth, lost] of [
    [0.25, 0.75],
    [0.5, 1],
    [1.5, 2],
    [5, 5.5],
  ] as const)
    assert.ok(Math.abs(shortfallBps(ANSWER, sale(worth, lost)) ?? 99) < 1e-6, `${worth} SOL`);
});

test("a loss beyond the quoted slippage is the shortfall, and a gain is negative", () => {
  assert.equal(Math.round(shortfallBps(ANSWER, sale(1, 2)) ?? 0), 50);
  assert.equal(Math.round(shortfallBps(ANSWER, sale(1, 1)) ?? 0), -50);
});

test("a sale too small, or beyond what could be sold, is not compared", () => {
  for (const worth of [0.1, 6, 60]) assert.equal(shortfallBps(ANSWER, sale(worth, 3)), null);
});

test("each sale is compared with the answers of the last ten seconds, minute and ten minutes", () => {
  const quoted = new QuotedExecuted();
  quoted.serve(ANSWER);
  quoted.execute(sale(1, 2, 5));
  quoted.execute(sale(1, 2, 30));
  quoted.execute(sale(1, 2, 300));
  quoted.execute(sale(1, 2, 900));
  quoted.execute(sale(1, 2, -5));
  const compared = ([10, 60, 600] as const).map((age) => quoted.window(age, START_MS, 24).compared);
  assert.deepEqual(compared, [1, 2, 3]);
  const { p50Bps } = quoted.window(10, START_MS, 24);
  assert.ok(p50Bps !== null && Math.abs(p50Bps - 50) < 5);
});

test("a sale is not compared with an answer of its own slot or a later one, which is of the state after it", () => {
  const quoted = new QuotedExecuted();
  const { slot } = sale(1, 2);
  for (const offset of [-1n, 0n, 1n]) quoted.serve({ ...ANSWER, slot: slot + offset });
  quoted.execute(sale(1, 2));
  assert.equal(quoted.window(10, START_MS, 24).compared, 1);
});

test("without a sale the result is unknown, not zero; and hours are restored as they were taken", () => {
  const quoted = new QuotedExecuted();
  const none = { compared: 0, p10Bps: null, p50Bps: null, p90Bps: null, p99Bps: null };
  assert.deepEqual(quoted.window(10, START_MS, 24), none);
  quoted.serve(ANSWER);
  quoted.execute(sale(1, 2));
  const other = new QuotedExecuted();
  other.replace(quoted.takeChanged(START_MS));
  assert.deepEqual(quoted.takeChanged(START_MS), []);
  for (const age of [10, 60, 600] as const)
    assert.deepEqual(other.window(age, START_MS, 24), quoted.window(age, START_MS, 24));
  assert.deepEqual(other.window(10, START_MS + 25 * 3_600_000, 24), none);
});
