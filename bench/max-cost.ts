import { parseArgs } from "node:util";
import { STANDARD_SIZE_LAMPORTS, STANDARD_SIZES } from "#src/measure/assessment.ts";
import { CALIBRATION } from "#src/measure/calibration.ts";
import { exitOfBaseUnits } from "#src/measure/exit-at.ts";
import { exitWithin } from "#src/measure/max-cost.ts";
import { priceMarket } from "#src/measure/priced-market.ts";
import { positionOf } from "#src/measure/slippage.ts";
import { bestPossibleLamports } from "#src/measure/split-bound.ts";
import { seededRandom } from "#src/platform/seeded-random.ts";
import { toNumber } from "#src/units/to-number.ts";
import { largestByScan } from "#test/support/largest-by-scan.ts";
import { randomMarket } from "#test/support/random-markets.ts";

/**
 * The largest sale within a cost compared with a scan of the sizes, over random markets of one to four
 * pools; the bound of the split against what was found; and both monotone in the cost.
 */

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    sets: { type: "string", default: "2000" },
  },
});

const ALLOWED = 1e-6;
const LIMITS_PPM = [2_000n, 10_000n, 30_000n, 100_000n, 250_000n, 600_000n] as const;

const random = seededRandom(Number(values.seed));
const sets = Number(values.sets);
const result = {
  sets,
  answered: 0,
  over: 0,
  worst: 0,
  notMonotone: 0,
  aboveCost: 0,
  bounds: 0,
  unproved: 0,
  gapOver: 0,
  worstGap: 0,
  searchMs: 0,
};
for (let set = 0; set < sets; set++) {
  const market = randomMarket(random);
  const profile = set % 2 === 0 ? "pro" : "retail";
  const limit = LIMITS_PPM[Math.floor(random() * LIMITS_PPM.length)] ?? 100_000n;
  const started = performance.now();
  const { exit } = exitWithin(market, limit, profile);
  result.searchMs += performance.now() - started;
  const found = exit.kind === "sold" ? exit.baseUnitsSold : 0n;
  const higher = exitWithin(market, limit + limit / 50n, profile).exit;
  if (higher.kind === "sold" ? higher.baseUnitsSold < found : found > 0n) result.notMonotone++;
  const scanned = largestByScan(market, limit, profile);
  if (found > 0n) result.answered++;
  const missed = toNumber(scanned > found ? scanned - found : 0n);
  const share = missed <= 1 ? 0 : missed / toNumber(scanned);
  result.worst = Math.max(result.worst, share);
  if (share > ALLOWED) result.over++;
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
  if (gap > CALIBRATION.split.gap) result.gapOver++;
  const again = exitOfBaseUnits(market, found, profile);
  if (again.kind !== "sold" || again.paidLamports !== paidLamports)
    throw new Error("not one answer");
}
const { searchMs, ...counts } = result;
const summary = { ...counts, meanSearchMs: searchMs / sets };
console.log(values.json ? JSON.stringify(summary) : summary);
