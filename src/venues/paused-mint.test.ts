import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address } from "#src/units/address.ts";
import { clmmFixture } from "#test/support/clmm-pools.ts";
import { CLOCK, dlmmAccounts, MINT_X, MINT_Y, PAIR } from "#test/support/dlmm-pool.ts";
import { pausedMint } from "#test/support/paused-mint.ts";
import { whirlpoolFixture } from "#test/support/whirlpools.ts";
import type { Account } from "./account-set.ts";
import { meteoraDlmm } from "./meteora-dlmm/adapter.ts";
import { orcaWhirlpool } from "./orca-whirlpool/adapter.ts";
import { raydiumClmm } from "./raydium-clmm/adapter.ts";
import type { Venue } from "./venue.ts";

type Case = {
  readonly pool: Address;
  readonly mints: readonly [Address, Address];
  readonly accounts: ReadonlyMap<Address, Account | null>;
};

const POSITIONS = [{ lower: -1200, upper: 1600, liquidity: 5_000_000_000n }];
const AT_TICK_ZERO = 1n << 64n;
const TICKS = { tickSpacing: 10, sqrtPriceX64: AT_TICK_ZERO, positions: POSITIONS };

function check<State>(venue: Venue<State>, { pool, mints, accounts }: Case): void {
  const [inputMint] = mints;
  assert.notEqual(venue.openFast?.(pool, accounts, inputMint) ?? null, null, "it sells otherwise");
  for (const side of mints) {
    const mint = accounts.get(side);
    assert.ok(mint);
    const paused = new Map([...accounts, [side, pausedMint(mint)]]);
    const decoded = venue.decode(pool, paused);
    assert.ok(decoded.kind === "pool");
    assert.equal(venue.status(decoded.state, CLOCK), "paused");
    const order = { inputMint, amountIn: 5n, clock: CLOCK };
    const refused = { kind: "unfillable", reason: "paused" };
    assert.deepEqual(venue.quoteExactIn(decoded.state, order), refused);
    assert.equal(venue.openFast?.(pool, paused, inputMint), null);
  }
}

test("a tick pool sells nothing while either of its mints is paused", () => {
  const { pool, mintA, mintB, known } = whirlpoolFixture({ ...TICKS, tickSpacing: 8 });
  check(orcaWhirlpool, { pool, mints: [mintA, mintB], accounts: known });
  const clmm = clmmFixture(TICKS);
  check(raydiumClmm, { pool: clmm.pool, mints: [clmm.mintA, clmm.mintB], accounts: clmm.accounts });
  const bins = [
    { id: -1, y: 9_000n },
    { id: 0, x: 7_000n, y: 9_000n },
  ];
  check(meteoraDlmm, { pool: PAIR, mints: [MINT_X, MINT_Y], accounts: dlmmAccounts({ bins }) });
});
