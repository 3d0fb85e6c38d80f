import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { address } from "#src/units/address.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import { ratioToNumber } from "#src/units/to-number.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { sharedPath } from "#test/support/pools/executions.ts";
import {
  dammV1Fixture,
  dammV1State,
  dammV2State,
  MINT_A,
  vaultShare,
} from "#test/support/pools/meteora-pools.ts";
import { COIN, pumpSwapFixture } from "#test/support/pools/pump-pools.ts";
import { ammFixture, cpmmFixture, type PoolFixture } from "#test/support/pools/raydium-pools.ts";
import { readRecordedAccounts } from "#test/support/pools/recorded-accounts.ts";
import { VENUES } from "./all.ts";
import { meteoraDammV1 } from "./meteora-damm-v1/adapter.ts";
import { meteoraDammV2 } from "./meteora-damm-v2/adapter.ts";
import { pumpSwap } from "./pumpswap/adapter.ts";
import { raydiumAmmV4 } from "./raydium-amm-v4/adapter.ts";
import { raydiumCpmm } from "./raydium-cpmm/adapter.ts";
import { decodeMint } from "./shared/token/mint.ts";
import type { Venue } from "./venue.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };

function stateOf<State>(venue: Venue<State>, { pool, accounts }: PoolFixture): State {
  return decodedState(venue, pool, accounts);
}

function left<State>(state: State | null | undefined): State {
  assert.ok(state !== null && state !== undefined);
  return state;
}

describe("who can take liquidity out", () => {
  test("pools of shares name their mint and the count that the program divides by", () => {
    const amm = ammFixture({ coinVault: 10n, pcVault: 10n });
    const cpmm = cpmmFixture({ vault0: 10n, vault1: 10n });
    const pump = pumpSwapFixture({ baseReserve: 10n, quoteReserve: 10n, lpSupply: 77n });
    const damm = dammV1Fixture(dammV1State());
    assert.equal(raydiumAmmV4.shares(amm.pool, amm.accounts)?.kind, "fungible");
    assert.partialDeepStrictEqual(raydiumCpmm.shares(cpmm.pool, cpmm.accounts), { issued: 1n });
    assert.partialDeepStrictEqual(pumpSwap.shares(pump.pool, pump.accounts), { issued: 77n });
    assert.partialDeepStrictEqual(meteoraDammV1.shares(damm.pool, damm.accounts), {
      kind: "fungible",
      issued: null,
    });
  });

  test("every venue says how its pools' liquidity is divided, or that it can't be read", () => {
    const { pool } = cpmmFixture({ vault0: 10n, vault1: 10n });
    for (const venue of VENUES) {
      const shares = venue.shares(pool, new Map());
      const isDivided = venue.withdraw !== undefined || venue.withdrawPositions !== undefined;
      assert.equal(shares === null, isDivided, venue.id);
      if (venue.kind === "curve") assert.equal(shares?.kind, "nobody", venue.id);
    }
  });
});

test("recorded pools name the share mints that their programs derive, or the one that is recorded", (t) => {
  const folder = sharedPath(t, "mainnet");
  if (folder === null) return;
  const known = readRecordedAccounts(folder);
  let derived = 0;
  for (const [pool, { owner }] of known) {
    for (const venue of [raydiumCpmm, pumpSwap]) {
      const shares = owner === venue.programId ? venue.shares(pool, known) : null;
      if (shares?.kind !== "fungible") continue;
      const expected = findProgramAddress(["pool_lp_mint", { address: pool }], venue.programId);
      assert.equal(shares.mint, expected, pool);
      assert.ok(shares.issued !== null && shares.issued > 0n, pool);
      derived++;
    }
  }
  assert.ok(derived >= 9, `${derived} pools`);
  // An old pool, whose share mint is not a derived one.
  const old = meteoraDammV1.shares(address("HcjZvfeSNJbNkfLD4eEcRBr96AD3w1GpmMppaeRZf7ur"), known);
  assert.ok(old?.kind === "fungible");
  assert.equal(decodeMint(known.get(old.mint))?.supply, 125_221_911_091_504n);
});

describe("what a withdrawal leaves", () => {
  test("CPMM: both reserves in proportion, rounded down, and what is owed to others stays", () => {
    const fixture = cpmmFixture({ vault0: 1_001n, vault1: 2_003n, protocolFees: [1n, 3n] });
    const after = left(
      raydiumCpmm.withdraw?.(stateOf(raydiumCpmm, fixture), { shares: 1n, issued: 3n }, CLOCK),
    );
    // 1,000 and 2,000 are the pool's own: 333 and 666 of them leave.
    assert.deepEqual([after.token0.vaultAmount, after.token1.vaultAmount], [668n, 1_337n]);
    assert.deepEqual([after.token0.protocolFees, after.token1.protocolFees], [1n, 3n]);
  });

  test("AMM v4: who holds every share takes all but one, as the program refuses to be left with none", () => {
    const fixture = ammFixture({ coinVault: 1_010n, pcVault: 2_000n, needTakePnlCoin: 10n });
    const state = stateOf(raydiumAmmV4, fixture);
    const after = left(raydiumAmmV4.withdraw?.(state, { shares: 100n, issued: 100n }, CLOCK));
    assert.deepEqual([after.coin.vaultAmount, after.pc.vaultAmount], [20n, 20n]);
  });

  test("PumpSwap: both vaults in proportion; of a pool with a virtual reserve it is not known", () => {
    const vaults = { baseReserve: 1_000n, quoteReserve: 501n };
    const part = { shares: 1n, issued: 2n };
    const after = left(
      pumpSwap.withdraw?.(stateOf(pumpSwap, pumpSwapFixture(vaults)), part, CLOCK),
    );
    assert.deepEqual([after.baseReserve, after.quoteReserve], [500n, 251n]);
    const virtual = stateOf(pumpSwap, pumpSwapFixture({ ...vaults, virtualQuote: 1n }));
    assert.equal(pumpSwap.withdraw?.(virtual, part, CLOCK), null);
  });

  test("DAMM v1: vault shares are burned, and other pools' part of the vault stays what it was", () => {
    const shared = {
      poolLp: 900n,
      lpSupply: 3_000n,
      totalAmount: 6_000n,
      tokenVaultAmount: 6_000n,
    };
    const a = vaultShare(MINT_A, { ...shared, lockedProfit: 0n });
    const state = { ...dammV1State(), a };
    const after = left(meteoraDammV1.withdraw?.(state, { shares: 1n, issued: 3n }, CLOCK)).a;
    assert.deepEqual(
      [after.poolLp, after.lpSupply, after.totalAmount, after.tokenVaultAmount],
      [600n, 2_700n, 5_400n, 5_400n],
    );
    const lent = { ...state, a: { ...a, tokenVaultAmount: 599n } };
    assert.equal(meteoraDammV1.withdraw?.(lent, { shares: 1n, issued: 3n }, CLOCK), null);
  });

  test("DAMM v2: liquidity leaves the range at the current price, and a compounding pool in proportion", () => {
    const state = dammV2State();
    const after = left(meteoraDammV2.withdraw?.(state, { shares: 1n, issued: 4n }, CLOCK));
    assert.equal(after.liquidity, state.liquidity - state.liquidity / 4n);
    assert.equal(after.sqrtPrice, state.sqrtPrice);
    const reach = (of: typeof state) => meteoraDammV2.reachable(of, state.tokenA.mint, 10_000);
    const share = Number(reach(after)) / Number(reach(state));
    assert.ok(Math.abs(share - 0.75) < 1e-6, `${share}`);
    const token = (reserve: bigint) => ({ ...state.tokenA, reserve, vaultAmount: reserve + 7n });
    const compounding = {
      ...state,
      collectFeeMode: "compounding" as const,
      liquidity: 100n,
      tokenA: token(1_001n),
      tokenB: token(2_003n),
    };
    const rest = left(meteoraDammV2.withdraw?.(compounding, { shares: 30n, issued: 100n }, CLOCK));
    // 300 of 1,001 and 600 of 2,003, rounded down; fees not yet claimed stay in the vault.
    assert.deepEqual([rest.tokenA.reserve, rest.tokenB.reserve], [701n, 1_403n]);
    assert.deepEqual([rest.tokenA.vaultAmount, rest.liquidity], [708n, 70n]);
  });

  test("shares too few to be paid for leave the pool as it is", () => {
    const fixture = cpmmFixture({ vault0: 1_000n, vault1: 10n });
    const state = stateOf(raydiumCpmm, fixture);
    assert.equal(raydiumCpmm.withdraw?.(state, { shares: 1n, issued: 100n }, CLOCK), state);
  });

  test("a sale pays no more after any withdrawal, and a deep pool keeps its price", () => {
    const amount = fc.bigInt({ min: 1n, max: 1n << 50n });
    const pools = fc.record({ a: amount, b: amount, issued: amount, part: fc.nat(1_000_000) });
    fc.assert(
      fc.property(pools, amount, ({ a, b, issued, part }, amountIn) => {
        const cpmm = cpmmFixture({ vault0: a, vault1: b });
        const amm = ammFixture({ coinVault: a, pcVault: b });
        const pump = pumpSwapFixture({ baseReserve: a, quoteReserve: b });
        const shares = (issued * BigInt(part)) / 1_000_000n;
        for (const [venue, fixture, inputMint] of [
          [raydiumCpmm, cpmm, cpmm.mintA],
          [raydiumAmmV4, amm, amm.mintA],
          [pumpSwap, pump, COIN],
        ] as readonly (readonly [Venue<unknown>, PoolFixture, typeof COIN])[]) {
          const before = stateOf(venue, fixture);
          const after = left(venue.withdraw?.(before, { shares, issued }, CLOCK));
          const paid = (state: unknown): bigint => {
            const quote = venue.quoteExactIn(state, { inputMint, amountIn, clock: CLOCK });
            return quote.kind === "filled" ? quote.amountOut : 0n;
          };
          // Rounded down on both sides: what stays may be a unit off the price that was.
          assert.ok(paid(after) <= paid(before) + 1n + b / a, venue.id);
          const [was, is] = [venue.spotPrice(before, inputMint), venue.spotPrice(after, inputMint)];
          if (was === null || is === null || part > 900_000 || a < 1_000_000n || b < 1_000_000n) {
            continue;
          }
          const ratio =
            ratioToNumber(is.numerator, is.denominator) /
            ratioToNumber(was.numerator, was.denominator);
          assert.ok(Math.abs(ratio - 1) < 1e-4, venue.id);
        }
      }),
    );
  });
});
