import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ByteWriter } from "#demo/byte-writer.ts";
import { orcaWhirlpool } from "#src/venues/orca-whirlpool/adapter.ts";
import { WHIRLPOOL } from "#src/venues/orca-whirlpool/layout.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import {
  type WhirlpoolFixture,
  whirlpoolFixture,
  whirlpools,
} from "#test/support/pools/whirlpools.ts";
import { propertyRuns } from "#test/support/property-runs.ts";
import { loadLegacyWhirlpools, loadWhirlpoolCore } from "#test/support/sdks/whirlpool-sdk.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const STATES = propertyRuns(300);
const SEED = 20_261_121;

const amount = fc
  .integer({ min: 1, max: 52 })
  .chain((bits) => fc.bigInt({ min: 1n << BigInt(bits - 1), max: 1n << BigInt(bits) }));

function ours(fields: WhirlpoolFixture, amountIn: bigint, aToB: boolean) {
  const { pool, mintA, mintB, known } = whirlpoolFixture(fields);
  const state = decodedState(orcaWhirlpool, pool, known);
  const inputMint = aToB ? mintA : mintB;
  const quote = orcaWhirlpool.quoteExactIn(state, { inputMint, amountIn, clock: CLOCK });
  const amountOut = quote.kind === "filled" ? quote.amountOut : null;
  return { pool, known, state, amountOut };
}

test(`${STATES} pools pay what whirlpools-core says, adaptive fee included`, (t) => {
  const core = loadWhirlpoolCore(t);
  if (core === null) return;
  let filled = 0;
  fc.assert(
    fc.property(whirlpools, amount, fc.boolean(), (fields, amountIn, aToB) => {
      const { state, amountOut } = ours(fields, amountIn, aToB);
      if (amountOut !== null) filled++;
      assert.equal(amountOut, core(state, aToB, amountIn, CLOCK.unixTimestamp));
    }),
    { numRuns: STATES, seed: SEED },
  );
  assert.ok(filled > STATES / 2);
});

test(`${STATES} pools pay what the legacy SDK reads and says, adaptive fee included`, (t) => {
  const legacy = loadLegacyWhirlpools(t);
  if (legacy === null) return;
  let filled = 0;
  fc.assert(
    fc.property(whirlpools, amount, fc.boolean(), (fields, amountIn, aToB) => {
      const { pool, known, amountOut } = ours(fields, amountIn, aToB);
      const theirs = legacy.decode(pool, known, aToB).quote(amountIn, CLOCK.unixTimestamp);
      if (amountOut !== null) filled++;
      assert.equal(amountOut, theirs);
    }),
    { numRuns: STATES, seed: SEED },
  );
  assert.ok(filled > STATES / 2);
});

test("where liquidity would fall below zero the program fails; the WASM build wraps and pays", (t) => {
  const core = loadWhirlpoolCore(t);
  const legacy = loadLegacyWhirlpools(t);
  if (core === null || legacy === null) return;
  const { pool, mintA, known } = whirlpoolFixture({
    tickSpacing: 8,
    sqrtPriceX64: 1n << 64n,
    positions: [
      { lower: -80, upper: 80, liquidity: 1n << 40n },
      { lower: -800, upper: 800, liquidity: 1n << 30n },
    ],
  });
  const account = known.get(pool);
  if (account === undefined || account === null) throw new Error("the fixture has no pool");
  const data = account.data.slice();
  new ByteWriter(data).u128(WHIRLPOOL.liquidity, 1n << 38n);
  known.set(pool, { ...account, data });
  const state = decodedState(orcaWhirlpool, pool, known);
  const order = { inputMint: mintA, amountIn: 1n << 36n, clock: CLOCK };
  const quote = orcaWhirlpool.quoteExactIn(state, order);
  assert.deepEqual(quote, { kind: "unfillable", reason: "overflow" });
  assert.equal(legacy.decode(pool, known, true).quote(1n << 36n, CLOCK.unixTimestamp), null);
  assert.notEqual(core(state, true, 1n << 36n, CLOCK.unixTimestamp), null);
});

test("at the end of the price range both SDKs answer with the part that the program takes", (t) => {
  const core = loadWhirlpoolCore(t);
  const legacy = loadLegacyWhirlpools(t);
  if (core === null || legacy === null) return;
  const { pool, mintA, known } = whirlpoolFixture({
    tickSpacing: 32_896,
    sqrtPriceX64: 1n << 64n,
    positions: [{ lower: -13 * 32_896, upper: 13 * 32_896, liquidity: 1_000_000n }],
  });
  const state = decodedState(orcaWhirlpool, pool, known);
  const order = { inputMint: mintA, amountIn: 1n << 62n, clock: CLOCK };
  const quote = orcaWhirlpool.quoteExactIn(state, order);
  assert.equal(quote.kind, "unfillable");
  const part = quote.kind === "unfillable" ? quote.partlyPaid : null;
  assert.equal(core(state, true, 1n << 62n, CLOCK.unixTimestamp), part);
  assert.equal(legacy.decode(pool, known, true).quote(1n << 62n, CLOCK.unixTimestamp), part);
});
