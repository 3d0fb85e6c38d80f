import assert from "node:assert/strict";
import { test } from "node:test";
import { WSOL } from "#src/units/known-addresses.ts";
import { ByteReader } from "#src/venues/byte-reader.ts";
import { binArrayAddress } from "#src/venues/meteora-dlmm/accounts.ts";
import { meteoraDlmm } from "#src/venues/meteora-dlmm/adapter.ts";
import { binArrayIndex } from "#src/venues/meteora-dlmm/bin-price.ts";
import { swapExactIn } from "#src/venues/meteora-dlmm/quote.ts";
import type { DlmmState } from "#src/venues/meteora-dlmm/state.ts";
import {
  assertOperatorControls,
  MARKET_CLOCK,
  playProgram,
} from "#test/support/markets/played-market.ts";
import { mintAccount } from "../token-accounts.ts";
import { meteoraDlmmProgram } from "./meteora-dlmm.ts";

const PARTS = { venue: meteoraDlmm, program: meteoraDlmmProgram };
const SOL = 1_000_000_000n;

function openPair(seed: number) {
  const market = playProgram(PARTS, seed);
  market.accounts.set(WSOL, mintAccount({ supply: 0n, decimals: 9, slot: 0n }));
  const pool = market.open({ baseAmount: 400_000_000_000_000n, quoteAmount: 60n * SOL });
  return { market, coin: market.coin, pool };
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

test("a new pair holds its deposits around their price", () => {
  const { market, coin, pool } = openPair(3);
  const state = market.stateOf(pool);
  assert.deepEqual(heldByBins(state), { x: 400_000_000_000_000n, y: 60n * SOL });
  assert.equal(meteoraDlmm.reachable(state, coin, 10_000), 60n * SOL);
  const spot = meteoraDlmm.spotPrice(state, coin);
  assert.ok(spot);
  const perBillion = (spot.numerator * 10n ** 9n) / spot.denominator;
  assert.ok(perBillion > 149_000n && perBillion < 151_000n);
});

test("the venue's search finds the new pair", () => {
  const { market, coin, pool } = openPair(4);
  assert.ok(meteoraDlmm.search(coin, null).configured().includes(pool));
  const missing = meteoraDlmm
    .accountsNeeded(pool, market.accounts)
    .filter((needed) => market.accounts.get(needed) === undefined);
  assert.equal(missing.length, 1, "all but the bitmap extension is there");
});

test("pairs move by the venue's own quotes, and their reserves by the same amounts", () => {
  const { market, coin, pool } = openPair(12);
  const { below } = market;
  const amountIn = (isBuy: boolean) => BigInt(isBuy ? 1 + below(9e9) : 1 + below(6e13));
  const pools = [{ pool, coin, quoteMint: WSOL }];
  assert.ok(market.tradeOften(pools, { count: 80, amountIn }) > 60);
  const state = market.stateOf(pool);
  const { x, y } = heldByBins(state);
  const outline = meteoraDlmm.outline(pool, market.accounts);
  assert.ok(outline?.heldA && outline.heldA >= x);
  assert.ok(outline.heldB && outline.heldB >= y);
});

test("a sale writes every bin array at its slot, and copies the bytes of those alone whose bins it filled", () => {
  const { market, coin, pool } = openPair(8);
  const { accounts } = market;
  const slot = MARKET_CLOCK.slot + 1n;
  const sold = meteoraDlmmProgram.swap(accounts, {
    ...{ pool, inputMint: coin, outputMint: WSOL, amountIn: 1_000_000_000n, user: coin },
    clock: { ...MARKET_CLOCK, slot },
  });
  assert.ok(sold.kind === "done");
  const arrays = new Set(market.stateOf(pool).bins.map(({ id }) => binArrayIndex(id)));
  const copies = Array.from(arrays, (index) => {
    const address = binArrayAddress(pool, index);
    const [before, after] = [accounts.get(address), sold.changes.get(address)];
    assert.ok(before && after);
    assert.equal(after.slot, slot);
    return before.data !== after.data;
  });
  assert.ok(arrays.size > 1);
  assert.equal(copies.filter((isCopied) => isCopied).length, 1, "a small sale fills one bin");
});

test("both events of a sale carry what moved, in the program's layout", () => {
  const { market, coin, pool } = openPair(5);
  const before = market.stateOf(pool);
  const amountIn = 30_000_000_000_000n;
  const order = { inputMint: coin, amountIn, clock: MARKET_CLOCK };
  const expected = swapExactIn(before, order);
  assert.ok(expected.kind === "filled");
  const done = market.trade({ pool, inputMint: coin, outputMint: WSOL, amountIn });
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
  const { market, coin, pool } = openPair(6);
  const { accounts, apply } = market;
  apply(meteoraDlmmProgram.changeLiquidity(accounts, pool, 2_500, MARKET_CLOCK));
  const thinned = meteoraDlmm.reachable(market.stateOf(pool), coin, 10_000);
  assert.ok(thinned >= 45n * SOL && thinned < 45n * SOL + 100n, "rounded in the pool's favour");
  assert.equal(meteoraDlmm.outline(pool, market.accounts)?.heldB, thinned);
  apply(meteoraDlmmProgram.changeLiquidity(accounts, pool, -3_000, MARKET_CLOCK));
  assert.ok(meteoraDlmm.reachable(market.stateOf(pool), coin, 10_000) > 58n * SOL);
});

test("an operator can raise the fee and switch the pair off and on", () => {
  const { market, pool } = openPair(7);
  for (const feePpm of [3_000, 80_000]) assertOperatorControls(PARTS, market, pool, feePpm);
});
