import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import * as whirlpool from "#src/venues/orca-whirlpool/tick-math.ts";
import * as clmm from "#src/venues/raydium-clmm/tick-math.ts";
import { amountsOf } from "#src/venues/shared/tick-positions.ts";
import type { Bn, BnClass } from "#test/support/sdks/pump-sdks.ts";
import { loadSdk } from "#test/support/sdks/sdk.ts";

const POSITIONS = 4_000;
const SEED = 20_261_123;

const drawn = fc.record({
  lower: fc.integer({ min: -20_000, max: 20_000 }),
  width: fc.integer({ min: 1, max: 12_000 }),
  price: fc.integer({ min: -36_000, max: 36_000 }),
  within: fc.bigInt({ min: 0n, max: 999n }),
  liquidity: fc.bigInt({ min: 1n, max: 1n << 60n }),
});

type TickMath = Pick<typeof clmm, "sqrtPriceAtTick" | "tickAtSqrtPrice">;

/** The position, and what we say that its withdrawal pays at a price anywhere in a tick. */
function withdrawn(
  {
    lower,
    width,
    price,
    within,
    liquidity,
  }: typeof drawn extends fc.Arbitrary<infer T> ? T : never,
  math: TickMath,
) {
  const low = math.sqrtPriceAtTick(price);
  const sqrtPriceX64 = low + ((math.sqrtPriceAtTick(price + 1) - low) * within) / 1_000n;
  const range = { lower, upper: lower + width, liquidity };
  const tickCurrent = math.tickAtSqrtPrice(sqrtPriceX64);
  return { ...range, sqrtPriceX64, ours: amountsOf(range, { sqrtPriceX64, tickCurrent }, math) };
}

type RaydiumPackage = {
  readonly LiquidityMathUtil: {
    getAmountsForLiquidity(
      sqrtPriceX64: Bn,
      lowerX64: Bn,
      upperX64: Bn,
      liquidity: Bn,
      roundsUp: boolean,
    ): { readonly amountA: Bn; readonly amountB: Bn };
  };
};

test(`${POSITIONS} withdrawals of CLMM positions pay what Raydium's SDK says`, (t) => {
  const sdk = loadSdk<RaydiumPackage>(t, "@raydium-io/raydium-sdk-v2");
  const BN = loadSdk<BnClass>(t, "bn.js");
  if (sdk === null || BN === null) return;
  const bn = (value: bigint) => new BN(String(value));
  for (const position of fc.sample(drawn, { numRuns: POSITIONS, seed: SEED })) {
    const { lower, upper, liquidity, sqrtPriceX64, ours } = withdrawn(position, clmm);
    const theirs = sdk.LiquidityMathUtil.getAmountsForLiquidity(
      bn(sqrtPriceX64),
      bn(clmm.sqrtPriceAtTick(lower)),
      bn(clmm.sqrtPriceAtTick(upper)),
      bn(liquidity),
      false,
    );
    assert.deepEqual(ours.map(String), [theirs.amountA.toString(), theirs.amountB.toString()]);
  }
});

type OrcaPackage = {
  decreaseLiquidityQuote(
    liquidity: bigint,
    slippageBps: number,
    sqrtPrice: bigint,
    lower: number,
    upper: number,
  ): { readonly tokenEstA: bigint; readonly tokenEstB: bigint };
};

test(`${POSITIONS} withdrawals of Whirlpool positions pay what whirlpools-core says`, (t) => {
  const core = loadSdk<OrcaPackage>(t, "@orca-so/whirlpools-core");
  if (core === null) return;
  for (const position of fc.sample(drawn, { numRuns: POSITIONS, seed: SEED })) {
    const { lower, upper, liquidity, sqrtPriceX64, ours } = withdrawn(position, whirlpool);
    const theirs = core.decreaseLiquidityQuote(liquidity, 0, sqrtPriceX64, lower, upper);
    assert.deepEqual(ours, [theirs.tokenEstA, theirs.tokenEstB]);
  }
});
