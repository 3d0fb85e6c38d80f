import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ByteWriter } from "#src/local-node/byte-writer.ts";
import type { Address } from "#src/units/address.ts";
import { assertFastEqualsReference } from "#test/support/fast-paths.ts";
import { mutated, mutation } from "#test/support/hostile-accounts.ts";
import {
  dammV1Fixture,
  dammV1State,
  MINT_A,
  MINT_B,
  vaultShare,
} from "#test/support/meteora-pools.ts";
import { testAddress } from "#test/support/raydium-pools.ts";
import { meteoraDammV1 } from "./adapter.ts";
import { openFastDammV1 } from "./fast.ts";
import { POOL, VAULT } from "./layout.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };

const held = fc.oneof(
  fc.bigInt({ min: 1n, max: 1n << 53n }),
  fc.bigInt({ min: 1n, max: 1_000_000_000_000n }),
  fc.bigInt({ min: 1n, max: 1_000n }),
);
const share = fc
  .record({
    lpSupply: held,
    poolPpm: fc.bigInt({ min: 0n, max: 1_000_000n }),
    worthPpm: fc.bigInt({ min: 1n, max: 3_000_000n }),
    lockedPpm: fc.bigInt({ min: 0n, max: 100_000n }),
    ageSeconds: fc.bigInt({ min: -1n, max: 40_000n }),
    lentPpm: fc.bigInt({ min: 0n, max: 1_000_000n }),
    takesDeposits: fc.boolean(),
  })
  .map(({ lpSupply, poolPpm, worthPpm, lockedPpm, ageSeconds, lentPpm, takesDeposits }) => {
    const totalAmount = (lpSupply * worthPpm) / 1_000_000n;
    return {
      lpSupply,
      poolLp: (lpSupply * poolPpm) / 1_000_000n,
      totalAmount,
      lockedProfit: (totalAmount * lockedPpm) / 1_000_000n,
      lastReport: CLOCK.unixTimestamp - ageSeconds,
      degradation: 46_296_296n,
      tokenVaultAmount: totalAmount - (totalAmount * lentPpm) / 1_000_000n,
      takesDeposits,
    };
  });
const amounts = fc.array(fc.oneof(held, fc.constantFrom(0n, 1n, 2n, 3n)), {
  minLength: 1,
  maxLength: 6,
});

test("every answer equals the reference's, on both sides and up to the edges of the range", () => {
  const tally = { proved: 0, asked: 0 };
  fc.assert(
    fc.property(
      fc.record({
        a: share,
        b: share,
        tradeFeeNumerator: fc.bigInt({ min: 0n, max: 6_000n }),
        protocolFeeNumerator: fc.constantFrom(0n, 20_000n, 100_000n),
      }),
      fc.boolean(),
      amounts,
      ({ a, b, ...fees }, isAToB, amountsIn) => {
        const state = dammV1State({ a: vaultShare(MINT_A, a), b: vaultShare(MINT_B, b), ...fees });
        const { pool, accounts: known } = dammV1Fixture(state);
        const inputMint = isAToB ? MINT_A : MINT_B;
        const fast = openFastDammV1(pool, known, inputMint);
        if (fast === null) return;
        const order = { pool, known, inputMint, amountsIn, clock: CLOCK };
        assertFastEqualsReference(meteoraDammV1, fast, order, tally);
      },
    ),
    { numRuns: 1_500 },
  );
  assert.ok(tally.proved > 500, `${tally.proved} proved, ${tally.asked} asked`);
});

test("after a refresh it quotes the new bytes, whatever part of them changed", () => {
  const fixture = dammV1Fixture(dammV1State());
  const { pool } = fixture;
  const known = new Map(fixture.accounts);
  const fast = openFastDammV1(pool, known, MINT_A);
  assert.ok(fast);
  const tally = { proved: 0, asked: 0 };
  const edit = (address: Address, write: (writer: ByteWriter) => void) => {
    const before = known.get(address);
    assert.ok(before);
    const writer = new ByteWriter(before.data.slice());
    write(writer);
    known.set(address, { ...before, data: writer.bytes });
    assert.ok(fast.refresh(known));
    const amountsIn = [1n, 10n ** 6n, 10n ** 11n];
    const order = { pool, known, inputMint: MINT_A, amountsIn, clock: CLOCK };
    assertFastEqualsReference(meteoraDammV1, fast, order, tally);
  };
  const vaultB = testAddress(5);
  edit(vaultB, (at) => at.u64(VAULT.totalAmount, 3_000_000_000_000n));
  edit(vaultB, (at) =>
    at
      .u64(VAULT.lastUpdatedLockedProfit, 1_000_000_000_000n)
      .u64(VAULT.lastReport, CLOCK.unixTimestamp - 100n)
      .u64(VAULT.lockedProfitDegradation, 1_000_000_000n),
  );
  edit(testAddress(9), (at) => at.u64(64, 500_000_000_000n));
  edit(testAddress(11), (at) => at.u64(64, 900_000_000n));
  edit(testAddress(13), (at) => at.u64(36, 2_500_000_000_000n));
  edit(pool, (at) => at.u64(POOL.tradeFeeNumerator, 4_000n));
  edit(testAddress(4), (at) => at.u8(VAULT.enabled, 0));
  edit(pool, (at) => at.u8(POOL.enabled, 0));
  assert.equal(tally.proved, 24);
});

test("stable pools and lopsided counts are left to the reference", () => {
  const stable = dammV1State({
    curve: { kind: "stable", amp: 100n, multiplierA: 1n, multiplierB: 1n, depeg: null },
  });
  for (const state of [
    stable,
    dammV1State({ a: vaultShare(MINT_A, { totalAmount: 1n << 52n }) }),
    dammV1State({ b: vaultShare(MINT_B, { lpSupply: 0n }) }),
    dammV1State({ tradeFeeDenominator: 0n }),
  ]) {
    const { pool, accounts } = dammV1Fixture(state);
    assert.equal(openFastDammV1(pool, accounts, MINT_A), null);
  }
});

test("on damaged accounts it quotes as the reference does, or leaves it to it", () => {
  const { pool, accounts } = dammV1Fixture(dammV1State());
  const fast = openFastDammV1(pool, accounts, MINT_A);
  assert.ok(fast);
  const tally = { proved: 0, asked: 0 };
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 3 }), amounts, (steps, amountsIn) => {
      const known = mutated(accounts, steps);
      if (meteoraDammV1.decode(pool, known).kind === "unusable" || !fast.refresh(known)) return;
      const order = { pool, known, inputMint: MINT_A, amountsIn, clock: CLOCK };
      assertFastEqualsReference(meteoraDammV1, fast, order, tally);
    }),
    { numRuns: 400 },
  );
  assert.ok(tally.proved > 50);
});
