import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { mintAccount } from "#demo/token-accounts.ts";
import { U64_MAX } from "#src/units/integer.ts";
import { USDC, WSOL } from "#src/units/known-addresses.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { assertReplayed, sharedPath } from "#test/support/pools/executions.ts";
import { readTrades } from "#test/support/pools/pump-events.ts";
import {
  COIN,
  CURVE_FEES,
  type CurveFixture,
  curveFixture,
  rates,
} from "#test/support/pools/pump-pools.ts";
import { amountOut } from "#test/support/pools/quoted-amount.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import { pumpCurve } from "./adapter.ts";
import type { PumpCurveState } from "./decode.ts";
import { buyParts, costExactOut, purchaseInChain } from "./quote.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 1050n };

function stateOf(fields: CurveFixture): PumpCurveState {
  const { pool, accounts } = curveFixture(fields);
  return decodedState(pumpCurve, pool, accounts, COIN);
}

function quote(fields: CurveFixture, side: "sell" | "buy", amountIn: bigint) {
  const state = stateOf(fields);
  const inputMint = side === "sell" ? COIN : state.quoteMint;
  return pumpCurve.quoteExactIn(state, { inputMint, amountIn, clock: CLOCK });
}

type SellVector = {
  readonly name: string;
  readonly virtualToken: string;
  readonly virtualQuote: string;
  readonly realQuote: string;
  readonly amountIn: string;
  readonly amountOut: string;
};

const { sells }: { readonly sells: readonly SellVector[] } = JSON.parse(
  readFileSync(new URL("vectors/mainnet-sells.json", import.meta.url), "utf8"),
);

for (const vector of sells) {
  test(`pays what mainnet paid: ${vector.name}`, () => {
    const virtualToken = BigInt(vector.virtualToken);
    const virtualQuote = BigInt(vector.virtualQuote);
    const realQuote = BigInt(vector.realQuote);
    const paid = quote({ virtualToken, virtualQuote, realQuote }, "sell", BigInt(vector.amountIn));
    assert.equal(amountOut(paid), BigInt(vector.amountOut));
  });
}

for (const [file, atLeast] of [
  ["pump-curve.jsonl.gz", 6],
  ["pump-curve.bytecode.jsonl.gz", 900],
] as const) {
  test(`every recorded execution of ${file} is replayed to the base unit, refusals included`, (t) =>
    assertReplayed(t, file, { atLeast }));
}

test("every recorded trade of an ordinary holder is reproduced, and the reserves after it", (t) => {
  const path = sharedPath(t, "mainnet-events", "pump.jsonl");
  if (path === null) return;
  const trades = readTrades(path);
  assert.ok(trades.length >= 10);
  for (const trade of trades) {
    const { before, after } = trade;
    const found = quote(
      { ...before, realToken: trade.realTokenBefore, fees: trade.fees, creator: testAddress(22) },
      trade.side,
      trade.amountIn,
    );
    assert.equal(amountOut(found), trade.amountOut, trade.name);
    if (found.kind !== "filled") return;
    const { virtualToken, virtualQuote } = found.after;
    assert.deepEqual({ virtualToken, virtualQuote }, after, trade.name);
  }
});

test("protocol and creator fee are rounded up separately", () => {
  // 607 gross: 6 and 2 withheld, where one rounding of 125 bps would take 8 of 607 too, but 2 of 108.
  const trading = { virtualToken: 1_000_000n, virtualQuote: 1_000_000n, realQuote: 500_000n };
  assert.equal(amountOut(quote(trading, "sell", 109n)), 108n - 2n - 1n);
});

test("a sale of one unit more pays one lamport less where both fees grow by one", () => {
  const trading = { virtualToken: 10n ** 12n, virtualQuote: 10n ** 12n, realQuote: 10n ** 11n };
  // 0.95 % and 0.3 % of 20,000 are whole numbers.
  assert.equal(amountOut(quote(trading, "sell", 20_001n)), 20_000n - 190n - 60n);
  assert.equal(amountOut(quote(trading, "sell", 20_002n)), 20_001n - 191n - 61n);
});

test("a curve without a creator charges the protocol's fee alone", () => {
  const trading = { virtualToken: 1_000_000n, virtualQuote: 1_000_000n, realQuote: 500_000n };
  assert.equal(amountOut(quote({ ...trading, creator: null }, "sell", 109n)), 106n);
});

test("the coin's own creator rate holds only while the program lets coins have one", () => {
  const trading = {
    virtualToken: 1_000_000_000n,
    virtualQuote: 1_000_000_000n,
    realQuote: 500_000_000n,
    creatorFeeBps: 300n,
  };
  const gross = 999_000n;
  const at = (isCreatorFeeConfigurable: boolean) =>
    amountOut(quote({ ...trading, isCreatorFeeConfigurable }, "sell", 1_000_000n));
  assert.equal(at(true), gross - 9491n - 29_970n);
  assert.equal(at(false), gross - 9491n - 2997n);
});

test("quotes in SOL, USDC and anything else pay their own schedules", () => {
  const fees = {
    flat: rates(0n, 400n, 0n),
    tiers: [{ threshold: 0n, rates: rates(0n, 100n, 0n) }],
    stableTiers: [{ threshold: 0n, rates: rates(0n, 200n, 0n) }],
    exotic: rates(0n, 300n, 0n),
  };
  const ppm = (fields: CurveFixture) => pumpCurve.feePpm(stateOf(fields), COIN, CLOCK);
  assert.equal(ppm({ fees }), 10_000);
  assert.equal(ppm({ fees, quoteMint: USDC }), 20_000);
  assert.equal(ppm({ fees, quoteMint: testAddress(9) }), 30_000);
  const unset = { ...fees, exotic: rates(0n, 0n, 0n) };
  assert.equal(ppm({ fees: unset, quoteMint: testAddress(9) }), 40_000);
});

test("the stated fee of a purchase is its part of all that is spent, and of a sale the rates", () => {
  const state = stateOf({});
  assert.equal(pumpCurve.feePpm(state, COIN, CLOCK), 12_500);
  // Of 10,125 spent, 125: 12,345.7 ppm.
  assert.equal(pumpCurve.feePpm(state, WSOL, CLOCK), 12_346);
  const spent = 10n ** 9n;
  const { gross } = buyParts(state, spent);
  assert.equal(spent - gross, 12_345_680n);
});

test("a purchase whose two fees are rounded up moves the price by what they leave", () => {
  // floor(20,252 / 1.0125) = 20,001; the fees of 191 and 61 leave one less.
  const trading = { virtualToken: 10n ** 12n, virtualQuote: 10n ** 12n };
  const { gross, protocolFee, creatorFee, tokens } = buyParts(stateOf(trading), 20_252n);
  assert.deepEqual([gross, protocolFee, creatorFee, tokens], [20_000n, 191n, 61n, 19_998n]);
});

test("the tier depends on the live supply, a mayhem coin's on the curve's total supply", () => {
  const fees = {
    ...CURVE_FEES,
    tiers: [
      { threshold: 0n, rates: rates(0n, 100n, 0n) },
      { threshold: 50_000_000_000n, rates: rates(0n, 200n, 0n) },
    ],
  };
  const feePpm = (fields: CurveFixture) =>
    pumpCurve.feePpm(stateOf({ fees, ...fields }), COIN, CLOCK);
  const doubled = 2_000_000_000_000_000n;
  assert.equal(feePpm({}), 10_000);
  assert.equal(feePpm({ mintSupply: doubled }), 20_000);
  assert.equal(feePpm({ mintSupply: doubled, isMayhem: true }), 10_000);
  assert.equal(feePpm({ totalSupply: doubled, isMayhem: true }), 20_000);
  const atPriceOfOne = { virtualToken: 10n ** 15n, virtualQuote: 50_000_000_000n };
  assert.equal(feePpm(atPriceOfOne), 20_000);
  assert.equal(feePpm({ ...atPriceOfOne, virtualQuote: 49_999_999_999n }), 10_000);
});

test("the seller receives, and the buyer spends, what the quote's transfer fee leaves; the fee is shown", () => {
  const quoteMint = testAddress(9);
  const { pool, accounts } = curveFixture({ realQuote: 10n ** 9n, quoteMint, fees: CURVE_FEES });
  const untaxed = { epoch: 0n, maximum: 10n ** 12n, feeBps: 0 };
  const withFee = (feeBps: number) => {
    const transferFee = { older: untaxed, newer: { ...untaxed, feeBps } };
    const mint = mintAccount({ supply: 1n << 60n, decimals: 6, transferFee, slot: 1n });
    return decodedState(pumpCurve, pool, accounts.set(quoteMint, mint), COIN);
  };
  const order = { inputMint: COIN, amountIn: 10n ** 9n, clock: CLOCK };
  const plain = pumpCurve.quoteExactIn(withFee(0), order);
  const taxed = pumpCurve.quoteExactIn(withFee(200), order);
  assert.ok(plain.kind === "filled" && taxed.kind === "filled");
  assert.equal(taxed.amountOut, (plain.amountOut * 98n) / 100n);
  const bought = (state: PumpCurveState, amountIn: bigint) =>
    amountOut(pumpCurve.quoteExactIn(state, { inputMint: quoteMint, amountIn, clock: CLOCK }));
  assert.equal(bought(withFee(200), 1_000_000n), bought(withFee(0), 980_000n));
  assert.equal(pumpCurve.feePpm(withFee(200), COIN, CLOCK), 12_500 + 19_750);
  accounts.delete(quoteMint);
  const unknown = pumpCurve.decode(pool, accounts, COIN);
  assert.equal(unknown.kind === "unusable" && unknown.reason, "missing-account");
});

test("a sale that the real quote can't cover is refused, to the lamport", () => {
  const mayhem = { virtualToken: 1_000_000n, virtualQuote: 1_000_000n, isMayhem: true };
  assert.equal(
    amountOut(quote({ ...mayhem, realQuote: 89n }, "sell", 100n)),
    "insufficient-liquidity",
  );
  assert.equal(amountOut(quote({ ...mayhem, realQuote: 99n }, "sell", 100n)), 99n - 1n - 1n);
});

test("the last buyer gets what is left, pays for that alone, and completes the curve", () => {
  const nearly = {
    virtualToken: 279_900_000_000_100n,
    virtualQuote: 115_005_000_000n,
    realToken: 100n,
    realQuote: 85_005_000_000n,
  };
  const found = quote(nearly, "buy", 1_000_000_000n);
  assert.equal(found.kind, "filled");
  if (found.kind !== "filled") return;
  assert.equal(found.amountOut, 100n);
  assert.deepEqual(
    { ...found.after, schedule: null },
    {
      ...stateOf(nearly),
      schedule: null,
      virtualToken: 279_900_000_000_000n,
      virtualQuote: 115_005_000_001n,
      realToken: 0n,
      realQuote: 85_005_000_001n,
      isComplete: true,
    },
  );
});

test("a full curve and an emptied one trade nothing, and say which they are", () => {
  const full = { isComplete: true, realToken: 0n };
  assert.equal(amountOut(quote(full, "sell", 5n)), "complete");
  assert.equal(pumpCurve.status(stateOf(full), CLOCK), "complete");
  assert.equal(pumpCurve.spotPrice(stateOf(full), COIN), null);
  assert.equal(pumpCurve.reachable(stateOf(full), COIN, 10_000), 0n);
  const emptied = { ...full, virtualToken: 0n, virtualQuote: 0n, realQuote: 0n };
  assert.equal(amountOut(quote(emptied, "buy", 5n)), "migrated");
  assert.equal(pumpCurve.status(stateOf(emptied), CLOCK), "migrated");
});

test("amounts at the edges give a reason", () => {
  const sold = { realQuote: 1_000_000_000n };
  assert.equal(amountOut(quote(sold, "sell", 0n)), "amount-zero");
  assert.equal(amountOut(quote(sold, "sell", U64_MAX + 1n)), "overflow");
  assert.equal(amountOut(quote(sold, "sell", U64_MAX)), "insufficient-liquidity");
  assert.equal(amountOut(quote(sold, "sell", 1n)), 0n);
  assert.equal(amountOut(quote(sold, "buy", 1n)), "output-zero");
  const dear = { virtualToken: 10n, virtualQuote: 10n, realQuote: 10n };
  assert.equal(amountOut(quote(dear, "sell", 2n)), "output-zero");
  assert.equal(amountOut(quote({ virtualToken: 0n }, "sell", 2n)), "insufficient-liquidity");
  assert.equal(amountOut(quote({ virtualQuote: 0n }, "sell", 5000n)), 0n);
  assert.equal(amountOut(quote({ virtualQuote: 0n }, "buy", 5000n)), "insufficient-liquidity");
  assert.equal(amountOut(quote({ realToken: 0n }, "buy", 5000n)), "insufficient-liquidity");
});

test("spot and reach stop at the real reserves", () => {
  const state = stateOf({ virtualToken: 4000n, virtualQuote: 1000n, realQuote: 30n });
  assert.deepEqual(pumpCurve.spotPrice(state, COIN), { numerator: 1000n, denominator: 4000n });
  assert.deepEqual(pumpCurve.spotPrice(state, WSOL), { numerator: 4000n, denominator: 1000n });
  assert.equal(pumpCurve.reachable(state, COIN, 100), 6n);
  assert.equal(pumpCurve.reachable(state, COIN, 10_000), 30n);
  assert.equal(pumpCurve.spotPrice(stateOf({ realQuote: 0n }), COIN), null);
});

test("named tokens cost what pump's own program charged for them", () => {
  const bought = quote({}, "buy", 20_000_000_000n);
  assert.ok(bought.kind === "filled");
  const order = { inputMint: WSOL, amountOut: 4_000_000_000_000n, clock: CLOCK };
  assert.equal(costExactOut(bought.after, order), 313_377_226n);
});

test("named tokens have no cost where they are not left, or the curve is full", () => {
  const cost = (fields: CurveFixture, amountOut: bigint, inputMint = WSOL) =>
    costExactOut(stateOf(fields), { inputMint, amountOut, clock: CLOCK });
  assert.equal(typeof cost({ realToken: 5n }, 5n), "bigint");
  assert.equal(cost({ realToken: 5n }, 6n), "refused");
  assert.equal(cost({}, 0n), "refused");
  assert.equal(cost({ isComplete: true }, 5n), "refused");
  assert.equal(cost({}, 5n, COIN), "other-terms");
});

test("a hop of a purchase by multi_hop_swap pays out what pump's own program paid, the rounding spent", () => {
  const state = stateOf({
    virtualToken: 646_747_653_244_744n,
    virtualQuote: 49_772_117_225n,
    realToken: 366_847_653_244_744n,
    realQuote: 19_772_117_225n,
  });
  const order = { inputMint: WSOL, amountIn: 1_142_542n, clock: CLOCK };
  const found = purchaseInChain(state, order, { isFirst: false, isLast: true });
  assert.equal(found?.kind === "filled" && found.amountOut, 14_706_331_095n);
});
