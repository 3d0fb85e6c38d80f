import { STANDARD_SIZES } from "#src/measure/assessment.ts";
import { weighRoutes } from "#src/measure/market/route.ts";
import { exitLanes } from "#src/measure/sale/exit-lane.ts";
import { sampleLane } from "#src/measure/sale/lane.ts";
import { bestSplit } from "#src/measure/sale/split.ts";
import { between, type Random, seededRandom } from "#src/platform/seeded-random.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import { bruteForceSplit } from "#test/support/markets/brute-force.ts";
import { constantProductPool } from "#test/support/pools/pools.ts";
import { readOptions } from "./support/options.ts";

/**
 * How far the split falls short of brute force, over random sets of two to four constant-product
 * pools, with base units worth 0.001 to 100,000 lamports and fees up to 99 %.
 */

const { values } = readOptions("The split of an order compared with brute force.", {
  json: { type: "boolean", default: false },
  seed: { type: "string", default: "1" },
  sets: { type: "string", default: "10000", help: "random sets of pools" },
});

const UNIT_LAMPORTS = [0.001, 0.01, 1, 10, 100, 1_000, 10_000, 100_000] as const;
const HIGH_FEES_PPM = [2_500, 10_000, 30_000, 100_000, 500_000, 990_000] as const;
/** What the method allows: 0.01 %. */
const ALLOWED = 1e-4;

const random = seededRandom(Number(values.seed));
const rows = new Map<number, { sets: number; over: number; worst: number }>();
for (let set = 0; set < Number(values.sets); set++) {
  const unit = UNIT_LAMPORTS[set % UNIT_LAMPORTS.length] ?? 1;
  const gap = gapOf(randomPools(random, unit), unit, between(random, 0.05, 60));
  const row = rows.get(unit) ?? { sets: 0, over: 0, worst: 0 };
  rows.set(unit, {
    sets: row.sets + 1,
    over: row.over + (gap > ALLOWED ? 1 : 0),
    worst: Math.max(row.worst, gap),
  });
}
for (const [unitLamports, row] of rows) {
  if (values.json) console.log(JSON.stringify({ unitLamports, ...row }));
  else {
    console.log(
      `${String(unitLamports).padStart(8)} lamports a unit: ${row.sets} sets, worst gap ${row.worst.toExponential(1)}, ${row.over} over 0.01 %`,
    );
  }
}

/** The share by which brute force pays more; 0 where it pays less or nothing. */
function gapOf(pools: readonly QuotablePool[], unit: number, sol: number): number {
  const amountIn = BigInt(Math.max(1, Math.floor((sol * 1e9) / unit)));
  const samples = STANDARD_SIZES.map((size) =>
    BigInt(Math.floor((Number(size) * 1e9) / unit)),
  ).filter((x) => x > 0n);
  const routes = weighRoutes(pools.map((pool) => ({ pool, hops: [] })));
  const lanes = exitLanes(routes, samples).map(({ lane }) => sampleLane(lane, samples));
  const split = bestSplit(lanes, amountIn);
  const parts = amountIn < 1_000n ? amountIn : 1_000n;
  const brute = bruteForceSplit(pools, amountIn, parts);
  if (brute === null || brute === 0n) return 0;
  if (split === null) return 1;
  return Math.max(0, Number(brute - split.paid) / Number(brute));
}

function randomPools(from: Random, unit: number): readonly QuotablePool[] {
  const count = 2 + Math.floor(3 * from());
  return Array.from({ length: count }, (_, number) => {
    const price = unit * (0.97 + 0.06 * from());
    const lamports = between(from, 1e9, 1e12);
    const feePpm = HIGH_FEES_PPM[Math.floor(HIGH_FEES_PPM.length * from())] ?? 2_500;
    const base = BigInt(Math.max(1, Math.round(lamports / price)));
    return constantProductPool({ number, base, quote: BigInt(Math.round(lamports)), feePpm });
  });
}
