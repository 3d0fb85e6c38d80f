import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Address, address } from "#src/units/address.ts";
import { USDC, WSOL } from "#src/units/known-addresses.ts";
import { VENUES } from "#src/venues/all.ts";
import { bindPool, type QuotablePool } from "#src/venues/quotable-pool.ts";
import { bruteForceSplit } from "#test/support/markets/brute-force.ts";
import { marketOf, PLAIN_TOKEN, SOL } from "#test/support/markets/markets.ts";
import { sharedPath } from "#test/support/pools/executions.ts";
import { readRecordedAccounts } from "#test/support/pools/recorded-accounts.ts";
import { assess } from "./assess.ts";
import type { Market } from "./market/market.ts";
import { exitAt } from "./questions/exit-at.ts";

const CLOCK = { slot: 400_000_000n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const MARINADE_SOL = address("mSoLzYCxHdYgdzU16g5QSh3i5K3z3KZK7ytfqcJm7So");

/** The recorded SOL pools of a mint, on fast paths or without; null where nothing is recorded. */
function recordedMarket(t: TestContext, mint: Address, isFast: boolean): Market | null {
  const folder = sharedPath(t, "mainnet");
  if (folder === null) return null;
  const known = readRecordedAccounts(folder);
  const pools: QuotablePool[] = [];
  for (const venue of VENUES) {
    for (const [pool, account] of known) {
      if (account.owner !== venue.programId || venue.kind === "curve") continue;
      const pair = venue.outline(pool, known, mint);
      const mints = new Set([pair?.mintA, pair?.mintB]);
      if (!mints.has(mint) || !mints.has(WSOL)) continue;
      const decoded = venue.decode(pool, known, mint);
      if (decoded.kind !== "pool") continue;
      const quoter = isFast ? (venue.openFast?.(pool, known, mint) ?? null) : null;
      const fast = quoter?.refresh(known) === true ? quoter : null;
      pools.push(
        bindPool({
          venue,
          address: pool,
          state: decoded.state,
          baseMint: mint,
          quoteMint: WSOL,
          clock: CLOCK,
          fast,
        }),
      );
    }
  }
  const token = { ...PLAIN_TOKEN, supply: 2n ** 63n };
  return marketOf(pools, { mint, token });
}

test("USDC's recorded CPMM, CLMM and DAMM v2 pools are split within 0.01 % of brute force", (t) => {
  const market = recordedMarket(t, USDC, false);
  if (market === null) return;
  assert.equal(market.pools.length, 4);
  for (const sol of [1n, 20n, 700n]) {
    const pro = exitAt(market, sol * SOL, "pro");
    const retail = exitAt(market, sol * SOL, "retail");
    assert.ok(pro.kind === "sold" && retail.kind === "sold");
    const brute = bruteForceSplit(market.pools, pro.baseUnitsSold, 300n);
    assert.ok(brute !== null);
    assert.ok(pro.paidLamports * 10_000n >= brute * 9_999n, `${sol} SOL: ${pro.paidLamports}`);
    assert.ok(pro.paidLamports >= retail.paidLamports);
  }
});

for (const [name, mint] of [
  ["USDC", USDC],
  ["mSOL", MARINADE_SOL],
] as const) {
  test(`${name} is measured alike on fast paths and without`, (t) => {
    const slow = recordedMarket(t, mint, false);
    const fast = recordedMarket(t, mint, true);
    if (slow === null || fast === null) return;
    assert.deepEqual(assess(fast), assess(slow));
  });
}
