import { type Profile, STANDARD_SIZE_LAMPORTS, STANDARD_SIZES } from "#src/measure/assessment.ts";
import type { Market } from "#src/measure/market/market.ts";
import { priceMarket } from "#src/measure/market/priced-market.ts";
import { exitOfBaseUnits } from "#src/measure/questions/exit-at.ts";
import { exitWithin } from "#src/measure/questions/max-cost.ts";
import { bestPossibleLamports } from "#src/measure/sale/split-bound.ts";
import { positionOf } from "#src/measure/slippage.ts";
import { seededRandom } from "#src/platform/seeded-random.ts";
import { toNumber } from "#src/units/to-number.ts";
import { largestByScan } from "#test/support/markets/largest-by-scan.ts";
import { randomMarket } from "#test/support/markets/random-markets.ts";
import { readOptions } from "./support/options.ts";

/**
 * The largest sale within a cost compared with a scan of the sizes, over random markets of one to four
 * pools; the bound of the split compared with the found split; and, in half of the sets, the size compared
 * with that of a higher cost.
 */

const { values } = readOptions(
  "The largest sale within a cost compared with a scan of sizes, and the bound of the split.",
  {
    json: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    sets: { type: "string", default: "2000", help: "random sets of pools" },
    from: {
      type: "string",
      default: "0",
      help: "sets that are passed over, so that a long run can be made in parts",
    },
  },
);

const ALLOWED = 1e-6;
/** The answer promises a bound within 0.1 bp. */
const ALLOWED_GAP = 1e-5;
/** Sizes 12 % apart, with another first size in every set. */
const GRID_STEP = 1.12;
const LIMITS_PPM = [2_000n, 10_000n, 30_000n, 100_000n, 250_000n, 600_000n] as const;

const random = seededRandom(Number(values.seed));
const sets = Number(values.sets);
const from = Number(values.from);
const result = {
  sets,
  answered: 0,
  smaller: 0,
  worst: 0,
  notMonotone: 0,
  aboveCost: 0,
  bounds: 0,
  unproved: 0,
  gapOver: 0,
  worstGap: 0,
  searchMs: 0,
};
/** The sets where the scan found more. */
const smaller: { readonly set: number; readonly share: number }[] = [];
for (let set = 0; set < from + sets; set++) {
  const market = randomMarket(random);
  const profile = set % 2 === 0 ? "pro" : "retail";
  const limit = LIMITS_PPM[Math.floor(random() * LIMITS_PPM.length)] ?? 100_000n;
  const grid = { step: GRID_STEP, offset: random() };
  if (set < from) continue;
  const started = performance.now();
  const { exit } = exitWithin(market, limit, profile);
  result.searchMs += performance.now() - started;
  const found = exit.kind === "sold" ? exit.baseUnitsSold : 0n;
  if (set % 4 < 2 && isSmallerAt(market, { limit, profile }, found)) result.notMonotone++;
  const scanned = largestByScan(market, limit, profile, grid);
  if (found > 0n) result.answered++;
  const missed = toNumber(scanned > found ? scanned - found : 0n);
  const share = missed <= 1 ? 0 : missed / toNumber(scanned);
  result.worst = Math.max(result.worst, share);
  if (share > ALLOWED) {
    result.smaller++;
    smaller.push({ set, share });
  }
  if (exit.kind !== "sold") continue;
  if ((exit.sizeLamports - exit.paidLamports) * 1_000_000n > limit * exit.sizeLamports) {
    result.aboveCost++;
  }
  const { open, midPrice } = priceMarket(market);
  if (profile !== "pro" || market.token === null || midPrice === null) continue;
  const samples = STANDARD_SIZES.map((size) => positionOf(STANDARD_SIZE_LAMPORTS[size], midPrice));
  const { routes, paidLamports } = exit;
  const best = bestPossibleLamports({ open, token: market.token, routes, samples });
  if (best === null) {
    result.unproved++;
    continue;
  }
  result.bounds++;
  const gap = toNumber(best - paidLamports) / toNumber(paidLamports);
  result.worstGap = Math.max(result.worstGap, gap);
  if (gap > ALLOWED_GAP) result.gapOver++;
  const again = exitOfBaseUnits(market, found, profile);
  if (again.kind !== "sold" || again.paidLamports !== paidLamports)
    throw new Error("not one answer");
}
/** Whether a higher limit gives a smaller size. */
function isSmallerAt(
  market: Market,
  { limit, profile }: { readonly limit: bigint; readonly profile: Profile },
  found: bigint,
): boolean {
  const { exit } = exitWithin(market, limit + limit / 50n, profile);
  return exit.kind === "sold" ? exit.baseUnitsSold < found : found > 0n;
}

const { searchMs, ...counts } = result;
const summary = { ...counts, sizesBelowScan: smaller, meanSearchMs: searchMs / sets };
console.log(values.json ? JSON.stringify(summary) : summary);
