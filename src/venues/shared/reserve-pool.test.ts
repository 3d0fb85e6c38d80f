import assert from "node:assert/strict";
import { test } from "node:test";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { amountOut } from "#test/support/pools/quoted-amount.ts";
import { cpmmFixture } from "#test/support/pools/raydium-pools.ts";
import { raydiumCpmm } from "../raydium-cpmm/adapter.ts";
import { cappedFeeOf } from "./reserve-pool.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const RESERVE = 10n ** 12n;

/** A pool of equal reserves with a fee of a millionth, which sells a token with a transfer fee. */
function taxedPool({ feeBps, maximum }: { readonly feeBps: number; readonly maximum: bigint }) {
  const fee = { epoch: 0n, feeBps, maximum };
  const { pool, accounts } = cpmmFixture({
    ...{ vault0: RESERVE, vault1: RESERVE, tradeFeeRate: 1n },
    transferFee0: { older: fee, newer: fee },
  });
  const state = decodedState(raydiumCpmm, pool, accounts);
  const { mint: inputMint } = state.token0;
  const side = { venue: raydiumCpmm, state, inputMint, epoch: CLOCK.epoch };
  return {
    feePpm: raydiumCpmm.feePpm(state, inputMint, CLOCK),
    cappedFee: cappedFeeOf(raydiumCpmm.transfers?.(state, inputMint) ?? assert.fail(), side),
    sells: (amountIn: bigint) =>
      amountOut(raydiumCpmm.quoteExactIn(state, { inputMint, amountIn, clock: CLOCK })),
  };
}

test("a transfer fee without a maximum counts whole, of a first unit as of any sale", () => {
  const unlimited = (1n << 64n) - 1n;
  assert.equal(taxedPool({ feeBps: 1_200, maximum: unlimited }).feePpm, 120_001);
  assert.equal(taxedPool({ feeBps: 10_000, maximum: unlimited }).feePpm, 1_000_000);
});

test("a transfer fee with a small maximum is next to nothing, whatever its rate: the pool pays", () => {
  const { feePpm, sells } = taxedPool({ feeBps: 10_000, maximum: 1_000n });
  assert.equal(sells(1_000n), "amount-zero");
  assert.equal(sells(10n ** 10n), 9_900_979_315n);
  assert.equal(feePpm, 2);
});

test("the part of a fee that a maximum makes depend on depth is known with its terms", () => {
  const unlimited = taxedPool({ feeBps: 1_200, maximum: (1n << 64n) - 1n });
  assert.equal(unlimited.cappedFee, null);
  const { feePpm, cappedFee } = taxedPool({ feeBps: 1_200, maximum: RESERVE / 3_333n });
  assert.deepEqual(cappedFee, { ppm: feePpm - 1, terms: `input 1200/${RESERVE / 3_333n}` });
});

test("a maximum above what a small sale pays changes nothing", () => {
  const rate = { feeBps: 1_200 };
  // Half a percent of the reserve is sold until the price is 1 % lower; 12 % of that is the fee.
  assert.equal(taxedPool({ ...rate, maximum: RESERVE / 1_000n }).feePpm, 120_001);
  const half = taxedPool({ ...rate, maximum: RESERVE / 3_333n }).feePpm;
  assert.ok(half > 59_000 && half < 61_000, `${half}`);
});
