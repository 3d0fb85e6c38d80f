import assert from "node:assert/strict";
import { test } from "node:test";
import { MARKET_PROGRAMS } from "#demo/programs/all.ts";
import { mintAccount } from "#demo/token-accounts.ts";
import { STANDARD_SIZE_LAMPORTS, STANDARD_SIZES } from "#src/measure/assessment.ts";
import { slippageAtSize } from "#src/measure/ladder.ts";
import { holdersFirst } from "#src/measure/questions/holders-first.ts";
import { slippagePct } from "#src/measure/slippage.ts";
import { between, seededRandom } from "#src/platform/seeded-random.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { VENUES } from "#src/venues/all.ts";
import { bindPool } from "#src/venues/quotable-pool.ts";
import type { Venue } from "#src/venues/venue.ts";
import { marketOf, PLAIN_TOKEN } from "#test/support/markets/markets.ts";
import { MARKET_CLOCK, playProgram } from "#test/support/markets/played-market.ts";
import { poolAddress } from "#test/support/pools/pools.ts";
import { propertyRuns } from "#test/support/property-runs.ts";

const SEQUENCES = propertyRuns(60);
const SELLERS = 20;
const BOUGHT_LAMPORTS = 8_000_000_000n;

/** A pool of the program's own accounts, after a purchase, as its venue decodes it. */
function playedPool(venue: Venue<unknown>, seed: number) {
  const program = MARKET_PROGRAMS.find((known) => known.venue === venue.id);
  if (program === undefined) return null;
  const others = MARKET_PROGRAMS.filter((known) => known !== program);
  const market = playProgram({ venue, program }, seed, others);
  market.apply(new Map([[WSOL, mintAccount({ supply: 0n, decimals: 9, slot: 0n })]]));
  const pool = market.open();
  const { coin } = market;
  const order = { pool, inputMint: WSOL, outputMint: coin, amountIn: BOUGHT_LAMPORTS };
  const bought = market.trade(order, coin);
  assert.ok(bought, venue.id);
  return { pool, coin, state: market.stateOf(pool, coin), bought: bought.amountOut };
}

for (const venue of VENUES) {
  test(`${venue.id}: after the holders' sales the sizes pay what the program's quotes pay in sequence, and cost never falls`, () => {
    const played = playedPool(venue, 11);
    assert.ok(played, "the demo market has no such program");
    const { pool: address, coin, state, bought } = played;
    const clock = MARKET_CLOCK;
    const pool = bindPool({
      ...{ venue, address, state, clock, fast: null },
      baseMint: coin,
      quoteMint: WSOL,
    });
    const supply = 10n ** 18n;
    const market = marketOf([pool], { mint: coin, token: { ...PLAIN_TOKEN, supply } });
    const random = seededRandom(7);
    for (let sequence = 0; sequence < SEQUENCES; sequence++) {
      const share = between(random, 0.001, 0.2);
      const sellers = Array.from({ length: SELLERS }, (_, index) => ({
        owner: poolAddress(index + 1),
        baseUnits: BigInt(Math.floor(Number(bought) * share * random())) + 1n,
      })).toSorted((a, b) => (a.baseUnits < b.baseUnits ? 1 : -1));
      const holders = { supply, sellers, excluded: [], unlisted: 0n, slot: 1n };
      const first = holdersFirst(market, { kind: "known", ...holders });
      assert.ok(first.steps !== null && first.now.measurement !== null);
      checkSequence({ venue, state, coin }, first, sellers);
      let before = first.now.measurement.retail.slippagesPct;
      for (const { ladder } of first.steps) {
        const { slippagesPct: after } = ladder.retail;
        for (const [index, size] of STANDARD_SIZES.entries()) {
          const [was, is] = [before[index] ?? 100, after[index] ?? 100];
          assert.ok(is >= was, `sequence ${sequence}, ${size} SOL: ${was} to ${is}`);
        }
        before = after;
      }
    }
  });
}

type Played = {
  readonly venue: Venue<unknown>;
  readonly state: unknown;
  readonly coin: ReturnType<typeof poolAddress>;
};

/** Sells in sequence with the venue alone, until the program refuses, and compares each step. */
function checkSequence(
  { venue, state, coin }: Played,
  { now, steps }: ReturnType<typeof holdersFirst>,
  sellers: readonly { readonly baseUnits: bigint }[],
): void {
  const quote = (from: unknown, amountIn: bigint) =>
    venue.quoteExactIn(from, { inputMint: coin, amountIn, clock: MARKET_CLOCK });
  const midPrice = now.measurement?.midPrice;
  assert.ok(midPrice);
  let [left, paid, sold] = [state, 0n, 0];
  for (const step of steps ?? []) {
    for (const { baseUnits } of sellers.slice(sold, step.holders)) {
      const sale = quote(left, baseUnits);
      if (sale.kind === "unfillable") return;
      left = sale.after;
      paid += sale.amountOut;
      sold++;
    }
    assert.equal(step.paidLamports, paid);
    assert.equal(step.unsoldBaseUnits, 0n);
    for (const size of STANDARD_SIZES) {
      const lamports = STANDARD_SIZE_LAMPORTS[size];
      const sale = quote(left, (lamports * midPrice.denominator) / midPrice.numerator);
      const expected = sale.kind === "filled" ? slippagePct(sale.amountOut, lamports) : null;
      const isForbidden = now.family === "other" && lamports > 10n ** 10n;
      assert.equal(slippageAtSize(step.ladder.retail, size), isForbidden ? null : expected);
    }
  }
}
