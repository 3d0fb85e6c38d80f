import assert from "node:assert/strict";
import type { MarketProgram, NewPool, Trade, TradeResult } from "#demo/market-program.ts";
import type { AccountChanges } from "#src/node/ledger.ts";
import { type Address, addressFromBytes } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { Clock, Venue } from "#src/venues/venue.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";

export const MARKET_CLOCK: Clock = { slot: 7n, unixTimestamp: 1_790_000_000n, epoch: 1050n };

/** Accounts that programs have written, and a seeded sequence of numbers. */
export type PlayedMarket = {
  readonly accounts: Map<Address, Account | null>;
  /** In [0, limit). */
  readonly below: (limit: number) => number;
  readonly freshAddress: () => Address;
};

function playedMarket(programs: readonly MarketProgram[], seed: number): PlayedMarket {
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

function store(
  accounts: Map<Address, Account | null>,
  changes: ReadonlyMap<Address, Account | null>,
): void {
  for (const [address, account] of changes) accounts.set(address, account);
}

type Done = Extract<TradeResult, { readonly kind: "done" }>;

/**
 * Plays one trade, and checks that the accounts it leaves decode to the state after the venue's own
 * quote. Null if the program refused; the quote must then refuse too.
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

const DEPOSITS = { baseAmount: 500_000_000_000n, quoteAmount: 80_000_000_000n };

export type PlayedProgram<State> = PlayedMarket & {
  /** The first token of the market. */
  readonly coin: Address;
  /** Creates a pool, of the coin against SOL by default. */
  readonly open: (pool?: Partial<NewPool>) => Address;
  readonly stateOf: (pool: Address, coin?: Address) => State;
  /** Stores changes, which must not be null. */
  readonly apply: (changes: AccountChanges | null | undefined) => void;
  readonly trade: (trade: Omit<Trade, "clock" | "user">, coin?: Address) => Done | null;
  /** Plays that many trades on the pools in turn, in random directions; returns how many were done. */
  readonly tradeOften: (
    pools: readonly TradedPool[],
    trades: {
      readonly count: number;
      readonly buysOfTen?: number;
      readonly amountIn: (isBuy: boolean) => bigint;
    },
  ) => number;
};

type TradedPool = {
  readonly pool: Address;
  readonly coin: Address;
  readonly quoteMint: Address;
};

/** A market of one program and the venue that decodes it; `others` are set up beside it. */
export function playProgram<State>(
  parts: { readonly venue: Venue<State>; readonly program: MarketProgram },
  seed: number,
  others: readonly MarketProgram[] = [],
): PlayedProgram<State> {
  const { venue, program } = parts;
  const market = playedMarket([program, ...others], seed);
  const { accounts, below, freshAddress } = market;
  const coin = freshAddress();
  const trade: PlayedProgram<State>["trade"] = (order, sold) =>
    playTrade(market, parts, order, sold);
  return {
    ...market,
    coin,
    trade,
    open(pool = {}) {
      const opened = program.createPool(accounts, {
        baseMint: coin,
        quoteMint: WSOL,
        ...DEPOSITS,
        creator: freshAddress(),
        clock: MARKET_CLOCK,
        freshAddress,
        ...pool,
      });
      store(accounts, opened.changes);
      return opened.pool;
    },
    stateOf(pool, sold) {
      return decodedState(venue, pool, accounts, sold);
    },
    apply(changes) {
      assert.ok(changes);
      store(accounts, changes);
    },
    tradeOften(pools, { count, buysOfTen = 5, amountIn }) {
      let done = 0;
      for (let index = 0; index < count; index++) {
        const place = pools[index % pools.length];
        assert.ok(place);
        const isBuy = below(10) < buysOfTen;
        const { pool, quoteMint } = place;
        const [inputMint, outputMint] = isBuy ? [quoteMint, place.coin] : [place.coin, quoteMint];
        const order = { pool, inputMint, outputMint, amountIn: amountIn(isBuy) };
        if (trade(order, place.coin) !== null) done++;
      }
      return done;
    },
  };
}

/** Checks that pausing, resuming and a new fee of the operator reach the venue's reading of the pool. */
export function assertOperatorControls<State>(
  { venue, program }: { readonly venue: Venue<State>; readonly program: MarketProgram },
  market: PlayedProgram<State>,
  pool: Address,
  feePpm: number,
): void {
  const { accounts, apply, coin, stateOf } = market;
  if (program.setPaused !== undefined) {
    for (const isPaused of [true, false]) {
      apply(program.setPaused(accounts, pool, isPaused, MARKET_CLOCK));
      const status = venue.status(stateOf(pool, coin), MARKET_CLOCK);
      assert.equal(status, isPaused ? "paused" : "open");
    }
  }
  apply(program.setFee?.(accounts, pool, feePpm, MARKET_CLOCK));
  assert.equal(venue.feePpm(stateOf(pool, coin), coin, MARKET_CLOCK), feePpm);
}
