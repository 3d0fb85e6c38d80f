/**
 * Writes the golden vectors of DLMM and DBC: hand-picked pools, quoted by the official SDKs.
 * Run once after a new SDK version, and read the difference: `node tools/record-meteora-vectors.ts`.
 */
import { mock } from "node:test";
import {
  CONFIG,
  CLOCK as DBC_CLOCK,
  type DbcPool,
  dbcAccounts,
  POOL,
} from "#test/support/pools/dbc-pool.ts";
import { CLOCK, type DlmmPool, dlmmAccounts, PAIR } from "#test/support/pools/dlmm-pool.ts";
import { type GoldenVector, writeVectors } from "#test/support/pools/golden-vectors.ts";
import { loadDbcSdk } from "#test/support/sdks/dbc-sdk.ts";
import { loadDlmmSdk } from "#test/support/sdks/dlmm-sdk.ts";

const MILLION = 1_000_000n;
const SOL = 1_000_000_000n;
const AMOUNTS = [1n, 777n, 12_345_678n, 987_654_321n, 40n * SOL, 5_000_000n * MILLION] as const;

const spread = Array.from({ length: 40 }, (_, place) => ({
  id: place - 20,
  x: place >= 20 ? 900_000_007n + BigInt(place) : 0n,
  y: place <= 20 ? 1_100_000_003n - BigInt(place) : 0n,
}));
const bids = { isAskSide: false, processedRemaining: 5_000_003n, open: 70_000_001n };

const dlmmPools: readonly (readonly [string, DlmmPool])[] = [
  ["forty bins of one percent, variable fee from rest", { bins: spread }],
  [
    "a pair in use a minute ago, its reference decayed",
    {
      bins: spread,
      volatility: {
        accumulator: 60_000,
        reference: 10_000,
        indexReference: -2,
        lastUpdateTimestamp: CLOCK.unixTimestamp - 60n,
      },
    },
  ],
  ["fees only in Y", { bins: spread, parameters: { collectsOnlyY: true } }],
  ["bid orders behind market makers", { bins: spread.map((bin) => ({ ...bin, orders: bids })) }],
  [
    "arrays far apart, in the extension's bitmap",
    {
      parameters: { binStep: 1 },
      activeId: -36_000,
      bins: [
        { id: -36_300, y: 9n * SOL },
        { id: -36_001, y: SOL },
        { id: -35_700, x: 70n * SOL },
      ],
    },
  ],
  [
    "a mint that charges five percent of a transfer",
    {
      bins: spread,
      transferFeeX: {
        older: { epoch: 0n, maximum: 0n, feeBps: 0 },
        newer: { epoch: 900n, maximum: 5n * SOL, feeBps: 500 },
      },
    },
  ],
];

const dbcPools: readonly (readonly [string, DbcPool])[] = [
  ["two stretches, one percent in quote", {}],
  ["fees in what comes out", { config: { collects: "output" } }],
  [
    "a linear schedule in its third period",
    {
      config: {
        baseFee: {
          kind: "linear",
          cliffNumerator: 500_000_000n,
          periods: 60,
          periodLength: 300n,
          reduction: 8_000_000n,
        },
      },
    },
  ],
  [
    "an exponential schedule near its end, with a dynamic fee",
    {
      config: {
        baseFee: {
          kind: "exponential",
          cliffNumerator: 990_000_000n,
          periods: 120,
          periodLength: 9n,
          reduction: 300n,
        },
        dynamicFee: {
          maxVolatilityAccumulator: 14_460_000,
          variableFeeControl: 956,
          binStep: 1,
          binStepQ64: 1_844_674_407_370_955n,
          filterPeriod: 10,
          decayPeriod: 120,
          reductionFactorBps: 5_000,
        },
      },
      state: {
        volatility: {
          lastUpdateTimestamp: 0n,
          sqrtPriceReference: 180_000_000_000_000_000n,
          accumulator: 3_000_000n,
          reference: 0n,
        },
      },
    },
  ],
  [
    "a rate limiter that still holds",
    {
      config: {
        baseFee: {
          kind: "rate-limiter",
          cliffNumerator: 10_000_000n,
          incrementBps: 50,
          duration: 3_000n,
          referenceAmount: SOL,
        },
      },
    },
  ],
];

/** Null where official code refuses by answer; most refusals are thrown. */
type Quote = (amountIn: bigint, sellsBase: boolean) => bigint | null;

function vectorOf<Pool>(name: string, pool: Pool, quote: Quote): GoldenVector<Pool> {
  const orders = (["base", "quote"] as const).flatMap((sells) =>
    AMOUNTS.map((amountIn) => ({ sells, amountIn, amountOut: answer(quote, amountIn, sells) })),
  );
  return { name, pool, orders };
}

function answer(quote: Quote, amountIn: bigint, sells: "base" | "quote"): bigint | null {
  try {
    return quote(amountIn, sells === "base");
  } catch (error) {
    if (/liquidity|division by zero/i.test(String(error))) return null;
    throw error;
  }
}

const dlmm = loadDlmmSdk(null);
const dbc = loadDbcSdk(null);
if (dlmm === null || dbc === null) throw new Error("npm ci --prefix bench/sdks");
mock.timers.enable({ apis: ["Date"], now: Number(CLOCK.unixTimestamp) * 1_000 });
writeVectors(
  new URL("../src/venues/meteora-dlmm/vectors/quotes.json", import.meta.url),
  dlmmPools.map(([name, pool]) => {
    const sdk = dlmm.open(PAIR, dlmmAccounts(pool), CLOCK);
    return vectorOf(name, pool, (amountIn, sellsX) => {
      const amountOut = sdk.quote(amountIn, sellsX);
      // The SDK answers zero where the program fails.
      return amountOut === 0n ? null : amountOut;
    });
  }),
);
writeVectors(
  new URL("../src/venues/meteora-dbc/vectors/quotes.json", import.meta.url),
  dbcPools.map(([name, pool]) => {
    const addresses = { pool: POOL, config: CONFIG };
    return vectorOf(name, pool, dbc.open(dbcAccounts(pool), addresses, DBC_CLOCK.slot).quote);
  }),
);
