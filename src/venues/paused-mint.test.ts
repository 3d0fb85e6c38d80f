import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address } from "#src/units/address.ts";
import { clmmFixture } from "#test/support/pools/clmm-pools.ts";
import {
  BASE_MINT,
  POOL as DBC_POOL,
  dbcAccounts,
  QUOTE_MINT,
} from "#test/support/pools/dbc-pool.ts";
import { CLOCK, dlmmAccounts, MINT_X, MINT_Y, PAIR } from "#test/support/pools/dlmm-pool.ts";
import { dammV2Fixture, dammV2State } from "#test/support/pools/meteora-pools.ts";
import { pausedMint } from "#test/support/pools/paused-mint.ts";
import { curveFixture, launchFixture, pumpSwapFixture } from "#test/support/pools/pump-pools.ts";
import { cpmmFixture, type PoolFixture, testAddress } from "#test/support/pools/raydium-pools.ts";
import { whirlpoolFixture } from "#test/support/pools/whirlpools.ts";
import type { Account } from "./account-set.ts";
import { meteoraDammV2 } from "./meteora-damm-v2/adapter.ts";
import { meteoraDbc } from "./meteora-dbc/adapter.ts";
import { meteoraDlmm } from "./meteora-dlmm/adapter.ts";
import { orcaWhirlpool } from "./orca-whirlpool/adapter.ts";
import { pumpCurve } from "./pump-curve/adapter.ts";
import { pumpSwap } from "./pumpswap/adapter.ts";
import { raydiumClmm } from "./raydium-clmm/adapter.ts";
import { raydiumCpmm } from "./raydium-cpmm/adapter.ts";
import { raydiumLaunchLab } from "./raydium-launchlab/adapter.ts";
import type { Venue } from "./venue.ts";

type Case = {
  readonly pool: Address;
  readonly mints: readonly [Address, Address];
  readonly accounts: ReadonlyMap<Address, Account | null>;
};

const POSITIONS = [{ lower: -1200, upper: 1600, liquidity: 5_000_000_000n }];
const AT_TICK_ZERO = 1n << 64n;
const TICKS = { tickSpacing: 10, sqrtPriceX64: AT_TICK_ZERO, positions: POSITIONS };

function check<State>(
  venue: Venue<State>,
  { pool, mints, accounts }: Case,
  pausable: readonly Address[] = mints,
): void {
  const [inputMint] = mints;
  const order = { inputMint, amountIn: 1_000n, clock: CLOCK };
  const open = venue.decode(pool, accounts, inputMint);
  assert.ok(open.kind === "pool");
  assert.equal(venue.quoteExactIn(open.state, order).kind, "filled", `${venue.id} sells otherwise`);
  for (const side of pausable) {
    const mint = accounts.get(side);
    assert.ok(mint);
    const paused = new Map([...accounts, [side, pausedMint(mint)]]);
    const decoded = venue.decode(pool, paused, inputMint);
    assert.ok(decoded.kind === "pool");
    assert.equal(venue.status(decoded.state, CLOCK), "paused");
    const refused = { kind: "unfillable", reason: "paused" };
    assert.deepEqual(venue.quoteExactIn(decoded.state, order), refused);
    assert.equal(venue.openFast?.(pool, paused, inputMint) ?? null, null);
  }
}

function checkFast<State>(venue: Venue<State>, pool: Case): void {
  const fast = venue.openFast?.(pool.pool, pool.accounts, pool.mints[0]) ?? null;
  assert.notEqual(fast, null, "it sells otherwise");
  check(venue, pool);
}

const FREE = { epoch: 0n, maximum: 0n, feeBps: 0 };
/** Makes a fixture's mint one of Token-2022. */
const UNTAXED = { older: FREE, newer: FREE };

test("a tick pool sells nothing while either of its mints is paused", () => {
  const { pool, mintA, mintB, known } = whirlpoolFixture({ ...TICKS, tickSpacing: 8 });
  checkFast(orcaWhirlpool, { pool, mints: [mintA, mintB], accounts: known });
  const clmm = clmmFixture(TICKS);
  checkFast(raydiumClmm, {
    pool: clmm.pool,
    mints: [clmm.mintA, clmm.mintB],
    accounts: clmm.accounts,
  });
  const bins = [
    { id: -1, y: 9_000n },
    { id: 0, x: 7_000n, y: 9_000n },
  ];
  checkFast(meteoraDlmm, { pool: PAIR, mints: [MINT_X, MINT_Y], accounts: dlmmAccounts({ bins }) });
});

test("a reserve pool or a curve sells nothing while either of its Token-2022 mints is paused", () => {
  const sides = ({ pool, mintA, mintB, accounts }: PoolFixture): Case => ({
    ...{ pool, accounts, mints: [mintA, mintB] },
  });
  const reserves = { vault0: 10n ** 12n, vault1: 10n ** 12n };
  check(
    raydiumCpmm,
    sides(cpmmFixture({ ...reserves, transferFee0: UNTAXED, transferFee1: UNTAXED })),
  );
  const damm = dammV2State();
  const tokens = {
    tokenA: { ...damm.tokenA, transferFee: UNTAXED },
    tokenB: { ...damm.tokenB, transferFee: UNTAXED },
  };
  check(meteoraDammV2, sides(dammV2Fixture({ ...damm, ...tokens })));
  const pumped = pumpSwapFixture({ baseReserve: 10n ** 12n, quoteReserve: 10n ** 12n });
  check(pumpSwap, sides(pumped), [pumped.mintA]);
  const curve = curveFixture({ quoteMint: testAddress(77), realQuote: 10n ** 9n });
  check(pumpCurve, sides(curve), [curve.mintB]);
  const launch = { baseTransferFee: UNTAXED, quoteTransferFee: UNTAXED };
  const sold = { realBase: 10n ** 14n, realQuote: 3n * 10n ** 9n };
  const quoteMint = testAddress(77);
  check(raydiumLaunchLab, sides(launchFixture({ ...launch, ...sold, quoteMint })));
  const mints = [BASE_MINT, QUOTE_MINT] as const;
  check(meteoraDbc, { pool: DBC_POOL, mints, accounts: dbcAccounts({}) });
});
