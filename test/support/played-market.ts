import assert from "node:assert/strict";
import type { MarketProgram, Trade, TradeResult } from "#src/local-node/market-program.ts";
import { type Address, addressFromBytes } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { Clock, Venue } from "#src/venues/venue.ts";

export const MARKET_CLOCK: Clock = { slot: 7n, unixTimestamp: 1_790_000_000n, epoch: 1050n };

/** Accounts that programs have written, and the next number of a seeded sequence. */
export type PlayedMarket = {
  readonly accounts: Map<Address, Account | null>;
  /** In [0, limit). */
  readonly below: (limit: number) => number;
  readonly freshAddress: () => Address;
};

export function playedMarket(programs: readonly MarketProgram[], seed: number): PlayedMarket {
  const accounts = new Map<Address, Account | null>();
  for (const program of programs) store(accounts, program.setup(MARKET_CLOCK));
  let state = seed >>> 0;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * limit);
  };
  const freshAddress = (): Address =>
    addressFromBytes(Uint8Array.from({ length: 32 }, () => below(256)));
  return { accounts, below, freshAddress };
}

export function store(
  accounts: Map<Address, Account | null>,
  changes: ReadonlyMap<Address, Account | null>,
): void {
  for (const [address, account] of changes) accounts.set(address, account);
}

type Done = Extract<TradeResult, { readonly kind: "done" }>;

/**
 * Plays one trade, and checks that the bytes it left decode to the very state that the venue's quote
 * says comes after it. Null where the program refused, which the quote must then do too.
 */
export function playTrade<State>(
  market: PlayedMarket,
  { venue, program }: { readonly venue: Venue<State>; readonly program: MarketProgram },
  trade: Omit<Trade, "clock" | "user">,
  coin?: Address,
): Done | null {
  const { accounts } = market;
  const user = market.freshAddress();
  const before = venue.decode(trade.pool, accounts, coin);
  if (before.kind !== "pool") throw new Error(before.detail);
  const quote = venue.quoteExactIn(before.state, { ...trade, clock: MARKET_CLOCK });
  const result = program.swap(accounts, { ...trade, user, clock: MARKET_CLOCK });
  assert.equal(result.kind === "done", quote.kind === "filled");
  if (result.kind !== "done" || quote.kind !== "filled") return null;
  store(accounts, result.changes);
  assert.equal(result.amountOut, quote.amountOut);
  const after = venue.decode(trade.pool, accounts, coin);
  assert.deepEqual(after.kind === "pool" ? after.state : after, quote.after);
  return result;
}

/** The bytes of each "Program data:" line. */
export function loggedEvents(logs: readonly string[]): readonly Uint8Array[] {
  const prefix = "Program data: ";
  return logs
    .filter((line) => line.startsWith(prefix))
    .map((line) => new Uint8Array(Buffer.from(line.slice(prefix.length), "base64")));
}
