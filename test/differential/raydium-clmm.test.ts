import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { raydiumClmm } from "#src/venues/raydium-clmm/adapter.ts";
import { clmmFixture, clmmPools } from "#test/support/pools/clmm-pools.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { propertyRuns } from "#test/support/property-runs.ts";
import { loadClmmSdk } from "#test/support/sdks/clmm-sdk.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const STATES = propertyRuns(400);

const amount = fc
  .integer({ min: 4, max: 52 })
  .chain((bits) => fc.bigInt({ min: 1n << BigInt(bits - 1), max: 1n << BigInt(bits) }));

test(`${STATES} pools pay what Raydium's SDK says, with dynamic fee, fee side and limit orders`, (t) => {
  const sdk = loadClmmSdk(t);
  if (sdk === null) return;
  let filled = 0;
  fc.assert(
    fc.property(clmmPools, amount, fc.boolean(), (fields, amountIn, zeroForOne) => {
      const { pool, mintA, mintB, accounts } = clmmFixture(fields);
      const state = decodedState(raydiumClmm, pool, accounts);
      const inputMint = zeroForOne ? mintA : mintB;
      const order = { inputMint, amountIn, clock: CLOCK };
      const ours = raydiumClmm.quoteExactIn(state, order);
      const theirs = sdk
        .open(pool, accounts, zeroForOne)
        .decode(accounts)
        .quote(amountIn, CLOCK.unixTimestamp);
      if (ours.kind === "filled") filled++;
      // The SDK answers 0 where the program refuses an order that pays nothing.
      const isNothing = ours.kind === "unfillable" && ours.reason === "output-zero";
      const paid = ours.kind === "filled" ? ours.amountOut : isNothing ? 0n : null;
      assert.equal(paid, theirs);
    }),
    { numRuns: STATES, seed: 20_261_121 },
  );
  assert.ok(filled > STATES / 2);
});

test("an accumulator whose square leaves 2^53 quotes here; the SDK squares in doubles and throws", (t) => {
  const sdk = loadClmmSdk(t);
  if (sdk === null) return;
  const { pool, mintA, accounts } = clmmFixture({
    tickSpacing: 10,
    sqrtPriceX64: 1n << 64n,
    positions: [{ lower: -600, upper: 600, liquidity: 1_000_000n }],
    dynamicFee: {
      filterPeriod: 30n,
      decayPeriod: 600n,
      reductionFactor: 5000,
      control: 500,
      maxAccumulator: 10_000_000,
      indexReference: 0,
      volatilityReference: 9_990_000,
      accumulator: 10_000_000,
      lastUpdate: CLOCK.unixTimestamp,
    },
  });
  const state = decodedState(raydiumClmm, pool, accounts);
  const order = { inputMint: mintA, amountIn: 10_000n, clock: CLOCK };
  assert.equal(raydiumClmm.quoteExactIn(state, order).kind, "filled");
  assert.throws(() =>
    sdk.open(pool, accounts, true).decode(accounts).quote(10_000n, CLOCK.unixTimestamp),
  );
});
