import assert from "node:assert/strict";
import type { MarketProgram, TradeResult } from "#demo/market-program.ts";
import { mintAccount } from "#demo/token-accounts.ts";
import { type Address, addressFromBytes } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { ByteReader } from "#src/venues/byte-reader.ts";
import type { Venue } from "#src/venues/venue.ts";
import { loggedEvents, MARKET_CLOCK, type PlayedProgram, playProgram } from "./played-market.ts";

/** Addresses below and above that of wrapped SOL: the token is on either side of the pool. */
export const LOW_MINT = addressFromBytes(new Uint8Array(32).fill(2));
export const HIGH_MINT = addressFromBytes(new Uint8Array(32).fill(200));

const TRADES = 60;

type Parts<State> = { readonly venue: Venue<State>; readonly program: MarketProgram };

/** A pool of 200 million tokens, which may have a transfer fee, against 400 SOL. */
export function openTickPool<State>(parts: Parts<State>, baseMint: Address, transferFeeBps = 0) {
  const market = playProgram(parts, 1);
  const fee = { epoch: 0n, maximum: 1n << 60n, feeBps: transferFeeBps };
  const base = { supply: 10n ** 15n, decimals: 6, slot: 1n };
  const transferFee = { older: fee, newer: fee };
  const mint = mintAccount(transferFeeBps === 0 ? base : { ...base, transferFee });
  market.accounts.set(baseMint, mint);
  market.accounts.set(WSOL, mintAccount({ supply: 10n ** 18n, decimals: 9, slot: 1n }));
  const deposits = { baseAmount: 200_000_000_000_000n, quoteAmount: 400_000_000_000n };
  const pool = market.open({ baseMint, ...deposits });
  markMissing(parts, market, pool);
  return { market, pool };
}

/** As on a node, an account that is not stored is known not to exist. */
function markMissing<State>(
  { venue }: Parts<State>,
  { accounts }: PlayedProgram<State>,
  pool: Address,
): void {
  for (const address of venue.accountsNeeded(pool, accounts)) {
    if (!accounts.has(address)) accounts.set(address, null);
  }
}

/** Checks that a new pool has the price of its deposits, whichever side the token is on. */
export function assertOpensAtPrice<State>(parts: Parts<State>): void {
  for (const baseMint of [LOW_MINT, HIGH_MINT]) {
    const { market, pool } = openTickPool(parts, baseMint);
    const state = market.stateOf(pool);
    assert.deepEqual(parts.venue.cautions(state), []);
    const spot = parts.venue.spotPrice(state, baseMint);
    assert.ok(spot);
    const perMillion = (spot.numerator * 1_000_000_000n) / spot.denominator;
    assert.ok(perMillion >= 1_999_999n && perMillion <= 2_000_000n, String(perMillion));
  }
}

/** Plays trades slot after slot; each must leave accounts that decode to the quoted state. */
export function assertMovesAsQuoted<State>(
  parts: Parts<State>,
  comparable: (state: State) => unknown = (state) => state,
): void {
  for (const [baseMint, transferFeeBps] of [
    [LOW_MINT, 0],
    [HIGH_MINT, 100],
  ] as const) {
    const { market, pool } = openTickPool(parts, baseMint, transferFeeBps);
    for (let trade = 0; trade < TRADES; trade++) {
      const isSale = trade % 3 !== 0;
      const size = BigInt(1 + ((trade * 7919) % 97));
      const order = {
        inputMint: isSale ? baseMint : WSOL,
        amountIn: isSale ? size * 40_000_000_000n : size * 150_000_000n,
        clock: { ...MARKET_CLOCK, slot: MARKET_CLOCK.slot + BigInt(trade) },
      };
      const quote = parts.venue.quoteExactIn(market.stateOf(pool), order);
      const outputMint = isSale ? WSOL : baseMint;
      const swap = { ...order, pool, outputMint, user: pool };
      const result = parts.program.swap(market.accounts, swap);
      assert.ok(quote.kind === "filled" && result.kind === "done");
      assert.equal(result.amountOut, quote.amountOut);
      market.apply(result.changes);
      markMissing(parts, market, pool);
      assert.deepEqual(comparable(market.stateOf(pool)), comparable(quote.after));
    }
  }
}

/** Sells tokens with a transfer fee of 1 %, and returns the logged event. */
export function sellTaxed<State>(
  { program }: Parts<State>,
  market: PlayedProgram<State>,
  pool: Address,
): {
  readonly order: { readonly inputMint: Address; readonly amountIn: bigint };
  readonly result: Extract<TradeResult, { readonly kind: "done" }>;
  readonly event: ByteReader;
} {
  const order = { inputMint: HIGH_MINT, amountIn: 5_000_000_000_000n };
  const trade = { ...order, pool, outputMint: WSOL, user: pool, clock: MARKET_CLOCK };
  const result = program.swap(market.accounts, trade);
  assert.ok(result.kind === "done");
  const [event] = loggedEvents(result.logs);
  assert.ok(event);
  return { order, result, event: new ByteReader(event) };
}

/** Checks that removed liquidity takes the depth with it, and that it returns with added liquidity. */
export function assertLiquidityMovesDepth<State>(parts: Parts<State>): void {
  const { market, pool } = openTickPool(parts, LOW_MINT);
  const depth = () => parts.venue.reachable(market.stateOf(pool), LOW_MINT, 10_000);
  const change = (shareBps: number) =>
    market.apply(parts.program.changeLiquidity(market.accounts, pool, shareBps, MARKET_CLOCK));
  const before = depth();
  change(5_000);
  assert.ok(depth() > (before * 49n) / 100n && depth() <= before / 2n);
  change(-10_000);
  assert.ok(depth() > (before * 99n) / 100n && depth() <= before);
  change(10_000);
  assert.equal(depth(), 0n);
}
