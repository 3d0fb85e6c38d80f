import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { USDC, WSOL } from "#src/units/known-addresses.ts";
import { marketOf, PLAIN_TOKEN, poolOfSol, SOL, usdcPool } from "#test/support/markets/markets.ts";
import { constantProductPool, emptyPool } from "#test/support/pools/pools.ts";
import { assess } from "../assess.ts";
import { slippageAtSize } from "../ladder.ts";
import { type ExitAt, exitAt, exitOfBaseUnits } from "./exit-at.ts";

function sold(exit: ExitAt): Extract<ExitAt, { kind: "sold" }> {
  assert.equal(exit.kind, "sold");
  if (exit.kind !== "sold") throw new Error("not sold");
  return exit;
}

const near = poolOfSol(100, 0.001, { number: 1 });
const second = poolOfSol(40, 0.001, { number: 2, feePpm: 10_000 });
const stable = constantProductPool({
  number: 3,
  quoteMint: USDC,
  base: 30_000_000_000_000n,
  quote: 6_000_000_000n,
});
const market = marketOf([near, second, stable], { hopPools: [usdcPool()] });

describe("an exit of any size", () => {
  test("at a standard size loses what the assessment says, for both profiles", () => {
    const { measurement } = assess(market);
    assert.ok(measurement);
    for (const profile of ["retail", "pro"] as const) {
      for (const [size, lamports] of [
        ["0.5", SOL / 2n],
        ["10", 10n * SOL],
      ] as const) {
        const said: number = slippageAtSize(measurement[profile], size) ?? Number.NaN;
        const { slippagePct } = sold(exitAt(market, lamports, profile));
        assert.ok(Math.abs(slippagePct - said) < 2e-3, `${profile} ${size}`);
      }
    }
  });

  test("pro is sold over routes whose amounts sum to the position and whose payments sum to the whole", () => {
    const exit = sold(exitAt(market, 20n * SOL, "pro"));
    assert.equal(exit.routes.length, 3);
    const amounts = exit.routes.reduce((sum, route) => sum + route.amountIn, 0n);
    const paid = exit.routes.reduce((sum, route) => sum + route.paidLamports, 0n);
    assert.deepEqual([amounts, paid], [exit.baseUnitsSold, exit.paidLamports]);
    for (const { legs, amountIn, paidLamports } of exit.routes) {
      assert.equal(legs[0]?.amountIn, amountIn);
      assert.equal(legs.at(-1)?.amountOut, paidLamports);
      assert.equal(legs.at(-1)?.outputMint, WSOL);
    }
  });

  test("retail is one route, and pays no more than pro", () => {
    const retail = sold(exitAt(market, 20n * SOL, "retail"));
    assert.equal(retail.routes.length, 1);
    assert.ok(retail.paidLamports < sold(exitAt(market, 20n * SOL, "pro")).paidLamports);
  });

  test("the average price is what arrived for what was sold", () => {
    const exit = sold(exitAt(market, 3n * SOL, "retail"));
    assert.deepEqual(exit.averagePrice, {
      numerator: exit.paidLamports,
      denominator: exit.baseUnitsSold,
    });
  });

  test("price impact is the slippage without the pool's fee", () => {
    const alone = marketOf([near]);
    const { priceImpactPct, slippagePct } = sold(exitAt(alone, SOL, "retail"));
    assert.ok(Math.abs(priceImpactPct - 100 * (1 - 1 / 1.01)) < 0.01);
    assert.ok(Math.abs(slippagePct - priceImpactPct - 0.25) < 0.01);
  });

  test("by base units it sells exactly these, and its size is their worth at the mid", () => {
    const exit = sold(exitOfBaseUnits(marketOf([near]), 1_000_000_000_123n, "retail"));
    assert.equal(exit.baseUnitsSold, 1_000_000_000_123n);
    assert.equal(exit.sizeLamports, SOL);
    assert.equal(exit.paidLamports, near.quote(1_000_000_000_123n));
  });
});

describe("a position that can't be sold whole says why", () => {
  const reasonOf = (exit: ExitAt) => (exit.kind === "unsellable" ? exit.reason : null);

  test("blocked: nothing is known", () => {
    assert.equal(
      reasonOf(exitAt(marketOf([], { isSearchComplete: false }), SOL, "pro")),
      "blocked",
    );
  });

  test("no-market: nothing would buy a first unit", () => {
    assert.equal(reasonOf(exitAt(marketOf([emptyPool()]), SOL, "pro")), "no-market");
  });

  test("size-not-allowed: above 10 SOL of the family other, and not at 10", () => {
    const other = marketOf([poolOfSol(1_000, 0.001, { family: "other", venue: "orca-whirlpool" })]);
    assert.equal(reasonOf(exitAt(other, 10n * SOL + 1n, "pro")), "size-not-allowed");
    assert.equal(reasonOf(exitAt(other, 10n * SOL, "pro")), null);
  });

  test("exceeds-supply: worth more than the whole token", () => {
    const scarce = marketOf([near], { token: { ...PLAIN_TOKEN, supply: 10n ** 12n } });
    assert.equal(reasonOf(exitAt(scarce, SOL + SOL / 100n, "pro")), "exceeds-supply");
    assert.equal(reasonOf(exitOfBaseUnits(scarce, 10n ** 12n + 1n, "pro")), "exceeds-supply");
  });

  test("too-small: less than one base unit", () => {
    const whole = marketOf([poolOfSol(100, 1e9)]);
    assert.equal(reasonOf(exitAt(whole, SOL / 2n, "retail")), "too-small");
    assert.equal(reasonOf(exitOfBaseUnits(whole, 0n, "retail")), "too-small");
  });

  test("insufficient-liquidity: the real quote runs out", () => {
    const short = marketOf([poolOfSol(100, 0.001, { realQuote: SOL })]);
    assert.equal(reasonOf(exitAt(short, 2n * SOL, "pro")), "insufficient-liquidity");
  });
});
