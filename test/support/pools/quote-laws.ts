import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { Clock, Quote, Venue } from "#src/venues/venue.ts";
import { assertSurvives, mutated, mutation } from "./hostile-accounts.ts";
import { testAddress } from "./raydium-pools.ts";

type Trade<State> = {
  readonly state: State;
  readonly inputMint: Address;
  readonly outputMint: Address;
};

type Filled<State> = Extract<Quote<State>, { readonly kind: "filled" }>;

/** What a venue brings to be held to the laws below. */
type QuotedVenue<State> = {
  readonly venue: Venue<State>;
  readonly clock: Clock;
  readonly trades: fc.Arbitrary<Trade<State>>;
  readonly amounts: fc.Arbitrary<bigint>;
  readonly numRuns?: number;
  /** The most that a trade may pay. */
  readonly mostOut: (trade: Trade<State>) => bigint;
  /** Whether more of what is filled is filled too. */
  readonly fillsMore: boolean;
  /** What holds of each filled trade of this program, by the name of the test. */
  readonly laws?: Readonly<Record<string, (trade: Trade<State>, filled: Filled<State>) => void>>;
  /** Pools whose accounts are damaged. */
  readonly pools: fc.Arbitrary<{
    readonly pool: Address;
    readonly accounts: ReadonlyMap<Address, Account>;
  }>;
};

/** Registers the laws that the quotes of a program keep, whatever its curve and fees. */
export function testQuoteLaws<State>(tested: QuotedVenue<State>): void {
  const { venue, clock, trades, amounts, mostOut, fillsMore, laws = {}, pools } = tested;
  const { numRuns = 100 } = tested;
  const quote = ({ state, inputMint }: Trade<State>, amountIn: bigint) =>
    venue.quoteExactIn(state, { inputMint, amountIn, clock });

  test("a trade pays out of what is there, and more in is never less out", () => {
    fc.assert(
      fc.property(trades, amounts, amounts, (trade, first, more) => {
        const less = quote(trade, first);
        if (less.kind !== "filled") return;
        assert.ok(less.amountOut <= mostOut(trade));
        const greater = quote(trade, first + more);
        if (greater.kind === "filled") assert.ok(greater.amountOut >= less.amountOut);
        else assert.ok(!fillsMore);
      }),
      { numRuns },
    );
  });

  test("a round trip never profits", () => {
    fc.assert(
      fc.property(trades, amounts, ({ state, inputMint, outputMint }, amountIn) => {
        const there = quote({ state, inputMint, outputMint }, amountIn);
        if (there.kind !== "filled") return;
        const return_ = { state: there.after, inputMint: outputMint, outputMint: inputMint };
        const back = quote(return_, there.amountOut);
        assert.ok(back.kind === "unfillable" || back.amountOut <= amountIn);
      }),
      { numRuns },
    );
  });

  test("what a trade pays is gone from the pool, which keeps no more than came in", () => {
    fc.assert(
      fc.property(trades, amounts, (trade, amountIn) => {
        const filled = quote(trade, amountIn);
        if (filled.kind !== "filled") return;
        const reversed = { inputMint: trade.outputMint, outputMint: trade.inputMint };
        const { after } = filled;
        assert.ok(mostOut({ ...trade, state: after }) <= mostOut(trade) - filled.amountOut);
        const kept =
          mostOut({ ...reversed, state: after }) - mostOut({ ...reversed, state: trade.state });
        assert.ok(kept >= 0n && kept <= amountIn);
      }),
      { numRuns },
    );
  });

  test("a mint that the pool does not trade is refused", () => {
    const foreign = testAddress(250);
    fc.assert(
      fc.property(trades, amounts, ({ state }, amountIn) => {
        const refused = venue.quoteExactIn(state, { inputMint: foreign, amountIn, clock });
        assert.deepEqual(refused, { kind: "unfillable", reason: "refused" });
      }),
      { numRuns: 10 },
    );
  });

  for (const [name, holds] of Object.entries(laws))
    test(name, () => {
      fc.assert(
        fc.property(trades, amounts, (trade, amountIn) => {
          const filled = quote(trade, amountIn);
          if (filled.kind === "filled") holds(trade, filled);
        }),
        { numRuns },
      );
    });

  test("any damage to the accounts gives a pool or a reason", () => {
    const mutations = fc.array(mutation, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(pools, mutations, ({ pool, accounts }, damage) => {
        assertSurvives(venue, pool, mutated(accounts, damage), clock);
      }),
      { numRuns: 500 },
    );
  });
}
