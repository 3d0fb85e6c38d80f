import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { assertReplayed, sharedPath } from "#test/support/pools/executions.ts";
import { readRecordedAccounts } from "#test/support/pools/recorded-accounts.ts";
import { meteoraDlmm } from "./adapter.ts";
import { binPrice } from "./bin-price.ts";
import { feeIncluded } from "./fees.ts";

test("every recorded execution is replayed to the base unit, refusals included", (t) =>
  assertReplayed(t, "meteora-dlmm.jsonl.gz", { atLeast: 318 }));

const BIN_STEPS = [1, 2, 4, 5, 8, 10, 15, 16, 20, 25, 50, 80, 100, 125, 150, 200] as const;
const RECORDED_PAIRS = [
  ["EtAdVRLFH22rjWh3mcUasKFF27WtHhsaCvK27tPFFWig", "Df6yfrKC8kZE3KNkrHERKzAetSxbrWeniQfyJY4Jpump"],
  ["FJbEo74c2W4QLBBVUfUvi8VBWXtMdJVPuFpq2f6UV1iB", "FQuMNJ6UcrkA3xMLsmmLL8sk47RkZYod57mX3a8w1brg"],
  ["B5Eia4cE71tKuEDaqPHucJLG2fxySKyKzLMewd2nUvoc", "B4rGSdcBrmLEPUQXpZa91PMsRE3GqNcjLd6EMvM3yaj2"],
] as const;

test("the recorded mainnet pairs decode and pay SOL for their token", (t) => {
  const path = sharedPath(t, "mainnet");
  if (path === null) return;
  const accounts = readRecordedAccounts(path);
  const clock = { slot: 400_000_000n, unixTimestamp: 1_790_000_000n, epoch: 925n };
  for (const [pool, mint] of RECORDED_PAIRS) {
    const found = meteoraDlmm.decode(address(pool), accounts);
    assert.ok(found.kind === "pool", pool);
    const inputMint = address(mint);
    assert.ok(meteoraDlmm.spotPrice(found.state, inputMint), pool);
    assert.ok(meteoraDlmm.reachable(found.state, inputMint, 10_000) > 0n, pool);
    assert.equal([found.state.mintX, found.state.mintY].includes(WSOL), true);
    const quote = meteoraDlmm.quoteExactIn(found.state, { inputMint, amountIn: 50_000n, clock });
    assert.equal(quote.kind, "filled", pool);
  }
});

test("the pair with leftover order bytes of 2024 is called doubtful", (t) => {
  const path = sharedPath(t, "mainnet");
  if (path === null) return;
  const cautions = RECORDED_PAIRS.map(([pool]) => {
    const found = meteoraDlmm.decode(address(pool), readRecordedAccounts(path));
    return found.kind === "pool" ? meteoraDlmm.cautions(found.state) : null;
  });
  assert.deepEqual(cautions, [["doubtful-orders"], [], []]);
});

test("recorded mainnet swaps inside one bin follow from its price at one of the bin steps", (t) => {
  const path = sharedPath(t, "mainnet-events", "meteora.jsonl");
  if (path === null) return;
  const swaps = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
    .filter(({ venue, event }) => venue === "meteora-dlmm" && event.startBin === event.endBin);
  assert.equal(swaps.length, 8);
  for (const { event } of swaps) {
    const amountIn = BigInt(event.amountIn);
    const fee = feeIncluded(amountIn, BigInt(event.feeRate));
    assert.equal(fee, BigInt(event.fee));
    const inRange = BIN_STEPS.filter((step) => step * Math.abs(event.startBin) < 200_000);
    const outputs = inRange.map((binStep) => {
      const price = binPrice(event.startBin, binStep);
      return event.swapForY ? ((amountIn - fee) * price) >> 64n : ((amountIn - fee) << 64n) / price;
    });
    assert.equal(outputs.filter((output) => output === BigInt(event.amountOut)).length, 1);
  }
});
