import assert from "node:assert/strict";
import { test } from "node:test";
import { InsertQueryNode } from "kysely";
import { namedAddress, plainVenue } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import type { Database } from "#src/store/connection/database.ts";
import { readSampleHours } from "#src/store/samples.ts";
import { placeToken, SOL } from "#test/simulation/track/plain-market.ts";
import { breakable } from "#test/support/databases/breakable-database.ts";
import { eachDatabase } from "#test/support/databases/databases.ts";
import { SOME_MINT, someAssessment } from "#test/support/markets/assessments.ts";
import { Tracker } from "../tracker.ts";
import { lastAnswer, TokenArchive } from "./archive.ts";
import { gridOf } from "./history.ts";
import type { Sample } from "./sample.ts";
import { unpackHour } from "./sample-block.ts";
import { keptLevels, newSeries } from "./series.ts";

const MINT = namedAddress("token");
const MINUTE_SLOTS = 150;

function track(chain: ScriptedChain, database: Database): Tracker {
  return new Tracker({
    source: chain,
    venues: [plainVenue()],
    clock: { nowMs: () => chain.nowMs },
    database,
  });
}

/** Lets chain time pass, a tick every two seconds. */
async function pass(chain: ScriptedChain, tracker: Tracker, slots: number): Promise<void> {
  for (let slot = 0; slot < slots; slot += 5) {
    chain.advance(5);
    tracker.tick();
    await tracker.idle();
  }
}

async function lastHour(chain: ScriptedChain, tracker: Tracker) {
  const query = { fromMs: chain.nowMs - 3_600_000, toMs: chain.nowMs, stepMs: 60_000 };
  return await tracker.history(MINT, gridOf(query, chain.nowMs));
}

test("history survives a restart, and the time between is unknown, not zero", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    const chain = new ScriptedChain();
    placeToken(chain, MINT, 80);
    const first = track(chain, database);
    await first.snapshot(MINT);
    await pass(chain, first, 10 * MINUTE_SLOTS);
    const told = await lastHour(chain, first);
    await first.close();
    assert.equal(told.filter(({ depthSol }) => depthSol === 80).length, 10);

    chain.advance(10 * MINUTE_SLOTS);
    const second = track(chain, database);
    await second.snapshot(MINT);
    await pass(chain, second, 5 * MINUTE_SLOTS);
    const depths = (await lastHour(chain, second)).map(({ depthSol }) => depthSol);
    assert.deepEqual(new Set(depths), new Set([null, 80]));
    const known = depths.filter((depth) => depth !== null).length;
    assert.ok(known >= 15 && known <= 21, `${known} minutes are known`);
    assert.equal(depths[52], null);
    await second.close();
  });
});

test("the past day counts the samples of an earlier process, and not the time between", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    const chain = new ScriptedChain();
    placeToken(chain, MINT, 80);
    const first = track(chain, database);
    await first.snapshot(MINT);
    first.setWatched([MINT]);
    await pass(chain, first, 20 * MINUTE_SLOTS);
    const alone = await first.pastDay(MINT);
    assert.equal(alone?.waiting[1]?.[0], null);
    await first.close();

    chain.advance(60 * MINUTE_SLOTS);
    const second = track(chain, database);
    await second.snapshot(MINT);
    second.setWatched([MINT]);
    await pass(chain, second, 20 * MINUTE_SLOTS);
    const day = await second.pastDay(MINT);
    assert.equal((day?.toMs ?? 0) - (day?.fromMs ?? 0), 86_400_000);
    const [tenSeconds, minute] = day?.waiting[1] ?? [];
    assert.deepEqual(tenSeconds?.quantilesPct, [0, 0, 0, 0, 0]);
    // Twice twenty minutes, and at most five and a half that the last sample holds.
    const { observations = 0 } = tenSeconds ?? {};
    assert.ok(observations >= 235 && observations <= 275, `${observations}`);
    assert.equal(minute, null);
    // The same question before the next sample has the same answer, so that a client's tag of it matches.
    const startMs = Math.floor(chain.nowMs / 10_000) * 10_000;
    const again: unknown[] = [];
    for (const afterMs of [0, 9_999, 10_000]) {
      chain.nowMs = startMs + 10_000 + afterMs;
      again.push(await second.pastDay(MINT));
    }
    assert.deepEqual(again[1], again[0]);
    assert.notDeepEqual(again[2], again[0]);
    await second.close();
  });
});

test("after a kill, with the node away, the newest stored answer is served", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    const chain = new ScriptedChain();
    placeToken(chain, MINT, 80);
    const killed = track(chain, database);
    await killed.snapshot(MINT);
    await pass(chain, killed, MINUTE_SLOTS);
    // Killed: nothing is written at its end, and no five minutes have passed.
    await database.db.updateTable("tokens").set({ snapshot: null }).execute();
    const answer = await lastAnswer(database.db, MINT);
    assert.ok(answer);
    assert.ok(chain.nowMs - answer.assessment.stateTimeMs <= 60_000);
    await killed.close();
  });
});

test("a token that was measured once is answered from the store while the node is down", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    const chain = new ScriptedChain();
    placeToken(chain, MINT, 80);
    const first = track(chain, database);
    await first.snapshot(MINT);
    await pass(chain, first, MINUTE_SLOTS);
    await first.close();
    chain.isReachable = false;
    chain.nowMs += 60_000;
    const second = track(chain, database);
    const soon = await second.snapshot(MINT);
    assert.equal(soon.kind, "assessed");
    assert.equal(soon.assessment.measurement?.depthLamports, 80n * SOL);
    assert.ok(soon.assessment.findings.some(({ kind }) => kind === "stale"));
    chain.nowMs += 600_000;
    const late = await second.snapshot(MINT);
    assert.equal(late.kind, "assessed");
    assert.equal(late.assessment.measurement, null);
    assert.equal(late.assessment.blocked, "stale");
    await second.close();
  });
});

test("samples older than retention are dropped", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    const chain = new ScriptedChain();
    placeToken(chain, MINT, 80);
    const tracker = track(chain, database);
    await tracker.snapshot(MINT);
    await pass(chain, tracker, 2 * MINUTE_SLOTS);
    const startMs = chain.nowMs;
    await tracker.close();
    chain.nowMs += 40 * 86_400_000;
    const later = track(chain, database);
    await later.snapshot(MINT);
    await pass(chain, later, MINUTE_SLOTS);
    const query = { fromMs: startMs - 600_000, toMs: startMs + 600_000, stepMs: 60_000 };
    const grid = gridOf(query, chain.nowMs);
    for (const { depthSol } of await later.history(MINT, grid)) assert.equal(depthSol, null);
    await later.close();
  });
});

const HOUR = 500_000;
const NO_KEPT_LEVELS = keptLevels(newSeries(0));
const HOUR_MS = 3_600_000;

function sampleAt(atMs: number, c10Sol: number): Sample {
  const slippagesPct = [1, 2, 3, 4, 5, 6];
  const figures = { c10Sol, depthSol: c10Sol, slippagesPct, mid: 0.5 };
  return { atMs, ...figures, confidence: "high", basis: 1 };
}

test("a write loses no sample of an hour that ends meanwhile, whether or not it fails", async (t) => {
  const cases = [true, false].flatMap((fails) => [1, 2].map((before) => ({ fails, before })));
  for (const { fails, before } of cases) {
    await eachDatabase(t, async (_t, database) => {
      let isFailing = false;
      const db = database.db.withPlugin({
        transformQuery: ({ node }) => {
          if (isFailing) throw new Error("the disk is full");
          return node;
        },
        transformResult: async ({ result }) => result,
      });
      const startMs = HOUR * HOUR_MS;
      const archive = new TokenArchive({
        database: { ...database, db },
        clock: { nowMs: () => startMs },
        ...{ historyDays: 30, stateDays: 0 },
      });
      await archive.open(MINT, { name: null, symbol: null });
      const samples = [1, 2, 3, 4].map((c10Sol) =>
        sampleAt(startMs + HOUR_MS + (c10Sol - 3) * 10_000, c10Sol),
      );
      const add = (from: number, to: number) => {
        for (const sample of samples.slice(from, to)) archive.add(MINT, sample, null);
      };
      add(0, before);
      isFailing = fails;
      const saving = archive.save({ all: true });
      const ended = fails ? assert.rejects(saving, /the disk is full/) : saving;
      add(before, 3);
      await ended;
      isFailing = false;
      add(3, 4);
      await archive.save({ all: true });
      const { id } = await database.db.selectFrom("tokens").select("id").executeTakeFirstOrThrow();
      const range = { tokenId: id, fromHour: HOUR, toHour: HOUR + 1 };
      const stored = await readSampleHours(database.db, range);
      assert.deepEqual(
        stored.flatMap(({ hour, data }) => unpackHour(hour, data)),
        samples,
      );
    });
  }
});

test("an answer that is selected while earlier ones are written is written by the next save", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    let nowMs = HOUR * HOUR_MS;
    let whileWriting = (): void => undefined;
    const db = database.db.withPlugin({
      transformQuery: ({ node }) => {
        const into = InsertQueryNode.is(node) ? node.into?.table.identifier.name : null;
        if (into === "stored_answers") whileWriting();
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const archive = new TokenArchive({
      ...{ database: { ...database, db }, clock: { nowMs: () => nowMs } },
      ...{ historyDays: 30, stateDays: 3 },
    });
    await archive.open(SOME_MINT, { name: null, symbol: null });
    const answer = (slot: bigint, minute: number): void => {
      nowMs = HOUR * HOUR_MS + minute * 60_000;
      const assessment = someAssessment({ slot });
      const names = { name: null, symbol: null };
      const facts = { trend: "stable", isDeteriorating: false } as const;
      const snapshot = { kind: "assessed", assessment, ...facts, ...names } as const;
      archive.add(SOME_MINT, sampleAt(nowMs, minute + 1), { snapshot, levels: NO_KEPT_LEVELS });
    };
    // An answer is selected once one of a later slot was given; that of the first slot never is.
    for (const minute of [1, 2, 3]) answer(BigInt(minute), minute);
    whileWriting = () => {
      answer(4n, 4);
      whileWriting = () => undefined;
    };
    await archive.save();
    await archive.save();
    for (const slot of [2n, 3n])
      assert.equal((await archive.answerAt(SOME_MINT, slot)).kind, "stored", `slot ${slot}`);
  });
});

test("a sample that was taken in the hour before its record was opened replaces none of an earlier process", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    let nowMs = HOUR * HOUR_MS;
    const clock = { nowMs: () => nowMs };
    const names = { name: null, symbol: null };
    const open = async () => {
      const archive = new TokenArchive({ database, clock, historyDays: 30, stateDays: 0 });
      await archive.open(MINT, names);
      return archive;
    };
    const earlier = await open();
    const samples = [1, 2].map((c10Sol) => sampleAt(nowMs + c10Sol * 60_000, c10Sol));
    for (const sample of samples) earlier.add(MINT, sample, null);
    await earlier.save({ all: true });
    nowMs += HOUR_MS;
    const later = await open();
    // If slots may be dropped, a sample is added seconds after it was taken.
    later.add(MINT, sampleAt(nowMs - 10_000, 3), null);
    const last = sampleAt(nowMs + 10_000, 4);
    later.add(MINT, last, null);
    await later.save({ all: true });
    const { id } = await database.db.selectFrom("tokens").select("id").executeTakeFirstOrThrow();
    const range = { tokenId: id, fromHour: HOUR, toHour: HOUR + 1 };
    const stored = await readSampleHours(database.db, range);
    assert.deepEqual(
      stored.flatMap(({ hour, data }) => [...unpackHour(hour, data)]),
      [...samples, last],
    );
  });
});

/** An archive with one sample that is not on disk, and a switch for its database. */
async function withOneSample(database: Database) {
  const atMs = HOUR * HOUR_MS + 1_000;
  const { database: failing, power } = breakable(database);
  const clock = { nowMs: () => atMs };
  const archive = new TokenArchive({ database: failing, clock, historyDays: 30, stateDays: 0 });
  await archive.open(MINT, { name: null, symbol: null });
  archive.add(MINT, sampleAt(atMs, 1), null);
  return { archive, power };
}

test("the rest of a token that is let go while the database fails is written by the next save", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    const { archive, power } = await withOneSample(database);
    power.isOff = true;
    await assert.rejects(archive.close(MINT));
    power.isOff = false;
    await archive.save();
    const { id } = await database.db.selectFrom("tokens").select("id").executeTakeFirstOrThrow();
    const range = { tokenId: id, fromHour: HOUR, toHour: HOUR };
    const hours = await readSampleHours(database.db, range);
    const samples = hours.flatMap(({ hour, data }) => [...unpackHour(hour, data)]);
    assert.deepEqual(
      samples.map(({ c10Sol }) => c10Sol),
      [1],
    );
  });
});

test("a token that is let go while a save runs loses nothing if that save fails", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    const { archive, power } = await withOneSample(database);
    power.isOff = true;
    const saved = assert.rejects(archive.save({ all: true }));
    power.isOff = false;
    await archive.close(MINT);
    await saved;
    await archive.save();
    await archive.save();
    const { id } = await database.db.selectFrom("tokens").select("id").executeTakeFirstOrThrow();
    const range = { tokenId: id, fromHour: HOUR, toHour: HOUR };
    const hours = await readSampleHours(database.db, range);
    assert.equal(hours.flatMap(({ hour, data }) => [...unpackHour(hour, data)]).length, 1);
  });
});

test("a range that is still to come has no points, within this day and after it", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    const { archive } = await withOneSample(database);
    const nowMs = HOUR * HOUR_MS + 1_000;
    for (const aheadMs of [2 * HOUR_MS, 72 * HOUR_MS]) {
      const fromMs = nowMs + aheadMs;
      const query = { fromMs, toMs: fromMs + HOUR_MS, stepMs: 60_000 };
      assert.deepEqual(await archive.history(MINT, gridOf(query, nowMs)), []);
    }
  });
});

test("a local clock that is ahead of the chain's deletes nothing, nor does one before the chain's is known", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    const { archive } = await withOneSample(database);
    await archive.save({ all: true });
    const late = { nowMs: () => (HOUR + 40 * 24) * HOUR_MS };
    const ahead = new TokenArchive({ database, clock: late, historyDays: 30, stateDays: 0 });
    const stored = () => database.db.selectFrom("samples").select("hour").execute();
    const chainAt = (hour: number) => ({
      newest: { slot: 1n, unixTimestamp: BigInt(hour * 3_600), epoch: 1n },
    });
    await ahead.rollUp({ newest: null });
    await ahead.rollUp(chainAt(HOUR));
    assert.equal((await stored()).length, 1);
    await ahead.rollUp(chainAt(HOUR + 40 * 24));
    assert.deepEqual(await stored(), []);
  });
});

test("a record that is opened twice at the same time keeps the samples of the first opening", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    const heldBack = Promise.withResolvers<void>();
    const upsertAndFirstReads = 5;
    const queries = new Map<object, number>();
    const db = database.db.withPlugin({
      transformQuery({ queryId, node }) {
        queries.set(queryId, queries.size);
        return node;
      },
      async transformResult({ queryId, result }) {
        if ((queries.get(queryId) ?? 0) >= upsertAndFirstReads) await heldBack.promise;
        return result;
      },
    });
    const startMs = HOUR * HOUR_MS;
    const archive = new TokenArchive({
      database: { ...database, db },
      clock: { nowMs: () => startMs },
      ...{ historyDays: 30, stateDays: 0 },
    });
    const names = { name: null, symbol: null };
    const [first, second] = [archive.open(MINT, names), archive.open(MINT, names)];
    await first;
    const sample = sampleAt(startMs, 2);
    archive.add(MINT, sample, null);
    heldBack.resolve();
    await second;
    await archive.save({ all: true });
    const [stored] = await database.db.selectFrom("samples").selectAll().execute();
    assert.ok(stored);
    assert.deepEqual(unpackHour(HOUR, stored.data), [sample]);
  });
});
