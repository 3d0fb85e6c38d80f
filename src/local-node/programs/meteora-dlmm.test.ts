import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { ByteReader } from "#src/venues/byte-reader.ts";
import { meteoraDlmm } from "#src/venues/meteora-dlmm/adapter.ts";
import { swapExactIn } from "#src/venues/meteora-dlmm/quote.ts";
import type { DlmmState } from "#src/venues/meteora-dlmm/state.ts";
import {
  MARKET_CLOCK,
  type PlayedMarket,
  playedMarket,
  playTrade,
  store,
} from "#test/support/played-market.ts";
import { mintAccount } from "../token-accounts.ts";
import { meteoraDlmmProgram } from "./meteora-dlmm.ts";

const PARTS = { venue: meteoraDlmm, program: meteoraDlmmProgram };
const SOL = 1_000_000_000n;

function open(market: PlayedMarket): { coin: Address; pool: Address } {
  const { accounts, freshAddress } = market;
  const coin = freshAddress();
  accounts.set(WSOL, mintAccount({ supply: 0n, decimals: 9, slot: 0n }));
  const opened = meteoraDlmmProgram.createPool(accounts, {
    baseMint: coin,
    quoteMint: WSOL,
    baseAmount: 400_000_000_000_000n,
    quoteAmount: 60n * SOL,
    creator: freshAddress(),
    clock: MARKET_CLOCK,
    freshAddress,
  });
  store(accounts, opened.changes);
  return { coin, pool: opened.pool };
}

function stateOf(market: PlayedMarket, pool: Address): DlmmState {
  const decoded = meteoraDlmm.decode(pool, market.accounts);
  assert.ok(decoded.kind === "pool");
  return decoded.state;
}

function heldByBins(state: DlmmState): { readonly x: bigint; readonly y: bigint } {
  let x = 0n;
  let y = 0n;
  for (const { amountX, amountY } of state.bins) {
    x += amountX;
    y += amountY;
  }
  return { x, y };
}

test("a new pair holds what was put in, around the price it was put in at", () => {
  const market = playedMarket([meteoraDlmmProgram], 3);
  const { coin, pool } = open(market);
  const state = stateOf(market, pool);
  assert.deepEqual(heldByBins(state), { x: 400_000_000_000_000n, y: 60n * SOL });
  assert.equal(meteoraDlmm.reachable(state, coin, 10_000), 60n * SOL);
  const spot = meteoraDlmm.spotPrice(state, coin);
  assert.ok(spot);
  const perBillion = (spot.numerator * 10n ** 9n) / spot.denominator;
  assert.ok(perBillion > 149_000n && perBillion < 151_000n);
});

test("the new pair stands where its configuration has its place", () => {
  const market = playedMarket([meteoraDlmmProgram], 4);
  const { coin, pool } = open(market);
  assert.ok(meteoraDlmm.search(coin, null).configured().includes(pool));
  const missing = meteoraDlmm
    .accountsNeeded(pool, market.accounts)
    .filter((needed) => market.accounts.get(needed) === undefined);
  assert.equal(missing.length, 1, "all but the bitmap extension is there");
});

test("pairs move by the venue's own quotes, and their reserves by what was moved", () => {
  const market = playedMarket([meteoraDlmmProgram], 12);
  const { coin, pool } = open(market);
  let trades = 0;
  for (let index = 0; index < 80; index++) {
    const isBuy = market.below(2) === 0;
    const amountIn = BigInt(isBuy ? 1 + market.below(9e9) : 1 + market.below(6e13));
    const [inputMint, outputMint] = isBuy ? [WSOL, coin] : [coin, WSOL];
    const done = playTrade(market, PARTS, { pool, inputMint, outputMint, amountIn });
    if (done !== null) trades++;
  }
  assert.ok(trades > 60);
  const state = stateOf(market, pool);
  const { x, y } = heldByBins(state);
  const outline = meteoraDlmm.outline(pool, market.accounts);
  assert.ok(outline?.heldA && outline.heldA >= x);
  assert.ok(outline.heldB && outline.heldB >= y);
});

test("both events of a sale tell what moved, in the program's layout", () => {
  const market = playedMarket([meteoraDlmmProgram], 5);
  const { coin, pool } = open(market);
  const before = stateOf(market, pool);
  const amountIn = 30_000_000_000_000n;
  const order = { inputMint: coin, amountIn, clock: MARKET_CLOCK };
  const expected = swapExactIn(before, order);
  assert.ok(expected.kind === "filled");
  const done = playTrade(market, PARTS, { pool, inputMint: coin, outputMint: WSOL, amountIn });
  assert.ok(done);
  assert.deepEqual(
    done.innerInstructionData.map(({ length }) => length),
    [145, 163],
  );
  const [swap, swap2] = done.innerInstructionData.map((bytes) => new ByteReader(bytes));
  assert.ok(swap && swap2);
  assert.equal(swap.address(16), pool);
  assert.equal(swap.i32(80), before.activeId);
  assert.equal(swap.i32(84), expected.swap.after.activeId);
  assert.equal(swap.u64(88), amountIn);
  assert.equal(swap.u64(96), done.amountOut);
  assert.equal(swap.bool(104), true);
  assert.equal(swap.u64(105), expected.swap.fee);
  assert.equal(swap.u128(121), expected.swap.feeRate);
  assert.equal(swap2.u64(105), amountIn);
  assert.equal(swap2.u64(121), done.amountOut);
  assert.equal(swap2.u64(129) + swap2.u64(137), expected.swap.fee);
  assert.equal(
    done.logs.some((line) => line.startsWith("Program data:")),
    false,
  );
});

test("taking out a share thins every bin and the reserves alike; putting in does the reverse", () => {
  const market = playedMarket([meteoraDlmmProgram], 6);
  const { coin, pool } = open(market);
  const out = meteoraDlmmProgram.changeLiquidity(market.accounts, pool, 2_500, MARKET_CLOCK);
  assert.ok(out);
  store(market.accounts, out);
  const thinned = meteoraDlmm.reachable(stateOf(market, pool), coin, 10_000);
  assert.ok(thinned >= 45n * SOL && thinned < 45n * SOL + 100n, "rounded in the pool's favour");
  assert.equal(meteoraDlmm.outline(pool, market.accounts)?.heldB, thinned);
  const back = meteoraDlmmProgram.changeLiquidity(market.accounts, pool, -3_000, MARKET_CLOCK);
  assert.ok(back);
  store(market.accounts, back);
  assert.ok(meteoraDlmm.reachable(stateOf(market, pool), coin, 10_000) > 58n * SOL);
});

test("an operator can raise the fee and switch the pair off and on", () => {
  const market = playedMarket([meteoraDlmmProgram], 7);
  const { coin, pool } = open(market);
  const { setFee, setPaused } = meteoraDlmmProgram;
  assert.ok(setFee && setPaused);
  for (const feePpm of [3_000, 80_000]) {
    const raised = setFee(market.accounts, pool, feePpm, MARKET_CLOCK);
    assert.ok(raised);
    store(market.accounts, raised);
    assert.equal(meteoraDlmm.feePpm(stateOf(market, pool), coin, MARKET_CLOCK), feePpm);
  }
  for (const isPaused of [true, false]) {
    const switched = setPaused(market.accounts, pool, isPaused, MARKET_CLOCK);
    assert.ok(switched);
    store(market.accounts, switched);
    const status = meteoraDlmm.status(stateOf(market, pool), MARKET_CLOCK);
    assert.equal(status, isPaused ? "paused" : "open");
  }
});
