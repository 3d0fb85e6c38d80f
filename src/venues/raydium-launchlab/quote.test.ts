import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { U64_MAX } from "#src/units/integer.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { COIN, type LaunchFixture, launchFixture } from "#test/support/pools/pump-pools.ts";
import { amountOut } from "#test/support/pools/quoted-amount.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import { raydiumLaunchLab } from "./adapter.ts";
import type { LaunchLabState } from "./decode.ts";
import { buyParts } from "./quote.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 1050n };

function stateOf(fields: LaunchFixture): LaunchLabState {
  const { pool, accounts } = launchFixture(fields);
  return decodedState(raydiumLaunchLab, pool, accounts);
}

function quote(fields: LaunchFixture, side: "sell" | "buy", amountIn: bigint) {
  const state = stateOf(fields);
  const inputMint = side === "sell" ? state.baseMint : state.quoteMint;
  return raydiumLaunchLab.quoteExactIn(state, { inputMint, amountIn, clock: CLOCK });
}

type SwapVector = {
  readonly name: string;
  readonly direction: "sell" | "buy";
  readonly totalBaseSell: string;
  readonly virtualBase: string;
  readonly virtualQuote: string;
  readonly realBase: string;
  readonly realQuote: string;
  readonly feeRate: string;
  readonly amountIn: string;
  readonly amountOut: string;
  readonly realBaseAfter: string;
  readonly realQuoteAfter: string;
};

const { swaps }: { readonly swaps: readonly SwapVector[] } = JSON.parse(
  readFileSync(new URL("vectors/mainnet-swaps.json", import.meta.url), "utf8"),
);

for (const vector of swaps) {
  test(`pays what mainnet paid: ${vector.name}`, () => {
    const found = quote(
      {
        totalBaseSell: BigInt(vector.totalBaseSell),
        virtualBase: BigInt(vector.virtualBase),
        virtualQuote: BigInt(vector.virtualQuote),
        realBase: BigInt(vector.realBase),
        realQuote: BigInt(vector.realQuote),
        protocolFeeRate: BigInt(vector.feeRate),
        platformFeeRate: 0n,
        creatorFeeRate: 0n,
      },
      vector.direction,
      BigInt(vector.amountIn),
    );
    assert.equal(amountOut(found), BigInt(vector.amountOut));
    if (found.kind !== "filled") return;
    assert.equal(found.after.realBase, BigInt(vector.realBaseAfter));
    assert.equal(found.after.realQuote, BigInt(vector.realQuoteAfter));
  });
}

const free = { protocolFeeRate: 0n, platformFeeRate: 0n, creatorFeeRate: 0n };

test("fees of protocol, platform and creator are added before they are rounded up once", () => {
  const fixed: LaunchFixture = {
    kind: "fixed-price",
    virtualBase: 1000n,
    virtualQuote: 1000n,
    realBase: 500n,
    realQuote: 500n,
    protocolFeeRate: 1n,
    platformFeeRate: 1n,
    creatorFeeRate: 1n,
  };
  assert.equal(amountOut(quote(fixed, "sell", 100n)), 99n);
  assert.equal(raydiumLaunchLab.feePpm(stateOf(fixed), COIN, CLOCK), 3);
});

test("a fixed-price curve pays its one price until what was raised runs out", () => {
  const fixed: LaunchFixture = {
    ...free,
    kind: "fixed-price",
    virtualBase: 1000n,
    virtualQuote: 300n,
    realBase: 500n,
    realQuote: 150n,
    totalBaseSell: 1000n,
  };
  assert.equal(amountOut(quote(fixed, "sell", 3n)), 0n);
  assert.equal(amountOut(quote(fixed, "sell", 99n)), 29n);
  assert.equal(amountOut(quote(fixed, "sell", 500n)), 150n);
  assert.equal(amountOut(quote(fixed, "sell", 501n)), "insufficient-liquidity");
  assert.equal(amountOut(quote(fixed, "buy", 100n)), 333n);
  assert.deepEqual(raydiumLaunchLab.spotPrice(stateOf(fixed), COIN), {
    numerator: 300n,
    denominator: 1000n,
  });
  assert.equal(raydiumLaunchLab.reachable(stateOf(fixed), COIN, 1), 150n);
});

test("a linear curve's price grows with what is sold", () => {
  // virtual_base 2^55: the price is sold / 512, and sold^2 / 1024 has been raised.
  const linear: LaunchFixture = {
    ...free,
    kind: "linear-price",
    virtualBase: 1n << 55n,
    virtualQuote: 0n,
    realBase: 1024n,
    realQuote: 1024n,
    totalBaseSell: 4096n,
  };
  assert.equal(amountOut(quote(linear, "sell", 512n)), 1024n - 256n);
  assert.equal(amountOut(quote(linear, "sell", 1n)), 1n);
  assert.equal(amountOut(quote(linear, "buy", 3072n)), 1024n);
  assert.deepEqual(raydiumLaunchLab.spotPrice(stateOf(linear), COIN), {
    numerator: 1n << 65n,
    denominator: 1n << 64n,
  });
  assert.equal(raydiumLaunchLab.reachable(stateOf(linear), COIN, 5000), 768n);
  assert.equal(raydiumLaunchLab.reachable(stateOf(linear), COIN, 10_000), 1024n);
});

test("transfer fees are taken before the curve on the way in and after it on the way out", () => {
  const tenth = { epoch: 0n, maximum: U64_MAX, feeBps: 1000 };
  const schedule = { older: tenth, newer: { epoch: 2000n, maximum: 0n, feeBps: 0 } };
  const fixed: LaunchFixture = {
    ...free,
    kind: "fixed-price",
    virtualBase: 1000n,
    virtualQuote: 1000n,
    realBase: 500n,
    realQuote: 500n,
    baseTransferFee: schedule,
    quoteTransferFee: schedule,
  };
  assert.equal(amountOut(quote(fixed, "sell", 100n)), 81n);
  const found = quote(fixed, "buy", 100n);
  assert.equal(amountOut(found), 81n);
  assert.equal(found.kind === "filled" && found.after.realQuote, 590n);
  const feePpmAt = (epoch: bigint) =>
    raydiumLaunchLab.feePpm(stateOf(fixed), COIN, { ...CLOCK, epoch });
  assert.deepEqual([feePpmAt(1999n), feePpmAt(2000n)], [190_000, 0]);
  // The fee of a single unit is the unit: nothing arrives.
  assert.equal(amountOut(quote(fixed, "sell", 1n)), "amount-zero");
  assert.equal(amountOut(quote(fixed, "buy", 1n)), "output-zero");
});

test("the last buyer gets what is left, pays for that alone, and completes the launch", () => {
  const nearly: LaunchFixture = { realBase: 793_099_999_999_900n, realQuote: 85_000_000_000n };
  const found = quote(nearly, "buy", 1_000_000_000n);
  assert.equal(amountOut(found), 100n);
  if (found.kind !== "filled") return;
  assert.equal(raydiumLaunchLab.status(found.after, CLOCK), "complete");
  assert.equal(found.after.realQuote, 85_000_000_001n);
});

test("a constant product counts every unit of its reserves", () => {
  // 900 or 901 base units are left on the curve, and it holds 500 quote units; then 400 or 401 and 1000.
  const at = (virtualBase: bigint, virtualQuote: bigint): LaunchFixture => ({
    ...free,
    virtualBase,
    virtualQuote,
    realBase: 500n,
    realQuote: 100n,
    totalBaseSell: 5000n,
  });
  assert.equal(amountOut(quote(at(1400n, 400n), "sell", 100n)), 50n);
  assert.equal(amountOut(quote(at(1401n, 400n), "sell", 100n)), 49n);
  assert.equal(amountOut(quote(at(1500n, 300n), "buy", 100n)), 200n);
  assert.equal(amountOut(quote(at(1500n, 301n), "buy", 100n)), 199n);
});

test("a sale pays all that was raised, and is refused a unit above it", () => {
  const raised = (realQuote: bigint): LaunchFixture => ({
    ...free,
    virtualBase: 1400n,
    virtualQuote: 500n - realQuote,
    realBase: 500n,
    realQuote,
  });
  assert.equal(amountOut(quote(raised(50n), "sell", 100n)), 50n);
  assert.equal(amountOut(quote(raised(49n), "sell", 100n)), "insufficient-liquidity");
});

test("what the last buyer pays is rounded up on each curve, and the fee is added on top of it", () => {
  const launch: LaunchFixture = { ...free, protocolFeeRate: 100_000n, realQuote: 200n };
  const constant = { virtualBase: 1500n, virtualQuote: 300n, realBase: 500n, totalBaseSell: 600n };
  const fixed = { virtualBase: 1000n, virtualQuote: 300n, realBase: 500n, totalBaseSell: 601n };
  const linear = { virtualBase: 1n << 55n, realBase: 448n, totalBaseSell: 513n };
  for (const [fields, base, cost, fee] of [
    [{ ...launch, ...constant }, 100n, 56n, 7n],
    [{ ...launch, ...fixed, kind: "fixed-price" }, 101n, 31n, 4n],
    [{ ...launch, ...linear, kind: "linear-price" }, 65n, 58n, 7n],
  ] as const) {
    const state = stateOf(fields);
    const order = { inputMint: state.quoteMint, amountIn: 1000n, clock: CLOCK };
    assert.deepEqual(buyParts(state, order), { base, quote: cost, fee });
    const found = raydiumLaunchLab.quoteExactIn(state, order);
    assert.equal(amountOut(found), base);
    assert.equal(found.kind === "filled" && found.after.realQuote, 200n + cost);
  }
});

test("a purchase of exactly what is left pays all that it brings", () => {
  const launch: LaunchFixture = {
    ...free,
    kind: "fixed-price",
    virtualBase: 300n,
    virtualQuote: 1000n,
    realBase: 99n,
    totalBaseSell: 100n,
  };
  const found = quote(launch, "buy", 5n);
  assert.equal(amountOut(found), 1n);
  assert.equal(found.kind === "filled" && found.after.realQuote, 5n);
});

test("a launch that waits or has moved trades nothing, and says which", () => {
  const sold = { realBase: 100_000_000_000_000n, realQuote: 3_000_000_000n };
  assert.equal(amountOut(quote({ ...sold, status: 1 }, "sell", 5n)), "complete");
  assert.equal(amountOut(quote({ ...sold, status: 2 }, "sell", 5n)), "migrated");
  assert.equal(raydiumLaunchLab.spotPrice(stateOf({ ...sold, status: 1 }), COIN), null);
  assert.equal(raydiumLaunchLab.reachable(stateOf({ ...sold, status: 2 }), COIN, 10_000), 0n);
});

test("amounts and mints at the edges give a reason", () => {
  const sold = { realBase: 100_000_000_000_000n, realQuote: 3_084_000_000n };
  assert.equal(amountOut(quote(sold, "sell", 0n)), "amount-zero");
  assert.equal(amountOut(quote(sold, "sell", U64_MAX + 1n)), "overflow");
  assert.equal(amountOut(quote(sold, "sell", U64_MAX)), "insufficient-liquidity");
  assert.equal(amountOut(quote({}, "sell", 1n)), "insufficient-liquidity");
  assert.equal(amountOut(quote(sold, "buy", 1n)), "output-zero");
  assert.equal(
    amountOut(quote({ realBase: 793_100_000_000_000n }, "buy", 9n)),
    "insufficient-liquidity",
  );
  const hollow = { ...sold, virtualBase: sold.realBase };
  assert.equal(amountOut(quote(hollow, "sell", 5n)), "overflow");
  assert.equal(raydiumLaunchLab.spotPrice(stateOf(hollow), COIN), null);
  const order = { inputMint: testAddress(99), amountIn: 5n, clock: CLOCK };
  assert.deepEqual(raydiumLaunchLab.quoteExactIn(stateOf(sold), order), {
    kind: "unfillable",
    reason: "refused",
  });
});
