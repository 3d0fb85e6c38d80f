import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { openDatabase } from "#src/store/connection/database.ts";
import { migrate } from "#src/store/connection/migrate.ts";
import { writeJudgedSwaps } from "#src/store/judged-swaps.ts";
import { writeSampleHours } from "#src/store/samples.ts";
import { upsertTokens } from "#src/store/tokens.ts";
import { RollUp } from "#src/track/history/roll-up.ts";
import type { Sample } from "#src/track/history/sample.ts";
import { SampleBlock } from "#src/track/history/sample-block.ts";
import { eachDatabase, sqlitePlace } from "#test/support/databases/databases.ts";
import { openDuckDb } from "#test/support/databases/duckdb.ts";
import { closeAfter } from "#test/support/ending.ts";
import { poolAddress } from "#test/support/pools/pools.ts";
import { temporaryDirectory } from "#test/support/temporary-directory.ts";
import { exportDay, parseDay } from "./export-day.ts";

const DAY = 20_000;
const DAY_MS = DAY * 86_400_000;
const HOUR = DAY * 24;
const [FIRST, SECOND] = [poolAddress(1), poolAddress(2)];

function sampleAt(atMs: number, change: Partial<Sample> = {}): Sample {
  return {
    atMs,
    c10Sol: 12.5,
    depthSol: 240,
    slippagesPct: [0.5, 1, 2, 4, 8, null],
    mid: 0.001,
    confidence: "high",
    basis: 7,
    ...change,
  };
}

function hourOf(tokenId: bigint, hour: number, samples: readonly Sample[]) {
  const block = new SampleBlock(hour);
  for (const sample of samples) block.add(sample);
  return { tokenId, hour, data: block.data };
}

async function rowsOf(path: string) {
  return await parquetReadObjects({ file: await asyncBufferFromFile(path) });
}

test("a day of history holds every stored sample of that day, of all tokens, and no other", async (t) => {
  await eachDatabase(t, async (t, database) => {
    const { db } = database;
    const names = { name: null, symbol: null, nowMs: 0 };
    const ids = await upsertTokens(db, [
      { mint: FIRST, ...names },
      { mint: SECOND, ...names },
    ]);
    const [first = 0n, second = 0n] = [ids.get(FIRST), ids.get(SECOND)];
    const blocked = sampleAt(DAY_MS + 60_000, { c10Sol: null, depthSol: null, confidence: "low" });
    await writeSampleHours(database, [
      hourOf(first, HOUR - 1, [sampleAt(DAY_MS - 10_000)]),
      hourOf(first, HOUR, [sampleAt(DAY_MS), blocked]),
      hourOf(second, HOUR + 23, [sampleAt(DAY_MS + 86_390_000)]),
      hourOf(second, HOUR + 24, [sampleAt(DAY_MS + 86_400_000)]),
    ]);
    const path = join(temporaryDirectory(t), "day.parquet");
    assert.equal(await exportDay(database, { kind: "history", day: DAY, path }), 3);
    const rows = await rowsOf(path);
    assert.deepEqual(
      rows.map(({ mint, at, c10_sol }) => [mint, Number(at), c10_sol]),
      [
        [FIRST, DAY_MS, 12.5],
        [FIRST, DAY_MS + 60_000, null],
        [SECOND, DAY_MS + 86_390_000, 12.5],
      ],
    );
    const [row] = rows;
    assert.deepEqual(
      [row?.["slippage_0_5_pct"], row?.["slippage_50_pct"], row?.["confidence"], row?.["basis"]],
      [0.5, null, "high", 7n],
    );
  });
});

test("a rolled day has a row for each five minutes, with the lowest values within them", async (t) => {
  await eachDatabase(t, async (t, database) => {
    const names = { name: null, symbol: null, nowMs: 0 };
    const seen = [FIRST, SECOND].map((mint) => ({ mint, ...names }));
    const ids = await upsertTokens(database.db, seen);
    const [first = 0n, second = 0n] = [ids.get(FIRST), ids.get(SECOND)];
    const drained = { c10Sol: 0.25, depthSol: 3 };
    const hours = [
      hourOf(first, HOUR, [
        sampleAt(DAY_MS + 10_000),
        sampleAt(DAY_MS + 20_000, drained),
        sampleAt(DAY_MS + 300_000),
        sampleAt(DAY_MS + 310_000, { c10Sol: null, depthSol: null }),
      ]),
      hourOf(second, HOUR + 24, [sampleAt(DAY_MS + 86_400_000)]),
    ];
    await writeSampleHours(database, hours);
    const rollUp = new RollUp({ database, historyDays: 30, stateDays: 3 });
    while (await rollUp.slice(DAY_MS + 49 * 3_600_000));
    const path = join(temporaryDirectory(t), "day.parquet");
    assert.equal(await exportDay(database, { kind: "history", day: DAY, path }), 2);
    assert.deepEqual(
      (await rowsOf(path)).map((row) => [
        ...[row["mint"], Number(row["at"]) - DAY_MS, row["c10_sol"], row["resolution_seconds"]],
        ...[row["c10_lowest_sol"], row["depth_lowest_sol"], row["known_throughout"]],
      ]),
      [
        [FIRST, 300_000, 12.5, 300, 0.25, 3, true],
        [FIRST, 310_000, null, 300, null, null, false],
      ],
    );
    const next = join(temporaryDirectory(t), "next.parquet");
    assert.equal(await exportDay(database, { kind: "history", day: DAY + 1, path: next }), 1);
    assert.equal((await rowsOf(next))[0]?.["resolution_seconds"], 10);
  });
});

test("a day of the accuracy record holds each judged swap, exact amounts included", async (t) => {
  await eachDatabase(t, async (t, database) => {
    const swap = { venue: "pumpswap", pool: FIRST, slot: 9n, signature: "s" };
    const largest = 18_446_744_073_709_551_615n;
    const replayed = { kind: "replayed", inputMint: FIRST, outputMint: SECOND } as const;
    await writeJudgedSwaps(
      database.db,
      [
        { ...swap, atMs: DAY_MS - 1, outcome: { kind: "skipped", reason: "yesterday" } },
        { ...swap, atMs: DAY_MS, outcome: { kind: "skipped", reason: "state-not-held" } },
        {
          ...swap,
          atMs: DAY_MS + 1,
          outcome: { ...replayed, amountIn: largest, executed: 5n, modelled: 5n },
        },
        {
          ...swap,
          atMs: DAY_MS + 2,
          outcome: { ...replayed, amountIn: 1n, executed: 5n, modelled: null },
        },
      ],
      100,
    );
    const path = join(temporaryDirectory(t), "day.parquet");
    assert.equal(await exportDay(database, { kind: "accuracy", day: DAY, path }), 3);
    assert.deepEqual(
      (await rowsOf(path)).map(({ skipped, amount_in, is_exact }) => [
        skipped,
        amount_in,
        is_exact,
      ]),
      [
        ["state-not-held", null, null],
        [null, String(largest), true],
        [null, "1", false],
      ],
    );
  });
});

test("a day without records is a valid file without rows", async (t) => {
  await eachDatabase(t, async (t, database) => {
    const path = join(temporaryDirectory(t), "day.parquet");
    assert.equal(await exportDay(database, { kind: "history", day: DAY, path }), 0);
    assert.deepEqual(await rowsOf(path), []);
    assert.equal(readFileSync(path).subarray(-4).toString(), "PAR1");
  });
});

test("a day is a date that exists", () => {
  assert.equal(parseDay("1970-01-02"), 1);
  for (const text of ["", "2026-02-30", "2026-1-1", "22.11.2026", "2026-11-22T00:00"])
    assert.equal(parseDay(text), null, text);
});

test("DuckDB reads an exported day as it is", async (t) => {
  const query = await openDuckDb(t);
  if (query === null) return;
  const database = openDatabase(sqlitePlace(t));
  closeAfter(t, () => database.close());
  await migrate(database, 0);
  const { db } = database;
  const ids = await upsertTokens(db, [{ mint: FIRST, name: null, symbol: null, nowMs: 0 }]);
  const samples = [
    sampleAt(DAY_MS),
    sampleAt(DAY_MS + 60_000, { slippagesPct: [1, 2, 3, 5, 9, 40] }),
  ];
  await writeSampleHours(database, [hourOf(ids.get(FIRST) ?? 0n, HOUR, samples)]);
  const path = join(temporaryDirectory(t), "day.parquet");
  await exportDay(database, { kind: "history", day: DAY, path });
  const rows = await query(
    `select count(*) as n, max(slippage_5_pct) as worst, count(slippage_50_pct) as sold,
       cast(max("at") as varchar) as latest from '${path}' where mint = '${FIRST}'`,
  );
  assert.deepEqual(rows, [{ n: 2n, worst: 5, sold: 1n, latest: "2024-10-04 00:01:00" }]);
});
