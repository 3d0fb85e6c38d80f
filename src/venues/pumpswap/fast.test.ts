import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ByteWriter } from "#src/local-node/byte-writer.ts";
import { withTokenAmount } from "#src/local-node/token-accounts.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { assertFastEqualsReference } from "#test/support/fast-paths.ts";
import { mutated, mutation } from "#test/support/hostile-accounts.ts";
import { COIN, POOL_FEES, pumpSwapFixture } from "#test/support/pump-pools.ts";
import { testAddress } from "#test/support/raydium-pools.ts";
import { pumpSwap } from "./adapter.ts";
import { openFastPumpSwap } from "./fast.ts";
import { POOL, POOL_FEE_CONFIG_ADDRESS } from "./layout.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 1050n };
const BASE_VAULT = testAddress(25);
const QUOTE_VAULT = testAddress(26);

const reserve = fc.oneof(
  fc.bigInt({ min: 1n, max: 1n << 53n }),
  fc.bigInt({ min: 1n, max: 1_000_000_000_000n }),
  fc.bigInt({ min: 1n, max: 1000n }),
  fc.bigInt({ min: (1n << 52n) - 1000n, max: (1n << 52n) + 1000n }),
);
const amounts = fc.array(fc.oneof(reserve, fc.constant(0n)), { minLength: 1, maxLength: 6 });
const side = fc.constantFrom("sell" as const, "buy" as const);

test("every answer equals the reference's, on both sides and up to the edges of the range", () => {
  const tally = { proved: 0, asked: 0 };
  fc.assert(
    fc.property(
      fc.record({
        baseReserve: reserve,
        quoteReserve: reserve,
        virtualQuote: fc.oneof(fc.constant(0n), fc.bigInt({ min: -(10n ** 12n), max: 1n << 52n })),
        supply: fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 16n }), fc.constant(10n ** 15n)),
        isCanonical: fc.boolean(),
        isMayhem: fc.boolean(),
      }),
      side,
      amounts,
      (fields, trade, amountsIn) => {
        const { pool, mintA, mintB, accounts: known } = pumpSwapFixture(fields);
        const inputMint = trade === "sell" ? mintA : mintB;
        const fast = openFastPumpSwap(pool, known, inputMint);
        if (fast === null) return;
        const order = { pool, known, inputMint, amountsIn, clock: CLOCK };
        assertFastEqualsReference(pumpSwap, fast, order, tally);
      },
    ),
    { numRuns: 1500 },
  );
  assert.ok(tally.proved > 1000, `${tally.proved} proved, ${tally.asked} asked`);
});

test("a market cap on a threshold, or one unit below it, pays the tier that integers say", () => {
  const tally = { proved: 0, asked: 0 };
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: 10n ** 15n }),
      fc.bigInt({ min: 10n ** 9n, max: 10n ** 15n }),
      fc.bigInt({ min: -1n, max: 1n }),
      (baseReserve, supply, beside) => {
        const [, second] = POOL_FEES.tiers;
        const quoteReserve = ((second?.threshold ?? 0n) * baseReserve) / supply + beside;
        if (quoteReserve < 1n || quoteReserve >= 1n << 52n) return;
        const { pool, accounts: known } = pumpSwapFixture({ baseReserve, quoteReserve, supply });
        const fast = openFastPumpSwap(pool, known, COIN);
        assert.ok(fast);
        const amountsIn = [baseReserve, baseReserve / 3n, 1_000_000n];
        const order = { pool, known, inputMint: COIN, amountsIn, clock: CLOCK };
        assertFastEqualsReference(pumpSwap, fast, order, tally);
      },
    ),
    { numRuns: 400 },
  );
  assert.ok(tally.proved > 300);
});

test("after a refresh it quotes the new bytes, whatever part of them changed", () => {
  const fixture = pumpSwapFixture({ baseReserve: 10n ** 14n, quoteReserve: 10n ** 11n });
  const { pool } = fixture;
  const known = new Map(fixture.accounts);
  const fast = openFastPumpSwap(pool, known, COIN);
  assert.ok(fast);
  const tally = { proved: 0, asked: 0 };
  const check = () => {
    assert.ok(fast.refresh(known));
    const amountsIn = [1n, 10n ** 9n, 10n ** 13n];
    const order = { pool, known, inputMint: COIN, amountsIn, clock: CLOCK };
    assertFastEqualsReference(pumpSwap, fast, order, tally);
  };
  const edit = (address: typeof pool, write: (writer: ByteWriter) => void) => {
    const before = known.get(address);
    assert.ok(before);
    const writer = new ByteWriter(before.data.slice());
    write(writer);
    known.set(address, { ...before, data: writer.bytes });
    check();
  };
  edit(BASE_VAULT, (at) => at.u64(64, 2n * 10n ** 14n));
  edit(QUOTE_VAULT, (at) => at.u64(64, 7n * 10n ** 11n));
  edit(COIN, (at) => at.u64(36, 10n ** 14n));
  edit(pool, (at) => at.u128(POOL.virtual_quote_reserves, 5n * 10n ** 10n));
  edit(pool, (at) => at.u128(POOL.virtual_quote_reserves, (1n << 128n) - 10n ** 9n));
  edit(pool, (at) => at.u64(POOL.creator_fee_bps, 250n));
  edit(pool, (at) => at.address(POOL.creator, testAddress(9)));
  edit(POOL_FEE_CONFIG_ADDRESS, (at) => at.u64(41, 300n));
  assert.equal(tally.proved, 24);
});

test("what the reference would not quote is left to it", () => {
  const usual = { baseReserve: 10n ** 14n, quoteReserve: 10n ** 11n };
  const opens = (fields: Parameters<typeof pumpSwapFixture>[0], inputMint = COIN) => {
    const { pool, accounts } = pumpSwapFixture(fields);
    return openFastPumpSwap(pool, accounts, inputMint) !== null;
  };
  assert.equal(opens(usual), true);
  assert.equal(opens(usual, testAddress(9)), false);
  assert.equal(opens({ ...usual, disableFlags: 1 << 4 }), false);
  assert.equal(opens({ ...usual, disableFlags: 1 << 4 }, WSOL), true);
  assert.equal(opens({ ...usual, baseReserve: 0n }), false);
  assert.equal(opens({ ...usual, baseReserve: 1n << 52n }), false);
  assert.equal(opens({ ...usual, virtualQuote: -(10n ** 11n) }), false);
  const { pool, accounts } = pumpSwapFixture(usual);
  const fast = openFastPumpSwap(pool, accounts, COIN);
  assert.ok(fast);
  const vault = accounts.get(BASE_VAULT);
  assert.ok(vault);
  const gone = new Map(accounts);
  gone.delete(BASE_VAULT);
  assert.equal(fast.refresh(gone), false);
  const huge = withTokenAmount(vault, 1n << 60n, 2n);
  assert.equal(fast.refresh(new Map(accounts).set(BASE_VAULT, huge)), false);
  assert.equal(fast.refresh(accounts), true);
});

test("on damaged accounts it quotes as the reference does, or leaves it to it", () => {
  const { pool, accounts } = pumpSwapFixture({
    baseReserve: 1n << 40n,
    quoteReserve: 1n << 36n,
    virtualQuote: 1n << 30n,
  });
  const fast = openFastPumpSwap(pool, accounts, COIN);
  assert.ok(fast);
  const tally = { proved: 0, asked: 0 };
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 3 }), amounts, (steps, amountsIn) => {
      const known = mutated(accounts, steps);
      if (pumpSwap.decode(pool, known).kind === "unusable" || !fast.refresh(known)) return;
      const order = { pool, known, inputMint: COIN, amountsIn, clock: CLOCK };
      assertFastEqualsReference(pumpSwap, fast, order, tally);
    }),
    { numRuns: 400 },
  );
  assert.ok(tally.proved > 50);
});
