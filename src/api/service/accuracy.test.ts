import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { JudgedSwapsQuery, PublishedSwap } from "#src/accuracy/judged-swap-reader.ts";
import { AppError } from "#src/platform/app-error.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { oneApp, refusal, type TestApp } from "#test/support/api/app.ts";
import { NO_ACCURACY } from "#test/support/markets/assessments.ts";

const SWAP = {
  atMs: Date.UTC(2026, 10, 20, 12),
  venue: "pumpswap",
  pool: WSOL,
  slot: 431_172_512n,
  signature: "5VERv8",
  deployedSlot: 431_172_301n,
} as const;

/** An app whose record has these swaps; `asked`: what it was asked for. */
async function telling(
  t: TestContext,
  swaps: readonly PublishedSwap[],
  suite: (
    get: (query: string) => ReturnType<TestApp["send"]>,
    asked: readonly JudgedSwapsQuery[],
  ) => Promise<void>,
): Promise<void> {
  const asked: JudgedSwapsQuery[] = [];
  const last = async (query: JudgedSwapsQuery) => {
    asked.push(query);
    return swaps;
  };
  const accuracy = { ...NO_ACCURACY, swaps: { last } };
  await oneApp(
    t,
    ({ send }) => suite((query) => send("GET", `/api/accuracy/swaps${query}`), asked),
    {
      accuracy,
    },
  );
}

test("a swap is listed with its output, the modelled output, and the code that ran", async (t) => {
  const amounts = { amountIn: 2n ** 64n - 1n, executed: 498_750_000n };
  const mints = { kind: "replayed", inputMint: WSOL, outputMint: WSOL } as const;
  const swaps: readonly PublishedSwap[] = [
    { ...SWAP, outcome: { ...mints, ...amounts, modelled: 498_700_000n }, differenceBps: 1.0025 },
    { ...SWAP, outcome: { ...mints, ...amounts, modelled: 498_750_000n }, differenceBps: 0 },
    { ...SWAP, outcome: { ...mints, ...amounts, modelled: null }, differenceBps: 10_000 },
    {
      ...SWAP,
      outcome: { kind: "skipped", reason: "exact-out" },
      deployedSlot: null,
      differenceBps: null,
    },
  ];
  await telling(t, swaps, async (get) => {
    const response = await get("");
    assert.equal(response.statusCode, 200);
    assert.equal(response.headers["cache-control"], "no-store");
    const [inexact, exact, refused, skipped] = response.json().swaps;
    assert.deepEqual(inexact, {
      program: "pumpswap",
      pool: WSOL,
      slot: 431_172_512,
      signature: "5VERv8",
      seen_at: "2026-11-20T12:00:00.000Z",
      deployed_slot: 431_172_301,
      outcome: "inexact",
      skipped_because: null,
      input_mint: WSOL,
      output_mint: WSOL,
      amount_in: "18446744073709551615",
      executed: "498750000",
      modelled: "498700000",
      difference: "-50000",
      difference_bps: 1.0025,
    });
    assert.deepEqual([exact.outcome, exact.difference, exact.difference_bps], ["exact", "0", 0]);
    assert.deepEqual(
      [refused.outcome, refused.modelled, refused.difference],
      ["refused", null, null],
    );
    const { outcome, skipped_because, deployed_slot, amount_in, executed, difference_bps } =
      skipped;
    assert.deepEqual([outcome, skipped_because], ["skipped", "exact-out"]);
    assert.deepEqual([deployed_slot, amount_in, executed, difference_bps], Array(4).fill(null));
  });
});

test("swaps are asked for by program and number; anything else is refused", async (t) => {
  await telling(t, [], async (get, asked) => {
    assert.deepEqual((await get("?program=orca-whirlpool&limit=200")).json(), { swaps: [] });
    await get("");
    assert.deepEqual(asked, [
      { program: "orca-whirlpool", limit: 200 },
      { program: null, limit: 50 },
    ]);
    for (const query of [
      "?limit=0",
      "?limit=201",
      "?limit=1e1",
      "?limit=",
      "?limit=1&limit=2",
      "?program=",
      "?program=uniswap",
      "?program=pumpswap&program=orca-whirlpool",
    ]) {
      const refused = await get(query);
      assert.equal(refused.statusCode, 400, query);
      assert.equal(refused.json().error, "invalid_body", query);
    }
    assert.equal(asked.length, 2);
  });
});

test("an unavailable record of another process is reported, as the reference documents", async (t) => {
  const report = () => {
    throw new AppError("chain_unavailable", { publicMessage: "The tracker can't be asked." });
  };
  await oneApp(
    t,
    async ({ send }) => {
      const refused = await send("GET", "/api/accuracy");
      assert.deepEqual(refusal(refused), [503, "chain_unavailable"]);
    },
    { accuracy: { ...NO_ACCURACY, report } },
  );
});
