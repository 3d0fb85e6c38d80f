import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { U64_MAX } from "#src/units/integer.ts";
import { USDC, WSOL } from "#src/units/known-addresses.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { assertReplayed, sharedPath } from "#test/support/pools/executions.ts";
import { readSwaps } from "#test/support/pools/pump-events.ts";
import {
  COIN,
  POOL_FEES,
  type PumpSwapFixture,
  pumpSwapFixture,
  rates,
} from "#test/support/pools/pump-pools.ts";
import { amountOut } from "#test/support/pools/quoted-amount.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import { pumpSwap } from "./adapter.ts";
import type { PumpSwapState } from "./decode.ts";
import { costExactOut, purchaseInChain, quoteInChain } from "./quote.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 1050n };

function stateOf(fields: PumpSwapFixture): PumpSwapState {
  const { pool, accounts } = pumpSwapFixture(fields);
  return decodedState(pumpSwap, pool, accounts);
}

function quote(fields: PumpSwapFixture, side: "sell" | "buy", amountIn: bigint) {
  const state = stateOf(fields);
  const inputMint = side === "sell" ? state.baseMint : state.quoteMint;
  return pumpSwap.quoteExactIn(state, { inputMint, amountIn, clock: CLOCK });
}

type SellVector = {
  readonly name: string;
  readonly baseReserve: string;
  readonly quoteReserve: string;
  readonly virtualQuote: string;
  readonly amountIn: string;
  readonly lpBps: string;
  readonly protocolBps: string;
  readonly creatorBps: string;
  readonly amountOut: string;
};

const { sells }: { readonly sells: readonly SellVector[] } = JSON.parse(
  readFileSync(new URL("vectors/mainnet-sells.json", import.meta.url), "utf8"),
);

for (const vector of sells) {
  test(`pays what mainnet paid: ${vector.name}, ${vector.amountIn} in`, () => {
    const flat = rates(BigInt(vector.lpBps), BigInt(vector.protocolBps), BigInt(vector.creatorBps));
    const paid = quote(
      {
        baseReserve: BigInt(vector.baseReserve),
        quoteReserve: BigInt(vector.quoteReserve),
        virtualQuote: BigInt(vector.virtualQuote),
        fees: { ...POOL_FEES, tiers: [{ threshold: 0n, rates: flat }] },
      },
      "sell",
      BigInt(vector.amountIn),
    );
    assert.equal(amountOut(paid), BigInt(vector.amountOut));
  });
}

for (const [file, atLeast] of [
  ["pumpswap.jsonl.gz", 11],
  ["pumpswap.bytecode.jsonl.gz", 770],
] as const) {
  test(`every recorded execution of ${file} is replayed to the base unit, refusals included`, (t) =>
    assertReplayed(t, file, { atLeast }));
}

test("every recorded event of a sale or an exact purchase is reproduced", (t) => {
  const path = sharedPath(t, "mainnet-events", "pump.jsonl");
  if (path === null) return;
  const swaps = readSwaps(path);
  assert.ok(swaps.length >= 12);
  for (const { name, side, amountIn, amountOut: paid, rates: charged, ...reserves } of swaps) {
    const fees = { ...POOL_FEES, tiers: [{ threshold: 0n, rates: charged }] };
    assert.equal(amountOut(quote({ ...reserves, fees }, side, amountIn)), paid, name);
  }
});

const even = { baseReserve: 1_000_000_000n, quoteReserve: 1_000_000_000n };
const untiered = { ...POOL_FEES, tiers: [{ threshold: 0n, rates: rates(20n, 5n, 95n) }] };

test("each fee is rounded up separately, and the liquidity providers' stays in the pool", () => {
  const found = quote({ ...even, fees: untiered }, "sell", 100_001n);
  // 99,991 gross: 200, 50 and 950 withheld.
  assert.equal(amountOut(found), 99_991n - 200n - 50n - 950n);
  if (found.kind !== "filled") return;
  assert.equal(found.after.baseReserve, 1_000_100_001n);
  assert.equal(found.after.quoteReserve, 1_000_000_000n - 99_991n + 200n);
});

test("a purchase pays one unit less than is spent into the curve, and keeps the same fee", () => {
  const found = quote({ ...even, fees: untiered }, "buy", 1_000_000n);
  // floor(1,000,000 / 1.012) = 988,142; fees 1977 + 495 + 9388 are 2 more than is left.
  const spent = 988_140n;
  assert.equal(amountOut(found), ((spent - 1n) * 1_000_000_000n) / (1_000_000_000n + spent - 1n));
  if (found.kind !== "filled") return;
  assert.equal(found.after.quoteReserve, 1_000_000_000n + spent + 1977n);
  assert.equal(found.after.baseReserve, 1_000_000_000n - found.amountOut);
});

test("the fee of a purchase is its part of all that is paid, which includes the fee", () => {
  const state = stateOf({
    ...even,
    fees: { ...POOL_FEES, tiers: [{ threshold: 0n, rates: rates(25n, 5n, 300n) }] },
  });
  assert.equal(pumpSwap.feePpm(state, COIN, CLOCK), 33_000);
  // Of 10,330 paid, 330: 31,945.8 ppm.
  assert.equal(pumpSwap.feePpm(state, WSOL, CLOCK), 31_946);
});

test("the tier is that of the market cap before the trade, its threshold included", () => {
  const at = (quoteReserve: bigint, fields: Partial<PumpSwapFixture> = {}) =>
    pumpSwap.feePpm(stateOf({ baseReserve: 10n ** 15n, quoteReserve, ...fields }), COIN, CLOCK);
  assert.equal(at(419_999_999_999n), 12_500);
  assert.equal(at(420_000_000_000n), 12_000);
  assert.equal(at(10n ** 15n), 11_500);
  assert.equal(at(420_000_000_000n, { supply: 10n ** 15n - 1n }), 12_500);
  assert.equal(at(420_000_000_000n, { supply: 10n ** 12n, isMayhem: true }), 12_000);
  assert.equal(at(400_000_000_000n, { virtualQuote: 20_000_000_000n }), 12_000);
  assert.equal(at(440_000_000_000n, { virtualQuote: -20_000_000_001n }), 12_500);
});

test("other creators' pools pay flat fees, pump's own those of their quote", () => {
  const ppm = (fields: Partial<PumpSwapFixture>) =>
    pumpSwap.feePpm(stateOf({ ...even, supply: 1n, ...fields }), COIN, CLOCK);
  assert.equal(ppm({ isCanonical: false }), 3000);
  assert.equal(ppm({ isCanonical: false, quoteMint: USDC }), 3000);
  assert.equal(ppm({ quoteMint: USDC }), 12_600);
  assert.equal(ppm({ quoteMint: testAddress(9) }), 3000);
  const unset = { ...POOL_FEES, exotic: rates(0n, 0n, 0n) };
  assert.equal(ppm({ quoteMint: testAddress(9), fees: unset }), 3000);
  assert.equal(ppm({ coinCreator: null }), 9500);
  assert.equal(ppm({ creatorFeeBps: 300n }), 39_500);
  assert.equal(ppm({ creatorFeeBps: 300n, isCreatorFeeConfigurable: false }), 12_500);
});

test("the virtual reserve moves the price and pays nothing", () => {
  const boosted: PumpSwapFixture = {
    baseReserve: 1_000_000n,
    quoteReserve: 1000n,
    virtualQuote: 1_000_000n,
    fees: { ...POOL_FEES, tiers: [{ threshold: 0n, rates: rates(100n, 0n, 0n) }] },
  };
  assert.deepEqual(pumpSwap.spotPrice(stateOf(boosted), COIN), {
    numerator: 1_001_000n,
    denominator: 1_000_000n,
  });
  // 1011 gross less 11 for the providers is all that the vault holds; one more gross is not there.
  assert.equal(amountOut(quote(boosted, "sell", 1012n)), 1000n);
  assert.equal(amountOut(quote(boosted, "sell", 1013n)), "insufficient-liquidity");
  // The fees of the protocol and the creator leave the vault too.
  const charged = [{ threshold: 0n, rates: rates(100n, 50n, 50n) }];
  const shared = { ...boosted, fees: { ...POOL_FEES, tiers: charged } };
  assert.equal(amountOut(quote(shared, "sell", 1012n)), 988n);
  assert.equal(amountOut(quote(shared, "sell", 1013n)), "insufficient-liquidity");
  assert.equal(pumpSwap.reachable(stateOf(boosted), COIN, 10_000), 1000n);
});

test("fees not yet swept are in the vault and can't be paid out", () => {
  const owing: PumpSwapFixture = {
    ...{ baseReserve: 1_000_000n, quoteReserve: 1000n, protocolFees: 40n, creatorFees: 60n },
    fees: { ...POOL_FEES, tiers: [{ threshold: 0n, rates: rates(0n, 0n, 0n) }] },
    virtualQuote: 1_000_000n,
  };
  assert.equal(pumpSwap.reachable(stateOf(owing), COIN, 10_000), 900n);
  assert.equal(amountOut(quote(owing, "sell", 900n)), 900n);
  assert.equal(amountOut(quote(owing, "sell", 901n)), "insufficient-liquidity");
  const all = stateOf({ ...owing, creatorFees: 2000n });
  assert.equal(pumpSwap.reachable(all, COIN, 10_000), 0n);
  assert.equal(pumpSwap.spotPrice(all, COIN), null);
});

test("transfer fees of both mints are taken where the program and the token program take them", () => {
  const untaxed = { epoch: 0n, maximum: 10n ** 12n, feeBps: 0 };
  const fees = { ...POOL_FEES, tiers: [{ threshold: 0n, rates: rates(0n, 0n, 0n) }] };
  const taxed: PumpSwapFixture = {
    ...{ baseReserve: 1_000_000n, quoteReserve: 1_000_000n, fees },
    baseTransferFee: { older: untaxed, newer: { ...untaxed, feeBps: 1000 } },
  };
  const sale = quote(taxed, "sell", 1_000_000n);
  // All that was sent is priced; nine tenths of it reach the vault.
  assert.ok(sale.kind === "filled");
  assert.equal(sale.amountOut, 500_000n);
  assert.equal(sale.after.baseReserve, 1_900_000n);
  const bought = quote(taxed, "buy", 1_000_001n);
  assert.ok(bought.kind === "filled");
  assert.equal(bought.amountOut, 450_000n);
  // Only a buyer of the coin loses its fee.
  assert.equal(pumpSwap.feePpm(stateOf(taxed), COIN, CLOCK), 0);
  assert.equal(pumpSwap.feePpm(stateOf(taxed), WSOL, CLOCK), 100_000);
});

test("a pool whose virtual reserve eats up the vault has no price", () => {
  const drained: PumpSwapFixture = { ...even, virtualQuote: -1_000_000_001n };
  assert.equal(amountOut(quote(drained, "sell", 5n)), "insufficient-liquidity");
  assert.equal(pumpSwap.spotPrice(stateOf(drained), COIN), null);
  assert.equal(pumpSwap.reachable(stateOf(drained), COIN, 1000), 0n);
  assert.equal(pumpSwap.feePpm(stateOf(drained), COIN, CLOCK), 12_500);
});

test("a quote reserve of zero trades at a price of zero, and one below zero does not trade", () => {
  // As the compiled program does: it refuses neither division nor price, only a negative reserve (6023).
  const empty: PumpSwapFixture = { ...even, virtualQuote: -even.quoteReserve };
  assert.equal(amountOut(quote(empty, "sell", 5n)), 0n);
  assert.equal(amountOut(quote(empty, "buy", 500n)), even.baseReserve);
  assert.equal(pumpSwap.spotPrice(stateOf(empty), COIN), null);
  const owing = { ...even, protocolFees: even.quoteReserve };
  assert.ok(quote(owing, "buy", 500n).kind === "filled");
  for (const below of [
    { ...empty, virtualQuote: -even.quoteReserve - 1n },
    { ...owing, creatorFees: 1n },
  ]) {
    assert.equal(amountOut(quote(below, "sell", 5n)), "insufficient-liquidity");
    assert.equal(amountOut(quote(below, "buy", 500n)), "insufficient-liquidity");
  }
});

test("a coin that is the quote of an inverted pool is sold by the program's buy", () => {
  const inverted: PumpSwapFixture = {
    baseMint: WSOL,
    quoteMint: COIN,
    baseReserve: 386_776_546_046n,
    quoteReserve: 43_010_814_918_651n,
    isCanonical: false,
  };
  assert.equal(amountOut(quote(inverted, "buy", 290_247_583_767n)), 2_584_865_588n);
  assert.deepEqual(pumpSwap.spotPrice(stateOf(inverted), COIN), {
    numerator: 386_776_546_046n,
    denominator: 43_010_814_918_651n,
  });
  assert.equal(pumpSwap.reachable(stateOf(inverted), COIN, 10_000), 386_776_546_046n);
});

test("switched off, a side trades nothing; a pool is paused where its coin can't be sold", () => {
  const paused = (fields: Partial<PumpSwapFixture>) =>
    pumpSwap.status(stateOf({ ...even, ...fields }), CLOCK);
  const inverted = { baseMint: WSOL, quoteMint: COIN, isCanonical: false };
  assert.equal(paused({ disableFlags: 1 << 4 }), "paused");
  assert.equal(paused({ disableFlags: 1 << 3 }), "open");
  assert.equal(paused({ ...inverted, disableFlags: 1 << 3 }), "paused");
  assert.equal(paused({ ...inverted, disableFlags: 1 << 4 }), "open");
  assert.equal(paused({ baseMint: USDC, disableFlags: 1 << 4 }), "paused");
  assert.equal(amountOut(quote({ ...even, disableFlags: 1 << 4 }, "sell", 5n)), "paused");
  assert.equal(amountOut(quote({ ...even, disableFlags: 1 << 3 }, "buy", 5n)), "paused");
  assert.equal(amountOut(quote({ ...even, disableFlags: 0b111 }, "sell", 500n)), 492n);
});

test("amounts and mints at the edges give a reason", () => {
  assert.equal(amountOut(quote(even, "sell", 0n)), "amount-zero");
  assert.equal(amountOut(quote(even, "sell", U64_MAX + 1n)), "overflow");
  assert.equal(amountOut(quote(even, "sell", U64_MAX)), "overflow");
  assert.equal(amountOut(quote(even, "buy", 1n)), "output-zero");
  assert.equal(amountOut(quote({ ...even, baseReserve: 0n }, "buy", 5n)), "insufficient-liquidity");
  assert.equal(amountOut(quote(even, "sell", 2n)), "output-zero");
  const order = { inputMint: testAddress(99), amountIn: 5n, clock: CLOCK };
  assert.deepEqual(pumpSwap.quoteExactIn(stateOf(even), order), {
    kind: "unfillable",
    reason: "refused",
  });
});

test("named base units cost what pump's own program charged for them", () => {
  const state = stateOf({
    baseReserve: 141_693_144_420_481n,
    quoteReserve: 106_530_237_452n,
    virtualQuote: 17_572_491_036n,
  });
  const order = { inputMint: WSOL, amountOut: 2_000_000_000_000n, clock: CLOCK };
  assert.equal(costExactOut(state, order), 1_798_112_026n);
  const refused = { ...order, amountOut: state.baseReserve };
  assert.equal(costExactOut(state, refused), "refused");
  assert.equal(costExactOut(state, { ...order, amountOut: 0n }), "refused");
  assert.equal(costExactOut({ ...state, isBuyDisabled: true }, order), "refused");
  assert.equal(costExactOut(state, { ...order, inputMint: COIN }), "other-terms");
});

test("a hop of multi_hop_swap that yields nothing fails, and so does a pool without reserves", () => {
  const hop = (fields: Parameters<typeof stateOf>[0], amountIn: bigint) => {
    const order = { inputMint: COIN, amountIn, clock: CLOCK };
    const found = quoteInChain(stateOf(fields), order, { isFirst: false, isLast: true });
    return found === null ? null : amountOut(found);
  };
  const paid = hop(even, 1_000n);
  assert.ok(typeof paid === "bigint" && paid > 0n);
  assert.equal(hop(even, 2n), "output-zero");
  assert.equal(hop({ ...even, baseReserve: 0n }, 1_000n), null);
  assert.equal(hop({ ...even, quoteReserve: 0n }, 1_000n), null);
});

/** What a purchase within a chain of hops pays out. */
function boughtInChain(
  fields: Parameters<typeof stateOf>[0],
  amountIn: bigint,
  place: Parameters<typeof purchaseInChain>[2],
) {
  const order = { inputMint: WSOL, amountIn, clock: CLOCK };
  const found = purchaseInChain(stateOf(fields), order, place);
  return found?.kind === "filled" && found.amountOut;
}

test("a hop of a purchase by multi_hop_swap pays out what pump's own program paid, the rounding spent", () => {
  const fields = {
    baseReserve: 204_864_397_889_535n,
    quoteReserve: 68_252_354_627n,
    virtualQuote: 17_582_497_683n,
  };
  const place = { isFirst: false, isLast: true };
  assert.equal(boughtInChain(fields, 2_813_451n, place), 6_652_848_758n);
});

test("the operator's boost buys without any fee", () => {
  const fields = {
    baseReserve: 141_807_410_569_888n,
    quoteReserve: 106_430_237_452n,
    virtualQuote: 17_572_491_036n,
  };
  const place = { isFirst: false, isLast: false };
  assert.equal(boughtInChain(fields, 100_000_000n, place), 114_266_149_407n);
});
