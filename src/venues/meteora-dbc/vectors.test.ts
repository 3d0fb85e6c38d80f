import assert from "node:assert/strict";
import { test } from "node:test";
import {
  BASE_MINT,
  CLOCK,
  type DbcPool,
  dbcAccounts,
  POOL,
  QUOTE_MINT,
} from "#test/support/pools/dbc-pool.ts";
import { readVectors } from "#test/support/pools/golden-vectors.ts";
import { meteoraDbc } from "./adapter.ts";

for (const { name, pool, orders } of readVectors<DbcPool>(
  new URL("vectors/quotes.json", import.meta.url),
)) {
  test(`what official code pays, we quote: ${name}`, () => {
    const found = meteoraDbc.decode(POOL, dbcAccounts(pool));
    assert.ok(found.kind === "pool");
    for (const { sells, amountIn, amountOut } of orders) {
      const inputMint = sells === "base" ? BASE_MINT : QUOTE_MINT;
      const quote = meteoraDbc.quoteExactIn(found.state, { inputMint, amountIn, clock: CLOCK });
      assert.equal(quote.kind === "filled" ? quote.amountOut : null, amountOut);
    }
  });
}
