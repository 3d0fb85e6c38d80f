import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import { whirlpoolFixture, whirlpools } from "#test/support/pools/whirlpools.ts";
import { orcaWhirlpool, orcaWhirlpoolImmutable } from "./adapter.ts";
import { whirlpoolImmutableSwaps, whirlpoolSwaps } from "./events.ts";
import { IMMUTABLE } from "./layout.ts";
import { orcaWhirlpoolImmutableSale } from "./sale.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const { programId } = IMMUTABLE;

test("a pool of the immutable deployment is quoted like the same pool of the other", () => {
  fc.assert(
    fc.property(whirlpools, fc.bigInt({ min: 1n, max: 1n << 45n }), (fields, amountIn) => {
      const there = whirlpoolFixture({ ...fields, programId });
      const here = whirlpoolFixture(fields);
      const [state, expected] = [
        orcaWhirlpoolImmutable.decode(there.pool, there.known),
        orcaWhirlpool.decode(here.pool, here.known),
      ];
      assert.deepEqual(state, expected);
      if (state.kind !== "pool" || expected.kind !== "pool") return;
      for (const inputMint of [here.mintA, here.mintB]) {
        const order = { inputMint, amountIn, clock: CLOCK };
        assert.deepEqual(
          orcaWhirlpoolImmutable.quoteExactIn(state.state, order),
          orcaWhirlpool.quoteExactIn(expected.state, order),
        );
        const fast = orcaWhirlpoolImmutable.openFast?.(there.pool, there.known, inputMint) ?? null;
        const other = orcaWhirlpool.openFast?.(here.pool, here.known, inputMint) ?? null;
        assert.equal(fast === null, other === null);
        const [paid, paidThere] = [new Float64Array(1), new Float64Array(1)];
        other?.quoteAscending(Float64Array.of(Number(amountIn)), paid, CLOCK);
        fast?.quoteAscending(Float64Array.of(Number(amountIn)), paidThere, CLOCK);
        assert.deepEqual(paidThere, paid);
      }
    }),
  );
});

const FIELDS = {
  tickSpacing: 8,
  sqrtPriceX64: 1n << 64n,
  positions: [{ lower: -1200, upper: 1600, liquidity: 1_000_000_000n }],
};

test("its accounts have their own addresses, and the other deployment's accounts are refused", () => {
  const { pool, known } = whirlpoolFixture({ ...FIELDS, programId });
  const other = whirlpoolFixture(FIELDS).known;
  const arrays = (accounts: ReadonlyMap<Address, Account | null>) =>
    [...accounts].flatMap(([at, account]) =>
      account?.data.length === 9_988 ? [[at, account] as const] : [],
    );
  const shared = arrays(known).filter(([at]) => other.has(at));
  assert.deepEqual(shared, []);
  const foreign = new Map(known);
  const [, theirs] = arrays(other)[0] ?? [];
  assert.ok(theirs !== undefined);
  for (const [at] of arrays(known)) foreign.set(at, theirs);
  const decoded = orcaWhirlpoolImmutable.decode(pool, foreign);
  assert.ok(decoded.kind === "unusable" && decoded.reason === "undecodable");
});

test("its pools are searched in its own program, under Orca's configuration of it", () => {
  const mint = testAddress(9);
  const { filters, configured } = orcaWhirlpoolImmutable.search(mint, WSOL);
  assert.deepEqual(
    filters.map((filter) => filter.programId),
    [programId, programId],
  );
  const others = new Set(orcaWhirlpool.search(mint, WSOL).configured());
  assert.ok(configured().length > 0 && configured().every((at) => !others.has(at)));
});

test("its sale calls its own program, and positions are counted in it", () => {
  const { pool, known, mintA, mintB } = whirlpoolFixture({ ...FIELDS, programId });
  const seller = {
    wallet: testAddress(1),
    baseAccount: testAddress(2),
    quoteAccount: testAddress(3),
  };
  const request = { pool, known, seller, inputMint: mintA, outputMint: mintB, amountIn: 5n };
  const built = orcaWhirlpoolImmutableSale.build(request);
  assert.ok(built.kind === "built");
  assert.equal(built.instructions[0].programId, programId);
  const shares = orcaWhirlpoolImmutable.shares(pool, known);
  assert.ok(shares?.kind === "ranged");
  assert.equal(shares.filter.programId, programId);
});

test("its swaps have their own reader", () => {
  assert.equal(whirlpoolSwaps.venue, orcaWhirlpool);
  assert.equal(whirlpoolImmutableSwaps.venue, orcaWhirlpoolImmutable);
});
