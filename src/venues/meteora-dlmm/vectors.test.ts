import assert from "node:assert/strict";
import { test } from "node:test";
import {
  CLOCK,
  type DlmmPool,
  dlmmAccounts,
  MINT_X,
  MINT_Y,
  PAIR,
} from "#test/support/pools/dlmm-pool.ts";
import { readVectors } from "#test/support/pools/golden-vectors.ts";
import { meteoraDlmm } from "./adapter.ts";

for (const { name, pool, orders } of readVectors<DlmmPool>(
  new URL("vectors/quotes.json", import.meta.url),
)) {
  test(`what official code pays, we quote: ${name}`, () => {
    const found = meteoraDlmm.decode(PAIR, dlmmAccounts(pool));
    assert.ok(found.kind === "pool");
    for (const { sells, amountIn, amountOut } of orders) {
      const inputMint = sells === "base" ? MINT_X : MINT_Y;
      const quote = meteoraDlmm.quoteExactIn(found.state, { inputMint, amountIn, clock: CLOCK });
      assert.equal(quote.kind === "filled" ? quote.amountOut : null, amountOut);
    }
  });
}
