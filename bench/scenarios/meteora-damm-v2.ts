import { meteoraDammV2 } from "#src/venues/meteora-damm-v2/adapter.ts";
import { dammV2Fixture, dammV2State, MINT_A } from "#test/support/pools/meteora-pools.ts";
import { loadDammV2Sdk } from "#test/support/sdks/damm-sdks.ts";
import { bytesOf } from "#test/support/sdks/raydium-sdk.ts";
import { fastOnceRead, referenceOnceRead, type Sale, standardAmounts } from "./sale-contenders.ts";
import type { Scenario } from "./scenario.ts";

const CLOCK = { slot: 400_000_000n, unixTimestamp: 1_790_000_000n, epoch: 1050n };
/** 120 million tokens of six decimals beside 412 SOL. */
const RESERVES = { tokens: 120_000_000_000_000n, lamports: 412_000_000_000n };
const AMOUNTS = standardAmounts(RESERVES.tokens, RESERVES.lamports);

/** The whole price range, 0.25 %, no dynamic fee. */
function dammV2Pool() {
  const base = dammV2State();
  const held = (reserve: bigint) => ({ reserve, vaultAmount: reserve * 2n });
  const state = dammV2State({
    // sqrt(120e12 * 412e9) and sqrt(412e9 / 120e12), in 64.64.
    liquidity: 7_031_358_332_499n << 64n,
    sqrtPrice: 1_080_883_213_119_871_440n,
    tokenA: { ...base.tokenA, ...held(RESERVES.tokens) },
    tokenB: { ...base.tokenB, ...held(RESERVES.lamports) },
    baseFee: {
      kind: "time-linear",
      cliffFeeNumerator: 2_500_000n,
      periods: 0n,
      periodFrequency: 0n,
      reductionFactor: 0n,
    },
  });
  return dammV2Fixture(state);
}

function dammV2Sale(): Sale<unknown> {
  const { pool, accounts } = dammV2Pool();
  const sale = { inputMint: MINT_A, amounts: AMOUNTS, clock: CLOCK };
  return { venue: meteoraDammV2, pool, known: accounts, ...sale };
}

const dammV2Quotes: Scenario = {
  goal: "7a",
  name: "Meteora DAMM v2, six quotes of a pool already read, beside the SDK's",
  bar: 500,
  ambition: 2000,
  ratio: "speedup",
  unit: "nanoseconds",
  prepare: async () => {
    const sdk = loadDammV2Sdk(null);
    if (sdk === null) return null;
    const { pool, accounts } = dammV2Pool();
    const poolState = sdk.decodePool(bytesOf(accounts.get(pool)));
    const orders = AMOUNTS.map((amount) => new sdk.BN(String(amount)));
    const quoteOne = (inAmount: (typeof orders)[number]) =>
      sdk.quote({
        inAmount,
        inputTokenMint: poolState.tokenAMint,
        slippage: 0,
        poolState,
        currentTime: Number(CLOCK.unixTimestamp),
        currentSlot: Number(CLOCK.slot),
        tokenADecimal: 6,
        tokenBDecimal: 9,
        hasReferral: false,
      }).swapOutAmount;
    return {
      ours: fastOnceRead(dammV2Sale()),
      theirs: {
        run: () => {
          for (const amountIn of orders) quoteOne(amountIn);
        },
        outputs: () => orders.map((amountIn) => quoteOne(amountIn).toString()),
      },
    };
  },
};

const dammV2Core: Scenario = {
  goal: "7b",
  name: "Meteora DAMM v2, six quotes of a pool already read, beside the core of the SDK's",
  bar: 100,
  ambition: 350,
  ratio: "speedup",
  unit: "nanoseconds",
  prepare: async () => {
    const sdk = loadDammV2Sdk(null);
    if (sdk === null) return null;
    const { pool, accounts } = dammV2Pool();
    const poolState = sdk.decodePool(bytesOf(accounts.get(pool)));
    const feeMode = sdk.feeMode(0, 0, false);
    const point = new sdk.BN(String(CLOCK.unixTimestamp));
    const orders = AMOUNTS.map((amount) => new sdk.BN(String(amount)));
    const quoteOne = (amountIn: (typeof orders)[number]) =>
      sdk.quoteCore(poolState, amountIn, feeMode, 0, point).outputAmount;
    return {
      ours: fastOnceRead(dammV2Sale()),
      theirs: {
        run: () => {
          for (const amountIn of orders) quoteOne(amountIn);
        },
        outputs: () => orders.map((amountIn) => quoteOne(amountIn).toString()),
      },
    };
  },
};

const besideReference: Scenario = {
  goal: "14b",
  name: "Meteora DAMM v2, six quotes by the fast path, beside the reference's",
  bar: 0.3,
  ambition: 0.1,
  ratio: "share",
  unit: "nanoseconds",
  prepare: async () => ({
    ours: fastOnceRead(dammV2Sale()),
    theirs: referenceOnceRead(dammV2Sale()),
  }),
};

export const meteoraDammV2Scenarios: readonly Scenario[] = [
  dammV2Quotes,
  dammV2Core,
  besideReference,
];
