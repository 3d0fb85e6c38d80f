import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ByteWriter } from "#src/local-node/byte-writer.ts";
import type { Address } from "#src/units/address.ts";
import { assertFastEqualsReference } from "#test/support/fast-paths.ts";
import { mutated, mutation } from "#test/support/hostile-accounts.ts";
import { cpmmFixture, testAddress } from "#test/support/raydium-pools.ts";
import { raydiumCpmm } from "./adapter.ts";
import { openFastCpmm } from "./fast.ts";
import { CONFIG, POOL } from "./layout.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const VAULT_0 = testAddress(4);
const VAULT_1 = testAddress(5);
const CONFIG_ADDRESS = testAddress(6);

const reserve = fc.oneof(
  fc.bigInt({ min: 1n, max: 1n << 53n }),
  fc.bigInt({ min: 1n, max: 1_000_000_000_000n }),
  fc.bigInt({ min: 1n, max: 1_000n }),
  fc.bigInt({ min: (1n << 52n) - 1_000n, max: (1n << 52n) + 1_000n }),
);
const owed = fc.oneof(
  fc.constant<[bigint, bigint]>([0n, 0n]),
  fc.tuple(fc.bigInt({ min: 0n, max: 10_000n }), fc.bigInt({ min: 0n, max: 10_000n })),
);
const rate = fc.oneof(
  fc.constantFrom(0n, 500n, 2_500n, 10_000n),
  fc.bigInt({ min: 0n, max: 600_000n }),
);
const amounts = fc.array(fc.oneof(reserve, fc.constant(0n)), { minLength: 1, maxLength: 6 });

test("every answer equals the reference's, on both sides and up to the edges of the range", () => {
  const tally = { proved: 0, asked: 0 };
  fc.assert(
    fc.property(
      fc.record({
        vault0: reserve,
        vault1: reserve,
        protocolFees: owed,
        fundFees: owed,
        creatorFees: owed,
        tradeFeeRate: rate,
        creatorFeeRate: rate,
        creatorFeeOn: fc.constantFrom(0 as const, 1 as const, 2 as const),
        isCreatorFeeEnabled: fc.boolean(),
        status: fc.constantFrom(0, 0, 0, 4),
        openTime: fc.constantFrom(0n, CLOCK.unixTimestamp, CLOCK.unixTimestamp + 1n),
      }),
      fc.boolean(),
      amounts,
      (fields, isZeroForOne, amountsIn) => {
        const { pool, mintA, mintB, accounts: known } = cpmmFixture(fields);
        const inputMint = isZeroForOne ? mintA : mintB;
        const fast = openFastCpmm(pool, known, inputMint);
        if (fast === null) return;
        const order = { pool, known, inputMint, amountsIn, clock: CLOCK };
        assertFastEqualsReference(raydiumCpmm, fast, order, tally);
      },
    ),
    { numRuns: 1_500 },
  );
  assert.ok(tally.proved > 500, `${tally.proved} proved, ${tally.asked} asked`);
});

test("after a refresh it quotes the new bytes, whatever part of them changed", () => {
  const fixture = cpmmFixture({
    vault0: 10n ** 14n,
    vault1: 10n ** 11n,
    isCreatorFeeEnabled: true,
    creatorFeeOn: 2,
  });
  const { pool, mintA } = fixture;
  const known = new Map(fixture.accounts);
  const fast = openFastCpmm(pool, known, mintA);
  assert.ok(fast);
  const tally = { proved: 0, asked: 0 };
  const edit = (address: Address, write: (writer: ByteWriter) => void) => {
    const before = known.get(address);
    assert.ok(before);
    const writer = new ByteWriter(before.data.slice());
    write(writer);
    known.set(address, { ...before, data: writer.bytes });
    assert.ok(fast.refresh(known));
    const amountsIn = [1n, 10n ** 9n, 10n ** 13n];
    const order = { pool, known, inputMint: mintA, amountsIn, clock: CLOCK };
    assertFastEqualsReference(raydiumCpmm, fast, order, tally);
  };
  edit(VAULT_0, (at) => at.u64(64, 2n * 10n ** 14n));
  edit(VAULT_1, (at) => at.u64(64, 7n * 10n ** 11n));
  edit(pool, (at) => at.u64(POOL.protocolFeesToken1, 10n ** 10n));
  edit(pool, (at) => at.u64(POOL.creatorFeesToken0, 10n ** 10n));
  edit(CONFIG_ADDRESS, (at) => at.u64(CONFIG.tradeFeeRate, 20_000n));
  edit(pool, (at) => at.u8(POOL.creatorFeeOn, 0));
  edit(pool, (at) => at.u8(POOL.enableCreatorFee, 0));
  edit(pool, (at) => at.u64(POOL.openTime, CLOCK.unixTimestamp + 5n));
  edit(pool, (at) => at.u64(POOL.openTime, 0n).u8(POOL.status, 4));
  assert.equal(tally.proved, 27);
});

test("transfer fees, frozen vaults and amounts out of range are left to the reference", () => {
  const fee = { epoch: 0n, maximum: 5n, feeBps: 100 };
  const usual = { vault0: 10n ** 14n, vault1: 10n ** 11n };
  const opens = (fields: Parameters<typeof cpmmFixture>[0]) => {
    const { pool, mintA, accounts } = cpmmFixture(fields);
    return openFastCpmm(pool, accounts, mintA) !== null;
  };
  assert.equal(opens(usual), true);
  assert.equal(opens({ ...usual, transferFee1: { older: fee, newer: fee } }), false);
  assert.equal(opens({ ...usual, vault0: 1n << 52n }), false);
  assert.equal(opens({ ...usual, tradeFeeRate: 1_000_000n }), false);
  const { pool, mintA, accounts } = cpmmFixture(usual);
  const vault = accounts.get(VAULT_1);
  assert.ok(vault);
  const frozen = new ByteWriter(vault.data.slice()).u8(108, 2).bytes;
  accounts.set(VAULT_1, { ...vault, data: frozen });
  assert.equal(openFastCpmm(pool, accounts, mintA), null);
});

test("on damaged accounts it quotes as the reference does, or leaves it to it", () => {
  const { pool, mintA, accounts } = cpmmFixture({ vault0: 1n << 40n, vault1: 1n << 36n });
  const fast = openFastCpmm(pool, accounts, mintA);
  assert.ok(fast);
  const tally = { proved: 0, asked: 0 };
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 3 }), amounts, (steps, amountsIn) => {
      const known = mutated(accounts, steps);
      if (raydiumCpmm.decode(pool, known).kind === "unusable" || !fast.refresh(known)) return;
      const order = { pool, known, inputMint: mintA, amountsIn, clock: CLOCK };
      assertFastEqualsReference(raydiumCpmm, fast, order, tally);
    }),
    { numRuns: 400 },
  );
  assert.ok(tally.proved > 50);
});
