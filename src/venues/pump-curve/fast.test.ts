import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ByteWriter } from "#src/local-node/byte-writer.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { assertFastEqualsReference } from "#test/support/fast-paths.ts";
import { mutated, mutation } from "#test/support/hostile-accounts.ts";
import { COIN, curveFixture, POOL_FEES } from "#test/support/pump-pools.ts";
import { pumpCurve } from "./adapter.ts";
import { openFastPumpCurve } from "./fast.ts";
import { BONDING_CURVE, CURVE_FEE_CONFIG_ADDRESS } from "./layout.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 1050n };

const reserve = fc.oneof(
  fc.bigInt({ min: 1n, max: 1n << 53n }),
  fc.bigInt({ min: 1n, max: 1_000_000_000_000n }),
  fc.bigInt({ min: 1n, max: 1000n }),
  fc.bigInt({ min: (1n << 52n) - 1000n, max: (1n << 52n) + 1000n }),
);
const amounts = fc.array(fc.oneof(reserve, fc.constant(0n)), { minLength: 1, maxLength: 6 });
const inputs = fc.constantFrom(COIN, WSOL);

test("every answer equals the reference's, on both sides and up to the edges of the range", () => {
  const tally = { proved: 0, asked: 0 };
  fc.assert(
    fc.property(
      fc.record({
        virtualToken: reserve,
        virtualQuote: reserve,
        realToken: fc.oneof(reserve, fc.constant(0n)),
        realQuote: fc.oneof(reserve, fc.constant(0n)),
        isMayhem: fc.boolean(),
        mintSupply: fc.bigInt({ min: 1n, max: 10n ** 16n }),
        fees: fc.constantFrom(POOL_FEES, { ...POOL_FEES, tiers: POOL_FEES.tiers.slice(0, 1) }),
      }),
      inputs,
      amounts,
      (fields, inputMint, amountsIn) => {
        const { pool, accounts: known } = curveFixture(fields);
        const fast = openFastPumpCurve(pool, known, inputMint);
        if (fast === null) return;
        const order = { pool, known, inputMint, coin: COIN, amountsIn, clock: CLOCK };
        assertFastEqualsReference(pumpCurve, fast, order, tally);
      },
    ),
    { numRuns: 1500 },
  );
  assert.ok(tally.proved > 1000, `${tally.proved} proved, ${tally.asked} asked`);
});

test("after a refresh it quotes the new bytes, whatever part of them changed", () => {
  const { pool, accounts } = curveFixture({ realQuote: 10n ** 10n });
  const known = new Map(accounts);
  const fast = openFastPumpCurve(pool, known, COIN);
  assert.ok(fast);
  const tally = { proved: 0, asked: 0 };
  const edit = (address: typeof pool, write: (writer: ByteWriter) => void) => {
    const before = known.get(address);
    assert.ok(before);
    const writer = new ByteWriter(before.data.slice());
    write(writer);
    known.set(address, { ...before, data: writer.bytes });
    assert.ok(fast.refresh(known));
    const amountsIn = [1n, 10n ** 9n, 10n ** 13n];
    const order = { pool, known, inputMint: COIN, coin: COIN, amountsIn, clock: CLOCK };
    assertFastEqualsReference(pumpCurve, fast, order, tally);
  };
  edit(pool, (at) => at.u64(BONDING_CURVE.virtual_token_reserves, 10n ** 15n));
  edit(pool, (at) => at.u64(BONDING_CURVE.virtual_quote_reserves, 5n * 10n ** 10n));
  edit(pool, (at) => at.u64(BONDING_CURVE.real_quote_reserves, 10n));
  edit(pool, (at) => at.address(BONDING_CURVE.creator, WSOL));
  edit(pool, (at) => at.u64(BONDING_CURVE.creator_fee_bps, 250n));
  edit(CURVE_FEE_CONFIG_ADDRESS, (at) => at.u64(93, 500n));
  assert.equal(tally.proved, 18);
});

test("what the reference would not quote is left to it", () => {
  const opens = (fields: Parameters<typeof curveFixture>[0]) => {
    const { pool, accounts } = curveFixture(fields);
    return openFastPumpCurve(pool, accounts, COIN) !== null;
  };
  assert.equal(opens({ realQuote: 5n }), true);
  assert.equal(opens({ isComplete: true }), false);
  assert.equal(opens({ virtualToken: 0n }), false);
  assert.equal(opens({ virtualToken: 1n << 52n }), false);
  const { pool, accounts } = curveFixture({ realQuote: 5n });
  const fast = openFastPumpCurve(pool, accounts, COIN);
  assert.ok(fast);
  assert.equal(fast.refresh(curveFixture({ isComplete: true }).accounts), false);
  assert.equal(fast.refresh(new Map()), false);
  assert.equal(fast.refresh(accounts), true);
});

test("on damaged accounts it quotes as the reference does, or leaves it to it", () => {
  const { pool, accounts } = curveFixture({
    realQuote: 1n << 33n,
    isMayhem: true,
    fees: POOL_FEES,
  });
  const fast = openFastPumpCurve(pool, accounts, COIN);
  assert.ok(fast);
  const tally = { proved: 0, asked: 0 };
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 3 }), amounts, (steps, amountsIn) => {
      const known = mutated(accounts, steps);
      if (pumpCurve.decode(pool, known, COIN).kind === "unusable" || !fast.refresh(known)) return;
      const order = { pool, known, inputMint: COIN, coin: COIN, amountsIn, clock: CLOCK };
      assertFastEqualsReference(pumpCurve, fast, order, tally);
    }),
    { numRuns: 400 },
  );
  assert.ok(tally.proved > 50);
});
