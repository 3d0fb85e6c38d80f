import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ByteWriter } from "#src/local-node/byte-writer.ts";
import type { Address } from "#src/units/address.ts";
import { assertFastEqualsReference } from "#test/support/fast-paths.ts";
import { mutated, mutation } from "#test/support/hostile-accounts.ts";
import { ammFixture, testAddress } from "#test/support/raydium-pools.ts";
import { raydiumAmmV4 } from "./adapter.ts";
import { openFastAmmV4 } from "./fast.ts";
import { POOL } from "./layout.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const COIN_VAULT = testAddress(4);
const PC_VAULT = testAddress(5);

const reserve = fc.oneof(
  fc.bigInt({ min: 1n, max: 1n << 53n }),
  fc.bigInt({ min: 1n, max: 1_000_000_000_000n }),
  fc.bigInt({ min: 1n, max: 1_000n }),
  fc.bigInt({ min: (1n << 52n) - 1_000n, max: (1n << 52n) + 1_000n }),
);
const owed = fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 1_000_000n }));
const amounts = fc.array(fc.oneof(reserve, fc.constant(0n)), { minLength: 1, maxLength: 6 });

test("every answer equals the reference's, on both sides and up to the edges of the range", () => {
  const tally = { proved: 0, asked: 0 };
  fc.assert(
    fc.property(
      fc.record({
        coinVault: reserve,
        pcVault: reserve,
        needTakePnlCoin: owed,
        needTakePnlPc: owed,
        status: fc.constantFrom(1, 3, 6, 7),
        openTime: fc.constantFrom(0n, CLOCK.unixTimestamp, CLOCK.unixTimestamp + 1n),
        swapFeeNumerator: fc.bigInt({ min: 0n, max: 10_000n }),
        swapFeeDenominator: fc.constantFrom(0n, 10_000n, 1_000_003n),
      }),
      fc.boolean(),
      amounts,
      (fields, isCoinIn, amountsIn) => {
        const { pool, mintA, mintB, accounts: known } = ammFixture(fields);
        const inputMint = isCoinIn ? mintA : mintB;
        const fast = openFastAmmV4(pool, known, inputMint);
        if (fast === null) return;
        const order = { pool, known, inputMint, amountsIn, clock: CLOCK };
        assertFastEqualsReference(raydiumAmmV4, fast, order, tally);
      },
    ),
    { numRuns: 1_500 },
  );
  assert.ok(tally.proved > 500, `${tally.proved} proved, ${tally.asked} asked`);
});

test("after a refresh it quotes the new bytes, whatever part of them changed", () => {
  const fixture = ammFixture({ coinVault: 10n ** 14n, pcVault: 10n ** 11n });
  const { pool, mintA } = fixture;
  const known = new Map(fixture.accounts);
  const fast = openFastAmmV4(pool, known, mintA);
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
    assertFastEqualsReference(raydiumAmmV4, fast, order, tally);
  };
  edit(COIN_VAULT, (at) => at.u64(64, 2n * 10n ** 14n));
  edit(PC_VAULT, (at) => at.u64(64, 7n * 10n ** 11n));
  edit(pool, (at) => at.u64(POOL.needTakePnlPc, 10n ** 10n));
  edit(pool, (at) => at.u64(POOL.swapFeeNumerator, 300n));
  edit(pool, (at) => at.u64(POOL.status, 2n));
  edit(pool, (at) => at.u64(POOL.status, 7n).u64(POOL.poolOpenTime, CLOCK.unixTimestamp + 5n));
  assert.equal(tally.proved, 18);
});

test("on damaged accounts it quotes as the reference does, or leaves it to it", () => {
  const { pool, mintA, accounts } = ammFixture({ coinVault: 1n << 40n, pcVault: 1n << 36n });
  const fast = openFastAmmV4(pool, accounts, mintA);
  assert.ok(fast);
  const tally = { proved: 0, asked: 0 };
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 3 }), amounts, (steps, amountsIn) => {
      const known = mutated(accounts, steps);
      if (raydiumAmmV4.decode(pool, known).kind === "unusable" || !fast.refresh(known)) return;
      const order = { pool, known, inputMint: mintA, amountsIn, clock: CLOCK };
      assertFastEqualsReference(raydiumAmmV4, fast, order, tally);
    }),
    { numRuns: 400 },
  );
  assert.ok(tally.proved > 50);
});
