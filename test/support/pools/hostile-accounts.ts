import assert from "node:assert/strict";
import fc from "fast-check";
import type { Address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM } from "#src/units/known-addresses.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import type { Clock, Venue } from "#src/venues/venue.ts";

/** One thing that an attacker or a new program version may do to an account. */
export type Mutation =
  | { readonly kind: "flip"; readonly account: number; readonly at: number; readonly mask: number }
  | { readonly kind: "fill"; readonly account: number; readonly at: number; readonly byte: number }
  | { readonly kind: "truncate" | "extend"; readonly account: number; readonly by: number }
  | { readonly kind: "foreign-owner" | "absent" | "unread"; readonly account: number };

const account = fc.nat();
export const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("flip" as const),
      account,
      at: fc.nat(),
      mask: fc.integer({ min: 1, max: 255 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("fill" as const),
      account,
      at: fc.nat(),
      byte: fc.constantFrom(0, 255, 128, 1),
    }),
  },
  fc.record({
    kind: fc.constantFrom("truncate" as const, "extend" as const),
    account,
    by: fc.nat({ max: 2000 }),
  }),
  fc.record({
    kind: fc.constantFrom("foreign-owner" as const, "absent" as const, "unread" as const),
    account,
  }),
);

/** A copy of the accounts after the mutations. "fill" writes eight equal bytes: hostile counts and amounts. */
export function mutated(
  accounts: ReadonlyMap<Address, Account>,
  mutations: readonly Mutation[],
): AccountSet {
  const addresses = [...accounts.keys()];
  const result = new Map<Address, Account | null>(accounts);
  for (const step of mutations) {
    const address = addresses[step.account % addresses.length];
    if (address === undefined) continue;
    const before = result.get(address);
    if (before === undefined || before === null) continue;
    const after = apply(before, step);
    if (after === undefined) result.delete(address);
    else result.set(address, after);
  }
  return result;
}

function apply(before: Account, step: Mutation): Account | null | undefined {
  const data = before.data.slice();
  switch (step.kind) {
    case "flip":
      if (data.length > 0) {
        const at = step.at % data.length;
        data[at] = (data[at] ?? 0) ^ step.mask;
      }
      return { ...before, data };
    case "fill":
      data.fill(step.byte, step.at % (data.length + 1), (step.at % (data.length + 1)) + 8);
      return { ...before, data };
    case "truncate":
      return { ...before, data: data.slice(0, Math.max(0, data.length - 1 - step.by)) };
    case "extend": {
      const longer = new Uint8Array(data.length + 1 + step.by);
      longer.set(data);
      return { ...before, data: longer };
    }
    case "foreign-owner":
      return { ...before, owner: SYSTEM_PROGRAM };
    case "absent":
      return null;
    case "unread":
      return undefined;
  }
}

/**
 * Asks everything that a venue can be asked about these accounts. It may refuse, with a reason; it
 * may not throw, and a fill may not pay more than u64 holds.
 */
export function assertSurvives<State>(
  venue: Venue<State>,
  pool: Address,
  known: AccountSet,
  clock: Clock,
): void {
  assert.ok(venue.accountsNeeded(pool, known).includes(pool));
  venue.outline(pool, known);
  const decoded = venue.decode(pool, known);
  if (decoded.kind === "unusable") {
    assert.notEqual(decoded.detail, "");
    return;
  }
  const outline = venue.outline(pool, known);
  assert.notEqual(outline, null, "what decodes has an outline");
  venue.cautions(decoded.state);
  venue.status(decoded.state, clock);
  for (const inputMint of [outline?.mintA, outline?.mintB]) {
    if (inputMint === undefined) continue;
    venue.spotPrice(decoded.state, inputMint);
    assert.ok(venue.feePpm(decoded.state, inputMint, clock) >= 0);
    for (const fallBps of [1, 1000, 10_000]) {
      assert.ok(venue.reachable(decoded.state, inputMint, fallBps) >= 0n);
    }
    for (const amountIn of [0n, 1n, 1_000_000_007n, (1n << 64n) - 1n, 1n << 64n]) {
      const quote = venue.quoteExactIn(decoded.state, { inputMint, amountIn, clock });
      if (quote.kind === "filled") {
        assert.ok(quote.amountOut >= 0n && quote.amountOut < 1n << 64n);
      } else {
        assert.notEqual(quote.reason, "");
      }
    }
  }
}
