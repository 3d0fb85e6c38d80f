import assert from "node:assert/strict";
import fc from "fast-check";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { launchFixture } from "#test/support/pools/pump-pools.ts";
import { testQuoteLaws } from "#test/support/pools/quote-laws.ts";
import { raydiumLaunchLab } from "./adapter.ts";
import { CURVE_KINDS, CURVES } from "./curve.ts";
import type { LaunchLabState } from "./decode.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 1050n };
const amount = fc.oneof(
  fc.bigInt({ min: 1n, max: 1_000_000_000_000_000n }),
  fc.bigInt({ min: 1n, max: 1000n }),
);
const share = fc.bigInt({ min: 0n, max: 10_000n });
const rate = fc.bigInt({ min: 0n, max: 30_000n });
const transferFee = fc
  .record({
    epoch: fc.constant(0n),
    maximum: fc.bigInt({ min: 0n, max: 1_000_000n }),
    feeBps: fc.integer({ min: 0, max: 10_000 }),
  })
  .map((fee) => ({ older: fee, newer: fee }));

const FIXED = (() => {
  const { pool, accounts } = launchFixture();
  return decodedState(raydiumLaunchLab, pool, accounts);
})();

/** Launches as trading from nothing would leave them: what was raised is what the curve says. */
const states = fc
  .record({
    kind: fc.constantFrom(...CURVE_KINDS),
    virtualBase: fc.bigInt({ min: 1_000_000n, max: 1_200_000_000_000_000n }),
    virtualQuote: fc.bigInt({ min: 1_000n, max: 100_000_000_000n }),
    sold: share,
    feeRates: fc.record({ protocol: rate, platform: rate, creator: rate }),
    baseTransferFee: fc.option(transferFee),
    quoteTransferFee: fc.option(transferFee),
  })
  .map(({ sold, ...fields }): LaunchLabState => {
    const isLinear = fields.kind === "linear-price";
    const totalBaseSell = isLinear ? 1_000_000_000_000n : (fields.virtualBase * 3n) / 4n;
    const launch = {
      ...FIXED,
      ...fields,
      virtualBase: isLinear ? fields.virtualQuote : fields.virtualBase,
      totalBaseSell,
    };
    const realBase = (totalBaseSell * sold) / 10_000n;
    return { ...launch, realBase, realQuote: CURVES[fields.kind].cost(launch, realBase) };
  });

const trades = fc.tuple(states, fc.boolean()).map(([state, isSale]) => {
  const { baseMint, quoteMint } = state;
  const [inputMint, outputMint] = isSale ? [baseMint, quoteMint] : [quoteMint, baseMint];
  return { state, inputMint, outputMint };
});

const damagedFee = { epoch: 900n, maximum: 1n << 40n, feeBps: 100 };

testQuoteLaws({
  venue: raydiumLaunchLab,
  clock: CLOCK,
  trades,
  amounts: amount,
  mostOut: ({ state, inputMint }) =>
    inputMint === state.baseMint ? state.realQuote : state.totalBaseSell - state.realBase,
  fillsMore: false,
  laws: {
    "a trade never leaves less than nothing"(_trade, { after }) {
      assert.ok(after.realQuote >= 0n && after.realBase >= 0n);
    },
  },
  pools: fc.constantFrom(...CURVE_KINDS).map((kind) =>
    launchFixture({
      kind,
      realBase: 1n << 40n,
      realQuote: 1n << 34n,
      baseTransferFee: { older: damagedFee, newer: damagedFee },
    }),
  ),
});
