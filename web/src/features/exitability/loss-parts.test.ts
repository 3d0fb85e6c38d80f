import assert from "node:assert/strict";
import { test } from "node:test";
import type { Token } from "#client/openapi.ts";
import { lossParts, poolFeePct } from "./loss-parts.ts";

const NOBODY = { status: "none", address: null } as const;

function taxed(fee_pct: number, max_fee_units: string): Pick<Token, "transfer_fee" | "decimals"> {
  return {
    decimals: 6,
    transfer_fee: {
      status: "set",
      fee_pct,
      max_fee_units,
      authority: NOBODY,
      announced: { status: "none", from_epoch: null, fee_pct: null, max_fee_units: null },
    },
  };
}

const SALE = { slippage_pct: 3.8, price_impact_pct: 0.57, tokens_sold: 1_000 };

test("the parts of a loss add up to it", () => {
  const parts = lossParts(SALE, taxed(3, "1000000000000"));
  assert.ok(parts !== null);
  assert.equal(parts.taxPct, 3);
  assert.ok(Math.abs(parts.impactPct + parts.taxPct + parts.poolFeesPct - 3.8) < 1e-9);
});

test("price impact is counted on what the tax leaves, and what is left is the pool's own fee", () => {
  // A pool that charges 0.25 % of the 97 % that reach it.
  const exit = { slippage_pct: 6.0934, price_impact_pct: 2.9463, tokens_sold: 1_008_064 };
  const parts = lossParts(exit, taxed(3, "1000000000000000"));
  assert.ok(parts !== null);
  assert.ok(Math.abs(parts.impactPct - 0.97 * 2.9463) < 1e-9);
  assert.ok(Math.abs(parts.poolFeesPct - 0.97 * 0.25) < 0.01, String(parts.poolFeesPct));
});

test("a pool's fee is shown without the token's tax", () => {
  assert.ok(Math.abs(poolFeePct(3.2425, taxed(3, "1")) - 0.25) < 1e-9);
  assert.equal(poolFeePct(0.25, undefined), 0.25);
});

test("a tax is bounded by its maximum for one transfer", () => {
  // At most 10 tokens of 1,000.
  assert.equal(lossParts(SALE, taxed(3, "10000000"))?.taxPct, 1);
});

test("an unknown part is never counted as zero", () => {
  assert.equal(lossParts(SALE, undefined), null);
  assert.equal(lossParts({ ...SALE, price_impact_pct: null }, taxed(3, "1")), null);
});
