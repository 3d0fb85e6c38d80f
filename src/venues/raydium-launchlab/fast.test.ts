import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ByteWriter } from "#src/local-node/byte-writer.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { assertFastEqualsReference } from "#test/support/fast-paths.ts";
import { mutated, mutation } from "#test/support/hostile-accounts.ts";
import { COIN, launchFixture } from "#test/support/pump-pools.ts";
import { testAddress } from "#test/support/raydium-pools.ts";
import { raydiumLaunchLab } from "./adapter.ts";
import { openFastLaunchLab } from "./fast.ts";
import { GLOBAL_CONFIG, POOL } from "./layout.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 1050n };
const GLOBAL = testAddress(28);
const NO_FEE = { epoch: 0n, maximum: 0n, feeBps: 0 };

const reserve = fc.oneof(
  fc.bigInt({ min: 1n, max: 1n << 53n }),
  fc.bigInt({ min: 1n, max: 1_000_000_000_000n }),
  fc.bigInt({ min: 1n, max: 1000n }),
  fc.bigInt({ min: (1n << 52n) - 1000n, max: (1n << 52n) + 1000n }),
);
const share = fc.bigInt({ min: 0n, max: 10_000n });
const rate = fc.bigInt({ min: 0n, max: 300_000n });
const amounts = fc.array(fc.oneof(reserve, fc.constant(0n)), { minLength: 1, maxLength: 6 });
const inputs = fc.constantFrom(COIN, WSOL);

test("every answer equals the reference's, on both sides and up to the edges of the range", () => {
  const tally = { proved: 0, asked: 0 };
  fc.assert(
    fc.property(
      fc.record({
        virtualBase: reserve,
        virtualQuote: reserve,
        realQuote: fc.oneof(reserve, fc.constant(0n)),
        forSale: share,
        sold: share,
        protocolFeeRate: rate,
        platformFeeRate: rate,
        creatorFeeRate: rate,
      }),
      inputs,
      amounts,
      ({ forSale, sold, ...fields }, inputMint, amountsIn) => {
        const totalBaseSell = (fields.virtualBase * forSale) / 10_000n;
        const realBase = (totalBaseSell * sold) / 10_000n;
        const fixture = launchFixture({ ...fields, totalBaseSell, realBase });
        const { pool, accounts: known } = fixture;
        const fast = openFastLaunchLab(pool, known, inputMint);
        if (fast === null) return;
        const order = { pool, known, inputMint, amountsIn, clock: CLOCK };
        assertFastEqualsReference(raydiumLaunchLab, fast, order, tally);
      },
    ),
    { numRuns: 1500 },
  );
  assert.ok(tally.proved > 1000, `${tally.proved} proved, ${tally.asked} asked`);
});

test("after a refresh it quotes the new bytes, whatever part of them changed", () => {
  const { pool, accounts } = launchFixture({ realBase: 10n ** 14n, realQuote: 10n ** 10n });
  const known = new Map(accounts);
  const fast = openFastLaunchLab(pool, known, COIN);
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
    const order = { pool, known, inputMint: COIN, amountsIn, clock: CLOCK };
    assertFastEqualsReference(raydiumLaunchLab, fast, order, tally);
  };
  edit(pool, (at) => at.u64(POOL.real_base, 2n * 10n ** 14n));
  edit(pool, (at) => at.u64(POOL.real_quote, 5n));
  edit(pool, (at) => at.u64(POOL.virtual_quote, 10n ** 11n));
  edit(GLOBAL, (at) => at.u64(GLOBAL_CONFIG.trade_fee_rate, 100_000n));
  assert.equal(tally.proved, 12);
});

test("what the reference alone can quote is left to it", () => {
  const opens = (fields: Parameters<typeof launchFixture>[0]) => {
    const { pool, accounts } = launchFixture(fields);
    return openFastLaunchLab(pool, accounts, COIN) !== null;
  };
  assert.equal(opens({}), true);
  assert.equal(opens({ kind: "fixed-price" }), false);
  assert.equal(opens({ kind: "linear-price" }), false);
  assert.equal(opens({ status: 1 }), false);
  assert.equal(opens({ baseTransferFee: { older: NO_FEE, newer: NO_FEE } }), false);
  assert.equal(opens({ virtualBase: 1n << 53n }), false);
});

test("on damaged accounts it quotes as the reference does, or leaves it to it", () => {
  const { pool, accounts } = launchFixture({ realBase: 1n << 45n, realQuote: 1n << 33n });
  const fast = openFastLaunchLab(pool, accounts, COIN);
  assert.ok(fast);
  const tally = { proved: 0, asked: 0 };
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 3 }), amounts, (steps, amountsIn) => {
      const known = mutated(accounts, steps);
      const isUnusable = raydiumLaunchLab.decode(pool, known).kind === "unusable";
      if (isUnusable || !fast.refresh(known)) return;
      const order = { pool, known, inputMint: COIN, amountsIn, clock: CLOCK };
      assertFastEqualsReference(raydiumLaunchLab, fast, order, tally);
    }),
    { numRuns: 400 },
  );
  assert.ok(tally.proved > 50);
});
