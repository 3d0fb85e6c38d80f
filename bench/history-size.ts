import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { formatTable } from "#src/cli/output.ts";
import { seededRandom } from "#src/local-node/seeded-random.ts";
import { type Ladder, STANDARD_SIZES } from "#src/measure/assessment.ts";
import { openDatabase } from "#src/store/database.ts";
import { migrate } from "#src/store/migrate.ts";
import { SAMPLE_EVERY_MS, type Sample } from "#src/track/sample.ts";
import type { AssessedSnapshot } from "#src/track/snapshot-text.ts";
import { TokenArchive } from "#src/track/token-archive.ts";
import { NO_NAMES } from "#src/track/token-names.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { PLAIN_TOKEN } from "#test/support/markets.ts";

/**
 * What a day of samples takes on disk, and how long a token's day takes to read: a thousand tokens on
 * the embedded database, written by the service's own archive, scaled to 20,000. One in fifty
 * changes all the time, one in six every two minutes, the others a few times a day. With `--states`
 * somebody looks at every one of them: their answers are kept by slot too.
 */

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    tokens: { type: "string", default: "1000" },
    hours: { type: "string", default: "24" },
    states: { type: "boolean", default: false },
  },
});

const GOAL = { tokens: 20_000, queryMs: 50 } as const;
const START_MS = Date.UTC(2026, 10, 20);
const SAVE_EVERY_SAMPLES = 6;
const QUERIES = 50;
/** Chance of a change in ten seconds, by rank. */
const CHANGES = [
  { share: 0.02, chance: 1 },
  { share: 0.16, chance: 1 / 12 },
  { share: 0.82, chance: 1 / 3_000 },
] as const;

/** Pools of a token, by rank: most have one. */
const POOLS = [1, 1, 1, 2, 3] as const;
const SLOT_MS = 400;

type Token = {
  readonly mint: Address;
  readonly chance: number;
  readonly pools: readonly Address[];
  c10Sol: number;
};

const dataDir = mkdtempSync(join(tmpdir(), "exitability-history-"));
const database = openDatabase({ databaseUrl: null, dataDir });
try {
  await migrate(database, START_MS);
  report(await live());
} finally {
  await database.close();
  rmSync(dataDir, { recursive: true, force: true });
}

async function live() {
  const random = seededRandom(Number(values.seed));
  let nowMs = START_MS;
  const archive = new TokenArchive({
    database,
    nowMs: () => nowMs,
    retentionDays: 30,
    stateDays: 30,
  });
  const count = Number(values.tokens);
  const tokens: Token[] = Array.from({ length: count }, (_, rank) => ({
    mint: random.address(),
    chance: chanceAt((rank + 0.5) / count),
    pools: Array.from({ length: POOLS[rank % POOLS.length] ?? 1 }, () => random.address()),
    c10Sol: 1 + 20 * random.uniform(),
  }));
  for (const { mint } of tokens) await archive.open(mint, NO_NAMES);
  const samples = (Number(values.hours) * 3_600_000) / SAMPLE_EVERY_MS;
  for (let sample = 0; sample < samples; sample++) {
    nowMs = START_MS + sample * SAMPLE_EVERY_MS;
    for (const token of tokens) {
      if (random.uniform() < token.chance) token.c10Sol *= Math.exp(0.02 * random.normal());
      const snapshot = values.states ? snapshotOf(token, nowMs) : null;
      archive.add(token.mint, sampleOf(token.c10Sol, nowMs), snapshot);
    }
    if (sample % SAVE_EVERY_SAMPLES === 0) await archive.save();
  }
  await archive.save({ all: true });
  const reader = new TokenArchive({
    database,
    nowMs: () => nowMs,
    retentionDays: 30,
    stateDays: 30,
  });
  const times: number[] = [];
  for (let query = 0; query < QUERIES; query++) {
    const token = tokens[query % Math.ceil(count * 0.02)];
    if (token === undefined) continue;
    const start = performance.now();
    await reader.history(token.mint, { fromMs: START_MS, toMs: nowMs, stepMs: 60_000 });
    times.push(performance.now() - start);
  }
  return { bytes: databaseBytes(), queryMs: times.toSorted((a, b) => a - b).at(-3) ?? Number.NaN };
}

function report({ bytes, queryMs }: { readonly bytes: number; readonly queryMs: number }): void {
  const perToken = bytes / Number(values.tokens);
  const projectedMiB = (perToken * GOAL.tokens) / 2 ** 20;
  if (values.json) {
    console.log(JSON.stringify({ tokens: Number(values.tokens), bytes, projectedMiB, queryMs }));
  } else {
    console.log(
      formatTable([
        ["tokens", "hours", "bytes per token", "20,000 tokens, MiB", "slow query ms", "goal ms"],
        [
          Number(values.tokens),
          Number(values.hours),
          Math.round(perToken),
          Math.round(projectedMiB),
          queryMs.toFixed(1),
          GOAL.queryMs,
        ],
      ]),
    );
  }
  process.exitCode = queryMs < GOAL.queryMs ? 0 : 1;
}

function chanceAt(place: number): number {
  let left = place;
  for (const { share, chance } of CHANGES) {
    left -= share;
    if (left <= 0) return chance;
  }
  return 0;
}

function sampleOf(c10Sol: number, atMs: number): Sample {
  const slippagePct = [0.5, 1, 2, 5, 10, 50].map((size) => (100 * size) / (size + 9 * c10Sol));
  return { atMs, c10Sol, depthSol: 9 * c10Sol, slippagePct, confidence: "high", basis: 1 };
}

/** An answer as a token of so many pools has it, its figures with all their digits. */
function snapshotOf({ mint, c10Sol, pools }: Token, nowMs: number): AssessedSnapshot {
  const depthLamports = BigInt(Math.round(9e9 * c10Sol));
  const spotPrice = { numerator: depthLamports, denominator: 987_654_321_000_000n };
  const slip = (factor: number) =>
    Object.fromEntries(
      STANDARD_SIZES.map((size) => {
        const pct = (100 * Number(size)) / (Number(size) + factor * c10Sol);
        return [size, Math.round(pct * 1e4) / 1e4];
      }),
    ) as Ladder["slippagePct"];
  const ladder = (factor: number): Ladder => ({
    slippagePct: slip(factor),
    score: Math.round(30 * c10Sol) / 10,
    exitMaxSol: 5,
  });
  return {
    kind: "assessed",
    assessment: {
      mint,
      decimals: 6,
      token: PLAIN_TOKEN,
      phase: "migrated",
      family: "pump",
      measurement: {
        depthLamports,
        midPrice: spotPrice,
        retail: ladder(9),
        pro: ladder(9.5),
        c10Sol,
        pools: pools.map((address) => ({
          venue: "pumpswap",
          family: "pump",
          address,
          quoteMint: WSOL,
          status: "open",
          depthLamports,
          nearDepthLamports: depthLamports / 19n,
          spotPrice,
          feePpm: 3_000,
        })),
      },
      blocked: null,
      findings: [{ kind: "freeze-authority" }],
      slot: BigInt(Math.floor(nowMs / SLOT_MS)),
      stateTimeMs: nowMs - SLOT_MS,
    },
    trend: "stable",
    isDeteriorating: false,
    name: "A token of the bench",
    symbol: "BENCH",
  };
}

function databaseBytes(): number {
  return readdirSync(dataDir).reduce((sum, file) => sum + statSync(join(dataDir, file)).size, 0);
}
