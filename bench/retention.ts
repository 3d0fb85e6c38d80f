import { statSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { formatTable } from "#src/cli/output.ts";
import { exportDay } from "#src/export/export-day.ts";
import { type Random, seededRandom } from "#src/platform/seeded-random.ts";
import { type Database, openDatabase } from "#src/store/connection/database.ts";
import { migrate } from "#src/store/connection/migrate.ts";
import { writeSampleHours } from "#src/store/samples.ts";
import { TokenArchive } from "#src/track/history/archive.ts";
import { gridOf } from "#src/track/history/history.ts";
import { RollUp } from "#src/track/history/roll-up.ts";
import type { Address } from "#src/units/address.ts";
import { ownSchema } from "#test/support/databases/postgres-schemas.ts";
import { Endings } from "#test/support/ending.ts";
import { temporaryDirectory } from "#test/support/temporary-directory.ts";
import { PlayedMarket } from "./retention/played-market.ts";
import { storedSize } from "./retention/stored-sizes.ts";
import { closeOnSignal } from "./support/close-on-signal.ts";
import { Latencies } from "./support/latencies.ts";
import { readOptions, refuse, requirePostgres } from "./support/options.ts";

/**
 * Space and time of the history of many tokens over many days. The samples of the last two days are stored
 * by the archive as in the service, those of the last day every five minutes; the day before is then rolled
 * up beside a writer. Earlier days are packed by the same functions without storing their samples. The exit
 * code is 1 if reading a day or a month is slower than the goals.
 */

const { values } = readOptions(
  "A month of history on disk: sizes by age, roll-up, the longest wait of a writer, reads and exports.",
  {
    tokens: { type: "string", default: "2000" },
    days: { type: "string", default: "30", help: "at least 3" },
    "tokens-of-series": {
      type: "string",
      default: "1",
      help: "tokens that share one series; a divisor of --tokens",
    },
    database: {
      type: "string",
      default: "sqlite",
      choices: ["sqlite", "postgres"],
      help: "sqlite or postgres (DATABASE_URL)",
    },
    seed: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
  },
);
if (values.database === "postgres") requirePostgres();
const tokens = Number(values.tokens);
const days = Number(values.days);
if (days < 3) refuse("--days must be at least 3");
const tokensOfSeries = Number(values["tokens-of-series"]);
if (!Number.isInteger(tokens / tokensOfSeries)) refuse("--tokens-of-series must divide --tokens");
const GOAL_MS = { day: 10, month: 50 } as const;
const MS_PER_HOUR = 3_600_000;
const MS_PER_DAY = 24 * MS_PER_HOUR;
const MS_PER_WRITE = 300_000;
const START_MS = 20_000 * MS_PER_DAY;
const QUESTIONS = 300;
const WRITE_EVERY_MS = 5;
/** A mint that no token of the market has. */
const WRITER_ID = 2n ** 40n;

const endings = new Endings();
closeOnSignal(endings);
try {
  const database = await open();
  const random = seededRandom(Number(values.seed));
  const report = await measure(database, random);
  if (values.json) console.log(JSON.stringify(report));
  else print(report);
  const isFast = report.reads.every(
    ({ name, p99 }) =>
      !(name in GOAL_MS) || (p99 ?? Infinity) <= GOAL_MS[name as keyof typeof GOAL_MS],
  );
  process.exitCode = isFast ? 0 : 1;
} finally {
  await endings.close();
}

async function open(): Promise<Database> {
  const dataDir = temporaryDirectory(endings);
  const { DATABASE_URL: url = "" } = process.env;
  const databaseUrl = values.database === "postgres" ? await ownSchema(endings, url) : null;
  const database = openDatabase({ databaseUrl, dataDir });
  endings.after(() => database.close());
  await migrate(database, 0);
  return database;
}

async function measure(database: Database, random: Random) {
  const market = new PlayedMarket({ database, random, startMs: START_MS, tokensOfSeries });
  market.start(tokens);
  const clock = { nowMs: () => market.nowMs };
  const archive = new TokenArchive({ database, clock, historyDays: days, stateDays: 0 });
  const filled = await timed(async () => {
    for (let day = 0; day < days - 2; day++) {
      await market.playRolledDay();
      progress(`day ${day + 1} of ${days} is packed`);
    }
  });
  const written = await playWrittenDays(market, archive);
  // Just before a day is rolled up, two days of samples are stored.
  const peak = await sizes(database);
  market.nowMs += MS_PER_HOUR;
  const rolledUp = await rollUpBesideWriter(database, market.nowMs);
  const kept = await sizes(database);
  progress("a day is rolled up");
  const reads = await readTimes(archive, market, random);
  const exports = await exportTimes(database, market.nowMs);
  const deletion = await deletionTime(database, market.nowMs);
  return {
    ...{ database: database.dialect, tokens, tokensOfSeries, days, seenTokens: market.seenTokens },
    filledSeconds: filled.seconds,
    ...{ written, peak, rolledUp, kept, reads, exports, deletion },
  };
}

/** Plays the last two days and the first hour of the next one; the last whole day is written as by the service. */
async function playWrittenDays(market: PlayedMarket, archive: TokenArchive) {
  await market.openAll(archive);
  const endMs = START_MS + days * MS_PER_DAY;
  const writes = new Latencies();
  let seconds = 0;
  let saves = 0;
  while (market.nowMs < endMs) {
    const isLast = market.nowMs >= endMs - MS_PER_DAY;
    await market.play(archive, market.nowMs + (isLast ? MS_PER_WRITE : MS_PER_HOUR));
    const saved = await timed(() => archive.save({ all: true }));
    if (market.nowMs % (6 * MS_PER_HOUR) === 0) progress(`${new Date(market.nowMs).toISOString()}`);
    if (!isLast) continue;
    writes.add(1_000 * saved.seconds);
    seconds += saved.seconds;
    saves++;
  }
  return {
    rowsPerSecond: Math.round((saves * tokens) / seconds),
    batchP50Ms: writes.at(0.5),
    batchP99Ms: writes.at(0.99),
  };
}

async function sizes(database: Database) {
  const samples = await storedSize(database, "samples");
  const rolled = await storedSize(database, "rolled_samples");
  return { samples, rolled };
}

/** Rolls up the samples that are due, while another part of the service writes a row every few milliseconds. */
async function rollUpBesideWriter(database: Database, nowMs: number) {
  const rollUp = new RollUp({ database, historyDays: days, stateDays: 0 });
  const writes = new Latencies();
  let longestMs = 0;
  let isOver = false;
  const hour = nowMs / MS_PER_HOUR;
  const writer = async (): Promise<void> => {
    while (!isOver) {
      const row = { tokenId: WRITER_ID, hour, data: Uint8Array.of(0) };
      const { seconds } = await timed(() => writeSampleHours(database, [row]));
      writes.add(1_000 * seconds);
      longestMs = Math.max(longestMs, 1_000 * seconds);
      await pause(WRITE_EVERY_MS);
    }
  };
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const writing = writer();
  let slices = 0;
  const cpu = process.cpuUsage();
  const { seconds } = await timed(async () => {
    while (await rollUp.slice(nowMs)) {
      slices++;
      await pause(0);
    }
  });
  const { user, system } = process.cpuUsage(cpu);
  isOver = true;
  await writing;
  delay.disable();
  await database.db.deleteFrom("samples").where("token_id", "=", WRITER_ID).execute();
  return {
    ...{ seconds, slices, cpuSeconds: (user + system) / 1e6 },
    tokenDaysPerSecond: Math.round(tokens / seconds),
    writerP50Ms: writes.at(0.5),
    writerP99Ms: writes.at(0.99),
    writerLongestMs: Math.round(longestMs),
    longestTurnMs: Math.round(delay.max / 1e6),
  };
}

type Question = { readonly name: string; readonly ask: (mint: Address) => Promise<unknown> };

async function readTimes(archive: TokenArchive, market: PlayedMarket, random: Random) {
  const toMs = market.nowMs;
  const history = (hours: number, stepMs: number) => (mint: Address) =>
    archive.history(mint, gridOf({ fromMs: toMs - hours * MS_PER_HOUR, toMs, stepMs }, toMs));
  const questions: readonly Question[] = [
    { name: "hour", ask: history(1, 10_000) },
    { name: "day", ask: history(24, 60_000) },
    { name: "past-day", ask: (mint) => archive.pastDay(mint) },
    { name: "week", ask: history(7 * 24, 300_000) },
    { name: "month", ask: history((days - 1) * 24, 300_000) },
  ];
  const tracked = market.tracked();
  const reads = [];
  for (const { name, ask } of questions) {
    const times = new Latencies();
    for (let question = 0; question < QUESTIONS; question++) {
      const mint = tracked[Math.floor(random() * tracked.length)];
      if (mint !== undefined) times.add(1_000 * (await timed(() => ask(mint))).seconds);
    }
    reads.push({ name, p50: times.at(0.5), p99: times.at(0.99) });
  }
  return reads;
}

async function exportTimes(database: Database, nowMs: number) {
  const directory = temporaryDirectory(endings);
  const today = Math.floor(nowMs / MS_PER_DAY);
  const exported = async (day: number) => {
    const path = join(directory, `${day}.parquet`);
    let rows = 0;
    const { seconds } = await timed(async () => {
      rows = await exportDay(database, { kind: "history", day, path });
    });
    return { rows, seconds, bytes: statSync(path).size };
  };
  return { yesterday: await exported(today - 1), rolled: await exported(today - 3) };
}

/** Deletes the oldest day. */
async function deletionTime(database: Database, nowMs: number) {
  const rollUp = new RollUp({ database, historyDays: days - 1, stateDays: 0 });
  let longestMs = 0;
  const { seconds } = await timed(async () => {
    for (let isMore = true; isMore; ) {
      const slice = await timed(async () => {
        isMore = await rollUp.slice(nowMs);
      });
      longestMs = Math.max(longestMs, 1_000 * slice.seconds);
      await pause(0);
    }
  });
  return { seconds, longestMs: Math.round(longestMs) };
}

async function timed(work: () => Promise<unknown>): Promise<{ readonly seconds: number }> {
  const startMs = performance.now();
  await work();
  return { seconds: (performance.now() - startMs) / 1_000 };
}

function progress(text: string): void {
  if (!values.json) console.error(text);
}

type Report = Awaited<ReturnType<typeof measure>>;

function print({
  written,
  peak,
  kept,
  rolledUp,
  reads,
  exports,
  deletion,
  seenTokens,
}: Report): void {
  const mib = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
  const size = (name: string, { rows, bytes, dataBytes }: typeof kept.samples) => [
    name,
    rows,
    mib(bytes),
    Math.round(bytes / Math.max(1, rows)),
    Math.round(dataBytes / Math.max(1, rows)),
  ];
  console.log(
    `${tokens} tokens, ${seenTokens} over ${days} days, ${values.database}, seed ${values.seed}`,
  );
  console.log(
    formatTable([
      ["on disk", "rows", "MiB", "bytes a row", "of data"],
      size("two days of samples, hours", peak.samples),
      size("one day of samples, hours", kept.samples),
      size(`${days - 1} rolled days`, kept.rolled),
    ]),
  );
  console.log(JSON.stringify({ written, rolledUp, exports, deletion }, null, 1));
  console.log(
    formatTable([
      ["read", "p50 ms", "p99 ms"],
      ...reads.map(({ name, p50, p99 }) => [name, p50 ?? "-", p99 ?? "-"]),
    ]),
  );
}
