import assert from "node:assert/strict";
import { test } from "node:test";
import { USDC, WSOL } from "#src/units/known-addresses.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import { solUsdOf } from "./sol-price.ts";

/** A pool at so many dollars for one SOL: 1000 lamports over so many base units. */
function stablePool(usd: bigint, depth: bigint, quoteMint = WSOL): QuotablePool {
  return {
    baseMint: USDC,
    quoteMint,
    spotPrice: { numerator: 1_000n, denominator: usd },
    reachable: () => depth,
  } as unknown as QuotablePool;
}

test("the deepest pool of a stable gives the price of SOL in dollars", () => {
  assert.equal(solUsdOf([stablePool(150n, 5n), stablePool(160n, 50n)]), 160);
});

test("without such a pool it is unknown, not zero", () => {
  assert.equal(solUsdOf([]), null);
  assert.equal(solUsdOf([stablePool(150n, 5n, USDC)]), null);
});
