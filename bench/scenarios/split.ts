import { sampleLane } from "#src/measure/sale/lane.ts";
import { bestSplit } from "#src/measure/sale/split.ts";
import { ratioToNumber } from "#src/units/to-number.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import { bruteForceSplit } from "#test/support/markets/brute-force.ts";
import { poolOfSol, SOL } from "#test/support/markets/markets.ts";
import { levelsPool } from "#test/support/pools/pools.ts";
import type { Scenario } from "./scenario.ts";

const LAMPORTS_PER_UNIT = 0.001;
const POSITION = 20_000n * SOL;

/** A pool, one range of concentrated liquidity that ends, and sixty bins with a gap in them. */
const POOLS: readonly QuotablePool[] = [
  poolOfSol(120, LAMPORTS_PER_UNIT, { number: 1 }),
  poolOfSol(900, LAMPORTS_PER_UNIT * 1.002, { number: 2, feePpm: 3_000, realQuote: 12n * SOL }),
  levelsPool({
    number: 3,
    levels: Array.from({ length: 60 }, (_, bin) => ({
      price: LAMPORTS_PER_UNIT * 0.998 * 0.99 ** (bin < 20 ? bin : bin + 8),
      quote: SOL / 2n,
    })),
  }),
];

function split(): bigint {
  const start = [200n, 50n, 12n, 4n, 2n].map((part) => POSITION / part);
  const lanes = POOLS.map(({ spotPrice, quoteAscending }) => {
    const steepest =
      spotPrice === null ? 0 : ratioToNumber(spotPrice.numerator, spotPrice.denominator);
    return sampleLane({ steepest, quoteAscending }, start);
  });
  return bestSplit(lanes, POSITION)?.paid ?? 0n;
}

/** Not a row of performance.md: the split's own figure. It must stay below 1,000,000 ns. */
export const splitScenarios: readonly Scenario[] = [
  {
    goal: "split",
    name: "20 SOL over three mixed pools, beside a thousand parts sold one by one",
    bar: 2,
    ambition: 5,
    ratio: "speedup",
    unit: "nanoseconds",
    prepare: async () => {
      const best = bruteForceSplit(POOLS, POSITION) ?? 0n;
      const isClose = (paid: bigint) => [`within 0.01 %: ${paid * 10_000n >= best * 9_999n}`];
      return {
        ours: { run: () => void split(), outputs: () => isClose(split()) },
        theirs: {
          run: () => void bruteForceSplit(POOLS, POSITION),
          outputs: () => isClose(best),
        },
      };
    },
  },
];
