import assert from "node:assert/strict";
import type { Address } from "#src/units/address.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import { type FastQuoter, REFUSED } from "#src/venues/fast-quoter.ts";
import type { Clock, Venue } from "#src/venues/venue.ts";

export type FastTally = { proved: number; asked: number };

/**
 * Quotes the amounts by the fast path and holds each answer beside the reference's; an answer left to
 * the reference is counted, not judged.
 */
export function assertFastEqualsReference<State>(
  venue: Venue<State>,
  fast: FastQuoter,
  order: {
    readonly pool: Address;
    readonly known: AccountSet;
    readonly inputMint: Address;
    readonly coin?: Address;
    readonly amountsIn: readonly bigint[];
    readonly clock: Clock;
  },
  tally: FastTally,
): void {
  const { pool, known, inputMint, clock } = order;
  const decoded = venue.decode(pool, known, order.coin);
  if (decoded.kind !== "pool") throw new Error(`quoted what is ${decoded.detail}`);
  const amounts = order.amountsIn
    .filter((amountIn) => amountIn < 1n << 53n)
    .toSorted((a, b) => (a < b ? -1 : 1));
  const amountsOut = new Float64Array(amounts.length);
  fast.quoteAscending(Float64Array.from(amounts, Number), amountsOut, clock);
  for (const [index, amountIn] of amounts.entries()) {
    const answer = amountsOut[index] ?? Number.NaN;
    if (Number.isNaN(answer)) {
      tally.asked++;
      continue;
    }
    tally.proved++;
    const quote = venue.quoteExactIn(decoded.state, { inputMint, amountIn, clock });
    const expected = quote.kind === "filled" ? Number(quote.amountOut) : REFUSED;
    assert.equal(answer, expected, `${amountIn} in`);
  }
}
