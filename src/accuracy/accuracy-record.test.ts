import assert from "node:assert/strict";
import { test } from "node:test";
import { USDC, WSOL } from "#src/units/known-addresses.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import { AccuracyRecord } from "./accuracy-record.ts";
import type { JudgedSwap } from "./judged-swap.ts";

const NOW = 1_790_000_000_000;
const SOL = 1_000_000_000n;

type Trade = {
  readonly pool: number;
  readonly signer: number | null;
  readonly isExact: boolean;
  readonly executed?: bigint;
};

function swapOf({ pool, signer, isExact, executed = SOL }: Trade): JudgedSwap {
  return {
    atMs: NOW,
    venue: "pumpswap",
    pool: testAddress(pool),
    slot: 1n,
    signature: "s",
    signer: signer === null ? null : testAddress(signer),
    outcome: {
      kind: "replayed",
      inputMint: testAddress(99),
      outputMint: WSOL,
      amountIn: 1_000_000n,
      executed,
      modelled: isExact ? executed : executed + 1n,
    },
  };
}

function recordOf(...trades: readonly Trade[]): AccuracyRecord {
  const record = new AccuracyRecord();
  for (let swap = 0; swap < 500; swap++) {
    record.tallies.count(swapOf({ pool: 50 + (swap % 20), signer: 80, isExact: true }));
  }
  for (const trade of trades) record.tallies.count(swapOf(trade));
  return record;
}

/** One bad swap of each pool and signer, so often. */
function failures(count: number, pools: number, signers: number): readonly Trade[] {
  return Array.from({ length: count }, (_, index) => ({
    pool: 1 + (index % pools),
    signer: 20 + (index % signers),
    isExact: false,
  }));
}

test("a thousand inexact swaps through one pool by many wallets lower no confidence, and are shown", (t) => {
  const record = recordOf(...failures(1000, 1, 200));
  assert.equal(record.exactPctByVenue(NOW).get("pumpswap"), undefined);
  const { exactPct, lowersConfidence, windows } = record.venue("pumpswap", NOW);
  t.diagnostic(`exact ${exactPct} %, lowers confidence: ${lowersConfidence}`);
  assert.equal(lowersConfidence, false);
  assert.ok(exactPct !== null && exactPct < 34);
  assert.equal(windows.hour.failures?.swaps, 1000);
  assert.equal(windows.hour.failures?.pools.length, 1);
  assert.equal(windows.hour.failures?.signers.length, 32);
});

test("a thousand inexact swaps through many pools by four wallets lower no confidence", () => {
  const record = recordOf(...failures(1000, 20, 4));
  assert.equal(record.venue("pumpswap", NOW).lowersConfidence, false);
  assert.equal(record.exactPctByVenue(NOW).has("pumpswap"), false);
});

test("failures from five pools and five signers lower confidence, and the crossing is reported once", () => {
  const record = recordOf(...failures(1000, 5, 5));
  const crossings: boolean[] = [];
  record.onLine((_venue, { isBelow }) => crossings.push(isBelow));
  const exactPct = record.check(NOW).get("pumpswap");
  record.check(NOW);
  assert.ok(exactPct !== undefined && exactPct < 99);
  assert.deepEqual(crossings, [true]);
  assert.equal(record.venue("pumpswap", NOW).lowersConfidence, true);
});

test("dust counts among the swaps and lowers no confidence", () => {
  const dust = failures(1000, 20, 20).map((trade) => ({ ...trade, executed: 9_999_999n }));
  const record = recordOf(...dust);
  const { windows, lowersConfidence } = record.venue("pumpswap", NOW);
  assert.equal(windows.hour.replayed, 1500);
  assert.equal(windows.hour.exact, 500);
  assert.equal(windows.hour.failures, undefined);
  assert.equal(lowersConfidence, false);
});

test("a failure without a known signer counts its pool as one", () => {
  const unsigned = failures(1000, 5, 1).map((trade) => ({ ...trade, signer: null }));
  assert.equal(recordOf(...unsigned).venue("pumpswap", NOW).lowersConfidence, true);
});

test("where stables are traded dust is below one unit of them, elsewhere below a thousand units", () => {
  const failing = (inputMint: typeof USDC, executed: bigint, amountIn: bigint) => {
    const trades = failures(1000, 5, 5).map((trade) => {
      const swap = swapOf(trade);
      if (swap.outcome.kind !== "replayed") throw new Error("not replayed");
      const outcome = {
        ...swap.outcome,
        inputMint,
        outputMint: testAddress(98),
        amountIn,
        executed,
      };
      return { ...swap, outcome: { ...outcome, modelled: executed + 1n } };
    });
    const record = new AccuracyRecord();
    for (const swap of trades) record.tallies.count(swap);
    return record.venue("pumpswap", NOW).lowersConfidence;
  };
  assert.equal(failing(USDC, 5_000n, 999_999n), false);
  assert.equal(failing(USDC, 5_000n, 1_000_000n), true);
  assert.equal(failing(testAddress(97), 999n, 1_000_000n), false);
  assert.equal(failing(testAddress(97), 1_000n, 1_000_000n), true);
});
