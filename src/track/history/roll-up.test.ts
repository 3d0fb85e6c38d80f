import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { sql } from "kysely";
import { MS_PER_DAY } from "#src/platform/clock.ts";
import type { Database } from "#src/store/connection/database.ts";
import { oldestSampleDay, writeSampleHours } from "#src/store/samples.ts";
import { upsertTokens } from "#src/store/tokens.ts";
import { eachDatabase } from "#test/support/databases/databases.ts";
import { bucketOf, sampleSeries } from "#test/support/markets/sample-series.ts";
import { poolAddress } from "#test/support/pools/pools.ts";
import { mergeBuckets } from "./bucket.ts";
import { gridOf, type HistoryPoint, historyOf } from "./history.ts";
import { readBuckets, readHours } from "./read-series.ts";
import { RollUp } from "./roll-up.ts";
import type { Sample } from "./sample.ts";
import { SampleBlock } from "./sample-block.ts";

const DAY = 20_000;
const START_MS = DAY * MS_PER_DAY;
/** Day two is not old enough to be rolled up, days zero and one are. */
const NOW_MS = START_MS + 3 * MS_PER_DAY + 3 * 3_600_000;
/** Enough for several slices. */
const TOKENS = 55;
const KEPT = { historyDays: 30, stateDays: 3 };

/** Three days and a bit of samples, one series for each token. */
function drawnSeries(seed: number): readonly (readonly Sample[])[] {
  const drawn = fc.sample(sampleSeries(START_MS - 10_000, { maxLength: 1_500 }), {
    ...{ numRuns: TOKENS, seed },
  });
  return drawn.map((samples) => samples.filter(({ atMs }) => atMs < NOW_MS));
}

async function write(database: Database, series: readonly (readonly Sample[])[]) {
  const names = { name: null, symbol: null, nowMs: 0 };
  const mints = series.map((_, index) => poolAddress(index + 1));
  const ids = await upsertTokens(
    database.db,
    mints.map((mint) => ({ mint, ...names })),
  );
  const tokenIds = mints.map((mint) => ids.get(mint) ?? 0n);
  for (const [index, tokenId] of tokenIds.entries())
    await writeSampleHours(database, hoursOf(tokenId, series[index] ?? []));
  return tokenIds;
}

function hoursOf(tokenId: bigint, samples: readonly Sample[]) {
  const blocks = new Map<number, SampleBlock>();
  for (const sample of samples) {
    const hour = SampleBlock.hourOf(sample.atMs);
    const block = blocks.get(hour) ?? new SampleBlock(hour);
    blocks.set(hour, block);
    block.add(sample);
  }
  return [...blocks.values()].map(({ hour, data }) => ({ tokenId, hour, data }));
}

/** Rolls up with a new RollUp, like a process that has just started. */
async function rollUpAll(database: Database): Promise<void> {
  const rollUp = new RollUp({ database, ...KEPT });
  while (await rollUp.slice(NOW_MS));
}

/** The whole stored history, on a grid that begins before every sample. */
const WHOLE = gridOf({ fromMs: START_MS - 900_000, toMs: NOW_MS, stepMs: 1 }, NOW_MS);

async function historyIn(database: Database, tokenId: bigint): Promise<readonly HistoryPoint[]> {
  const series = { tokenId, unsaved: [] };
  return historyOf(await readBuckets(database.db, series, WHOLE), WHOLE);
}

function expectedOf(samples: readonly Sample[]): readonly HistoryPoint[] {
  return historyOf(mergeBuckets(samples.map(bucketOf)), WHOLE);
}

/** Checks for each `every`th token that its history is that of its samples. */
function checkOf(tokenIds: readonly bigint[], expected: readonly (readonly HistoryPoint[])[]) {
  return async (database: Database, every = 1): Promise<void> => {
    for (const [index, tokenId] of tokenIds.entries())
      if (index % every === 0)
        assert.deepEqual(await historyIn(database, tokenId), expected[index]);
  };
}

test("history is the same before the roll-up, after each of its slices and at its end", async (t) => {
  const series = drawnSeries(1);
  const expected = series.map(expectedOf);
  await eachDatabase(t, async (_t, database) => {
    const tokenIds = await write(database, series);
    const check = checkOf(tokenIds, expected);
    const rollUp = new RollUp({ database, ...KEPT });
    await check(database);
    let slices = 0;
    while (await rollUp.slice(NOW_MS)) {
      slices++;
      await check(database, 9);
    }
    assert.ok(slices >= 2 * Math.ceil(TOKENS / 20), `${slices} slices`);
    assert.equal(await oldestSampleDay(database), DAY + 2);
    await check(database);
  });
});

test("a roll-up killed between any two statements loses nothing; the next one ends as without the kill", async (t) => {
  const series = drawnSeries(2);
  const expected = series.map(expectedOf);
  await eachDatabase(t, async (_t, database) => {
    const tokenIds = await write(database, series);
    const check = checkOf(tokenIds, expected);
    let kills = 0;
    for (let statements = 0; ; statements++) {
      const { killed, hasEnded } = dyingAfter(database, statements);
      const rollUp = new RollUp({ database: killed, ...KEPT });
      try {
        while (await rollUp.slice(NOW_MS));
      } catch (cause) {
        if (!hasEnded()) throw cause;
        kills++;
        await check(database, 18);
        continue;
      }
      break;
    }
    assert.ok(kills > 8, `${kills} kills`);
    assert.equal(await oldestSampleDay(database), DAY + 2);
    await check(database);
  });
});

test("a day that a reader keeps from being dropped is not rolled up again for the next attempt", async (t) => {
  const series = drawnSeries(5);
  const expected = series.map(expectedOf);
  await eachDatabase(t, async (_t, database) => {
    // SQLite drops no whole day.
    if (database.dialect === "sqlite") return;
    const tokenIds = await write(database, series);
    const rollUp = new RollUp({ database, ...KEPT });
    const writesOfDay = async () =>
      (
        await sql`select token_id, xmin::text from rolled_samples where day = ${DAY} order by 1`.execute(
          database.db,
        )
      ).rows;
    const rolled = await database.db.transaction().execute(async (backup) => {
      await backup.selectFrom("samples").select("day").limit(1).execute();
      const rollUntilDrop = async () => {
        while (await rollUp.slice(NOW_MS));
      };
      await assert.rejects(rollUntilDrop(), /lock timeout/);
      return writesOfDay();
    });
    assert.ok(rolled.length > TOKENS / 2);
    while (await rollUp.slice(NOW_MS));
    assert.deepEqual(await writesOfDay(), rolled);
    assert.equal(await oldestSampleDay(database), DAY + 2);
    await checkOf(tokenIds, expected)(database);
  });
});

/** The database of a process that dies after a number of statements: later ones fail and are not sent. */
function dyingAfter(database: Database, statements: number) {
  let left = statements;
  let hasEnded = false;
  const db = database.db.withPlugin({
    transformQuery: ({ node }) => {
      if (left-- > 0) return node;
      hasEnded = true;
      throw new Error("killed");
    },
    transformResult: async ({ result }) => result,
  });
  return { killed: { ...database, db }, hasEnded: () => hasEnded };
}

test("samples written after their day was rolled up are added to the rolled day", async (t) => {
  const [samples = []] = drawnSeries(3).toSorted((a, b) => b.length - a.length);
  await eachDatabase(t, async (_t, database) => {
    const isLate = ({ atMs }: Sample) =>
      SampleBlock.hourOf(atMs) % 3 === 0 && atMs < START_MS + MS_PER_DAY;
    const [tokenId = 0n] = await write(database, [samples.filter((sample) => !isLate(sample))]);
    await rollUpAll(database);
    await writeSampleHours(database, hoursOf(tokenId, samples.filter(isLate)));
    const check = checkOf([tokenId], [expectedOf(samples)]);
    await check(database);
    await rollUpAll(database);
    assert.equal(await oldestSampleDay(database), DAY + 2);
    await check(database);
  });
});

function sampleAt(atMs: number, c10Sol: number): Sample {
  const slippagesPct = [1, 1, 1, 1, 1, 1];
  const rest = { depthSol: 9, slippagesPct, mid: 1, confidence: "high", basis: 1 } as const;
  return { ...rest, atMs, c10Sol };
}

test("every sample of the last 25 hours is kept, so that the past day has changes within ten seconds", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    const samples = Array.from({ length: 3 * 8_640 }, (_, step) =>
      sampleAt(START_MS + 10_000 * step, step),
    );
    const [tokenId = 0n] = await write(database, [samples]);
    const series = { tokenId, unsaved: [] };
    for (let hour = 49; hour <= 72; hour++) {
      const nowMs = START_MS + 3_600_000 * hour;
      const rollUp = new RollUp({ database, ...KEPT });
      while (await rollUp.slice(nowMs));
      const fromMs = nowMs - 25 * 3_600_000;
      const grid = gridOf({ fromMs, toMs: nowMs, stepMs: 60_000 }, nowMs);
      assert.equal(grid.resolutionMs, 10_000);
      const oldest = (await readHours(database.db, series, grid))[0]?.hour ?? Infinity;
      assert.ok(oldest <= SampleBlock.hourOf(fromMs), `${hour}`);
    }
  });
});

test("the sample before the first day that is kept whole is valid at its start after the roll-up too", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    const midnightMs = START_MS + 2 * MS_PER_DAY;
    const around = [-20_000, 250_000].map((at) => sampleAt(midnightMs + at, 3));
    const [tokenId = 0n] = await write(database, [around]);
    const grid = gridOf({ fromMs: midnightMs, toMs: midnightMs + 600_000, stepMs: 60_000 }, NOW_MS);
    const read = async () =>
      historyOf(await readBuckets(database.db, { tokenId, unsaved: [] }, grid), grid);
    const before = await read();
    assert.deepEqual([before[0]?.c10Sol, before[0]?.isWhole], [3, true]);
    await rollUpAll(database);
    assert.deepEqual(await read(), before);
  });
});

test("rolled days are deleted after their time, in as many slices as it takes", async (t) => {
  const series = drawnSeries(4).slice(0, 10);
  await eachDatabase(t, async (_t, database) => {
    const [tokenId = 0n] = await write(database, series);
    await rollUpAll(database);
    const known = async () =>
      (await historyIn(database, tokenId)).flatMap(({ atMs, c10Sol }) =>
        c10Sol === null ? [] : Math.floor((atMs - 1) / MS_PER_DAY) - DAY,
      );
    const before = await known();
    const rollUp = new RollUp({ database, historyDays: 2, stateDays: 0 });
    while (await rollUp.slice(NOW_MS));
    assert.deepEqual(
      await known(),
      before.filter((day) => day >= 1),
    );
  });
});
