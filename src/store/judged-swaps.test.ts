import assert from "node:assert/strict";
import { test } from "node:test";
import { eachDatabase } from "#test/support/databases/databases.ts";
import { readJudgedSwaps, type StoredSwap, writeJudgedSwaps } from "./judged-swaps.ts";

const U64_MAX = 2n ** 64n - 1n;

function swap(atMs: number, change: Partial<StoredSwap> = {}): StoredSwap {
  return {
    atMs,
    venue: "pumpswap",
    pool: "pool",
    slot: BigInt(atMs),
    signature: `s${atMs}`,
    outcome: { kind: "skipped", reason: "exact-out" },
    ...change,
  };
}

test("swaps are read unchanged, newest first, of one venue or of all", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const replayed = {
      kind: "replayed",
      inputMint: "in",
      outputMint: "out",
      amountIn: U64_MAX,
      executed: 0n,
    } as const;
    const swaps = [
      swap(1),
      swap(2, { outcome: { ...replayed, modelled: U64_MAX } }),
      swap(3, { outcome: { ...replayed, modelled: null }, venue: "orca-whirlpool" }),
    ];
    await writeJudgedSwaps(db, swaps, 10);
    assert.deepEqual(await readJudgedSwaps(db, { venue: null, limit: 10 }), swaps.toReversed());
    assert.deepEqual(await readJudgedSwaps(db, { venue: "orca-whirlpool", limit: 10 }), [swaps[2]]);
    assert.deepEqual(await readJudgedSwaps(db, { venue: "pumpswap", limit: 1 }), [swaps[1]]);
    await writeJudgedSwaps(db, [], 10);
  });
});

test("each venue keeps its newest swaps, independent of other venues", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    await writeJudgedSwaps(db, [swap(1, { venue: "orca-whirlpool" })], 2);
    const busy = Array.from({ length: 250 }, (_, index) => swap(2 + index));
    await writeJudgedSwaps(db, busy, 2);
    const left = await readJudgedSwaps(db, { venue: null, limit: 10 });
    assert.deepEqual(
      left.map(({ atMs }) => atMs),
      [251, 250, 1],
    );
  });
});
