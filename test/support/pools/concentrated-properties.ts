import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Address } from "#src/units/address.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import type { Venue } from "#src/venues/venue.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { assertSurvives, mutated, mutation } from "./hostile-accounts.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const amount = fc
  .integer({ min: 0, max: 52 })
  .chain((bits) => fc.bigInt({ min: 1n, max: 1n << BigInt(bits + 1) }));

type Fixture = {
  readonly pool: Address;
  readonly mintA: Address;
  readonly mintB: Address;
  /** Everything that decoding asks for. */
  readonly known: AccountSet;
  /** The same accounts, to be damaged. */
  readonly accounts: ReadonlyMap<Address, Account>;
};

/** What a venue with liquidity between ticks brings to be held to the laws below. */
type ConcentratedVenue<State, Fields> = {
  readonly venue: Venue<State>;
  readonly pools: fc.Arbitrary<Fields>;
  readonly fixture: (fields: Fields) => Fixture;
  /** The same pool with a fee that a swap does not move. */
  readonly withoutMovingFee: (fields: Fields) => Fields;
  readonly quoteAscending: (
    state: State,
    orders: {
      readonly inputMint: Address;
      readonly amountsIn: readonly bigint[];
      readonly clock: typeof CLOCK;
    },
  ) => readonly (bigint | null)[];
};

/** Registers the laws that every concentrated pool keeps, whatever its ticks and fees. */
export function testConcentratedLaws<State, Fields>({
  venue,
  pools,
  fixture,
  withoutMovingFee,
  quoteAscending,
}: ConcentratedVenue<State, Fields>): void {
  /** The pool, and the mints of a sale in the direction asked for. */
  function open(fields: Fields, isFirst: boolean) {
    const { pool, mintA, mintB, known } = fixture(fields);
    const decoded = decodedState(venue, pool, known);
    const [inputMint, outputMint] = isFirst ? [mintA, mintB] : [mintB, mintA];
    return { state: decoded, inputMint, outputMint };
  }

  const sell = (state: State, inputMint: Address, amountIn: bigint) =>
    venue.quoteExactIn(state, { inputMint, amountIn, clock: CLOCK });

  test("a sale pays no more than can be reached", () => {
    fc.assert(
      fc.property(pools, amount, fc.boolean(), (fields, amountIn, isFirst) => {
        const { state, inputMint } = open(fields, isFirst);
        const quote = sell(state, inputMint, amountIn);
        if (quote.kind !== "filled") return;
        assert.ok(quote.amountOut <= venue.reachable(state, inputMint, 10_000));
      }),
      { numRuns: 200 },
    );
  });

  test("where a swap does not move the fee, more in is never less out", () => {
    fc.assert(
      fc.property(pools, amount, amount, fc.boolean(), (fields, first, more, isFirst) => {
        const { state, inputMint } = open(withoutMovingFee(fields), isFirst);
        const less = sell(state, inputMint, first);
        const greater = sell(state, inputMint, first + more);
        if (less.kind !== "filled" || greater.kind !== "filled") return;
        assert.ok(greater.amountOut >= less.amountOut);
      }),
      { numRuns: 200 },
    );
  });

  test("a round trip never profits", () => {
    fc.assert(
      fc.property(pools, amount, fc.boolean(), (fields, amountIn, isFirst) => {
        const { state, inputMint, outputMint } = open(fields, isFirst);
        const there = sell(state, inputMint, amountIn);
        if (there.kind !== "filled") return;
        const back = sell(there.after, outputMint, there.amountOut);
        assert.ok(back.kind === "unfillable" || back.amountOut <= amountIn);
      }),
      { numRuns: 200 },
    );
  });

  test("no sale pays more than the spot price says", () => {
    fc.assert(
      fc.property(pools, amount, fc.boolean(), (fields, amountIn, isFirst) => {
        const { state, inputMint } = open(fields, isFirst);
        const spot = venue.spotPrice(state, inputMint);
        const quote = sell(state, inputMint, amountIn);
        if (quote.kind !== "filled") return;
        assert.notEqual(spot, null);
        if (spot === null) return;
        assert.ok(quote.amountOut * spot.denominator <= spot.numerator * amountIn);
      }),
      { numRuns: 200 },
    );
  });

  test("reachable grows with the fall that is allowed", () => {
    fc.assert(
      fc.property(pools, fc.boolean(), (fields, isFirst) => {
        const { state, inputMint } = open(fields, isFirst);
        let before = 0n;
        for (const fallBps of [0, 1, 100, 1000, 5000, 9999, 10_000]) {
          const found = venue.reachable(state, inputMint, fallBps);
          assert.ok(found >= before);
          before = found;
        }
      }),
      { numRuns: 100 },
    );
  });

  test("one traversal for ascending amounts pays what each pays alone", () => {
    const amounts = fc.array(amount, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(pools, amounts, fc.boolean(), (fields, unsorted, isFirst) => {
        const { state, inputMint } = open(fields, isFirst);
        const amountsIn = unsorted.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
        const alone = amountsIn.map((amountIn) => {
          const quote = sell(state, inputMint, amountIn);
          return quote.kind === "filled" ? quote.amountOut : null;
        });
        assert.deepEqual(quoteAscending(state, { inputMint, amountsIn, clock: CLOCK }), alone);
      }),
      { numRuns: 300 },
    );
  });

  test("any damage to the accounts gives a pool or a reason", () => {
    const mutations = fc.array(mutation, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(pools, mutations, (fields, damage) => {
        const { pool, accounts } = fixture(fields);
        assertSurvives(venue, pool, mutated(accounts, damage), CLOCK);
      }),
      { numRuns: 300 },
    );
  });
}
