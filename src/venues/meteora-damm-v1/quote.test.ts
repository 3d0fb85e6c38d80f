import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address } from "#src/units/address.ts";
import { U64_MAX } from "#src/units/integer.ts";
import { USDC, WSOL } from "#src/units/known-addresses.ts";
import { assertReplayed } from "#test/support/pools/executions.ts";
import { readIntegerJson } from "#test/support/pools/integer-json.ts";
import { dammV1State, MINT_A, MINT_B, vaultShare } from "#test/support/pools/meteora-pools.ts";
import { amountOut } from "#test/support/pools/quoted-amount.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import type { Clock } from "../venue.ts";
import { meteoraDammV1 } from "./adapter.ts";
import type { Curve, DammV1State } from "./decode.ts";
import { swapExactIn } from "./quote.ts";
import { stableInvariant, stableReserve } from "./stable-curve.ts";
import { unlockedAmount } from "./vault.ts";

const CLOCK = { slot: 5_000n, unixTimestamp: 1_790_000_000n, epoch: 925n };

function sell(state: DammV1State, inputMint: Address, amountIn: bigint, clock: Clock = CLOCK) {
  return meteoraDammV1.quoteExactIn(state, { inputMint, amountIn, clock });
}

type Vector = {
  readonly name: string;
  readonly state: DammV1State;
  readonly inputMint: Address;
  readonly amountIn: bigint;
  readonly clock: Clock;
  readonly amountOut: bigint | null;
  readonly reason?: string;
};

const vectors = readIntegerJson<readonly Vector[]>(new URL("vectors/swaps.json", import.meta.url));

for (const { name, state, inputMint, amountIn, clock, ...expected } of vectors) {
  test(`pays what was executed: ${name}`, () => {
    const paid = amountOut(sell(state, inputMint, amountIn, clock));
    assert.equal(paid, expected.amountOut ?? expected.reason);
  });
}

test("every recorded execution is replayed to the base unit, refusals included", (t) =>
  assertReplayed(t, "meteora-damm-v1.jsonl.gz", { atLeast: 264 }));

test("fees are rounded down but never to nothing, and the protocol's part stays out of the vault", () => {
  const result = swapExactIn(dammV1State(), {
    inputMint: MINT_A,
    amountIn: 1_000_000n,
    clock: CLOCK,
  });
  assert.ok(result.kind === "filled");
  assert.equal(result.swap.protocolFee, 500n);
  assert.equal(result.swap.tradeFee, 2_000n);
  assert.equal(result.swap.deposit, 999_500n);
  // 997,500 are swapped over 10^12 on both sides.
  assert.equal(result.swap.amountOut, 997_499n);
  const { a, b } = result.after;
  assert.deepEqual([a.totalAmount, a.poolLp], [2_000_000_999_500n, 1_000_000_999_500n]);
  assert.deepEqual([b.totalAmount, b.poolLp], [1_999_999_002_501n, 999_999_002_501n]);
  const before = dammV1State();
  assert.deepEqual(
    [a.tokenVaultAmount, b.tokenVaultAmount],
    [before.a.tokenVaultAmount + 999_500n, before.b.tokenVaultAmount - 997_499n],
  );
  const small = swapExactIn(dammV1State(), { inputMint: MINT_A, amountIn: 10n, clock: CLOCK });
  assert.ok(small.kind === "filled");
  assert.deepEqual([small.swap.protocolFee, small.swap.tradeFee], [1n, 0n]);
});

test("a deposit of nothing is refused, a payment of nothing is not", () => {
  assert.equal(amountOut(sell(dammV1State(), MINT_A, 1n)), "amount-zero");
  const dear = dammV1State({
    curve: { kind: "stable", amp: 100n, multiplierA: 1n, multiplierB: 1_000n, depeg: null },
  });
  assert.equal(amountOut(sell(dear, MINT_A, 2n)), 0n);
});

test("locked profit is released in equal parts every second, and then is whole", () => {
  const vault = vaultShare(MINT_A, {
    totalAmount: 1_000n,
    lockedProfit: 100n,
    lastReport: 50n,
    degradation: 100_000_000_000n,
  });
  const at = (seconds: bigint) => unlockedAmount(vault, 50n + seconds);
  assert.deepEqual([0n, 1n, 5n, 10n, 11n].map(at), [900n, 910n, 950n, 1_000n, 1_000n]);
  assert.throws(() => unlockedAmount(vault, 49n), { code: "underflow" });
  assert.throws(() => unlockedAmount({ ...vault, lockedProfit: 1_001n }, 50n), {
    code: "underflow",
  });
});

test("reserves grow with the profit that is released", () => {
  const b = vaultShare(MINT_B, {
    lockedProfit: 1_000_000_000_000n,
    lastReport: CLOCK.unixTimestamp,
    degradation: 1_000_000_000n,
  });
  const early = sell(dammV1State({ b }), MINT_A, 1_000_000_000n);
  const late = sell(dammV1State({ b }), MINT_A, 1_000_000_000n, {
    ...CLOCK,
    unixTimestamp: CLOCK.unixTimestamp + 2_000n,
  });
  assert.ok(early.kind === "filled" && late.kind === "filled");
  assert.ok(late.amountOut > (early.amountOut * 19n) / 10n);
});

test("a vault that takes no deposits refuses its token, and still pays it out", () => {
  const closed = dammV1State({ a: vaultShare(MINT_A, { takesDeposits: false }) });
  assert.equal(amountOut(sell(closed, MINT_A, 1_000n)), "paused");
  assert.equal(amountOut(sell(closed, MINT_B, 1_000n)), 997n);
});

test("a pool is paused where the vault of what holders sell takes no deposits", () => {
  for (const [money, coin] of [
    [WSOL, MINT_A],
    [USDC, MINT_A],
    [WSOL, USDC],
  ] as const) {
    const statusOf = (shut: Address) => {
      const [a, b] = [money, coin].map((mint) =>
        vaultShare(mint, { takesDeposits: mint !== shut }),
      );
      assert.ok(a !== undefined && b !== undefined);
      const statuses = [dammV1State({ a, b }), dammV1State({ a: b, b: a })].map((state) =>
        meteoraDammV1.status(state, CLOCK),
      );
      assert.equal(statuses[0], statuses[1]);
      return statuses[0];
    };
    assert.equal(statusOf(coin), "paused");
    assert.equal(statusOf(money), "open");
  }
});

test("a vault that takes no deposits gives its token no price, and the other one its own", () => {
  const shut = dammV1State({ a: vaultShare(MINT_A, { takesDeposits: false }) });
  assert.equal(meteoraDammV1.status(shut, CLOCK), "open");
  assert.equal(meteoraDammV1.spotPrice(shut, MINT_A), null);
  assert.notEqual(meteoraDammV1.spotPrice(shut, MINT_B), null);
});

test("what is lent out can't be paid", () => {
  const lent = dammV1State({ b: vaultShare(MINT_B, { tokenVaultAmount: 997n }) });
  assert.equal(amountOut(sell(lent, MINT_A, 1_000n)), "insufficient-liquidity");
  assert.equal(amountOut(sell(lent, MINT_A, 999n)), 996n);
  assert.equal(meteoraDammV1.reachable(lent, MINT_A, 10_000), 997n);
});

test("a constant product whose quotient falls below one refuses", () => {
  const tiny = vaultShare(MINT_B, { poolLp: 5n });
  const state = dammV1State({ a: vaultShare(MINT_A, { poolLp: 100n }), b: tiny });
  assert.equal(amountOut(sell(state, MINT_A, 390n)), 3n);
  assert.equal(amountOut(sell(state, MINT_A, 500n)), "insufficient-liquidity");
});

test("stable maths: D is the sum at balance, and a reserve comes back from the other", () => {
  assert.equal(stableInvariant(100n, 1_000_000n, 1_000_000n), 2_000_000n);
  const d = stableInvariant(100n, 1_500_000n, 500_000n);
  const y = stableReserve(100n, 1_500_000n, d);
  assert.ok(y >= 499_999n && y <= 500_001n);
  assert.equal(stableInvariant(100n, 0n, 0n), 0n);
  assert.throws(() => stableInvariant(100n, 0n, 5n), { code: "division-by-zero" });
  assert.throws(() => stableInvariant(0n, 5n, 5n), { code: "underflow" });
  assert.throws(() => stableInvariant(100n, 1n << 127n, 1n << 127n), { code: "overflow" });
});

const depegCurve = (currentPrice: bigint | null): Curve => ({
  kind: "stable",
  amp: 1_000n,
  multiplierA: 1n,
  multiplierB: 1n,
  depeg: { cachedPrice: 1_100_000n, cacheUpdated: CLOCK.unixTimestamp - 600n, currentPrice },
});

test("a stable pool pays its spot at first, and its depth until the price has fallen", () => {
  // 700 of A with nine decimals, 100 of B with six.
  const state = dammV1State({
    a: vaultShare(MINT_A, { poolLp: 700_000_000_000n }),
    b: vaultShare(MINT_B, { poolLp: 100_000_000n }),
    tradeFeeNumerator: 0n,
    protocolFeeNumerator: 0n,
    curve: { kind: "stable", amp: 100n, multiplierA: 1n, multiplierB: 1_000n, depeg: null },
  });
  for (const [inputMint, unit] of [
    [MINT_A, 10n ** 9n],
    [MINT_B, 10n ** 6n],
  ] as const) {
    const spot = meteoraDammV1.spotPrice(state, inputMint);
    assert.ok(spot);
    const first = amountOut(sell(state, inputMint, unit));
    const atSpot = Number((unit * spot.numerator) / spot.denominator);
    assert.ok(Math.abs(Number(first) / atSpot - 1) < 0.003, `${first} ${atSpot}`);
    for (const units of [10n, 60n, 99n, 200n]) {
      const quote = sell(state, inputMint, units * unit);
      assert.ok(quote.kind === "filled");
      const after = meteoraDammV1.spotPrice(quote.after, inputMint);
      assert.ok(after);
      const kept: bigint = 10_000n * after.numerator * spot.denominator;
      const keptBps: bigint = kept / (after.denominator * spot.numerator);
      const reachable = (fallBps: bigint) =>
        meteoraDammV1.reachable(state, inputMint, Number(fallBps));
      assert.ok(reachable(9_999n - keptBps) <= quote.amountOut + 1n, `${units} of ${inputMint}`);
      assert.ok(quote.amountOut <= reachable(10_000n - keptBps) + 1n, `${units} of ${inputMint}`);
    }
  }
});

test("a depeg pool keeps the stake pool's price for 600 seconds, then renews it", () => {
  const state = dammV1State({ curve: depegCurve(1_200_000n) });
  const kept = sell(state, MINT_B, 1_000_000n);
  const renewed = sell(state, MINT_B, 1_000_000n, {
    ...CLOCK,
    unixTimestamp: CLOCK.unixTimestamp + 1n,
  });
  assert.ok(kept.kind === "filled" && renewed.kind === "filled");
  assert.ok(kept.amountOut > 1_095_000n && kept.amountOut < 1_100_000n, String(kept.amountOut));
  assert.ok(renewed.amountOut > 1_195_000n && renewed.amountOut < 1_200_000n);
  assert.deepEqual(renewed.after.curve, {
    ...depegCurve(1_200_000n),
    depeg: {
      cachedPrice: 1_200_000n,
      cacheUpdated: CLOCK.unixTimestamp + 1n,
      currentPrice: 1_200_000n,
    },
  });
});

test("a stake pool without a price refuses once the kept one is old", () => {
  const state = dammV1State({ curve: depegCurve(null) });
  assert.equal(sell(state, MINT_B, 1_000n).kind, "filled");
  const late = { ...CLOCK, unixTimestamp: CLOCK.unixTimestamp + 1n };
  assert.equal(amountOut(sell(state, MINT_B, 1_000n, late)), "refused");
});

test("activation, disabled pools and amounts at the edges give a reason", () => {
  const state = dammV1State();
  assert.equal(amountOut(sell({ ...state, isEnabled: false }, MINT_A, 10n)), "paused");
  const bySlot = { ...state, activationPoint: 5_001n, activationType: "slot" as const };
  assert.equal(amountOut(sell(bySlot, MINT_A, 10n)), "not-open-yet");
  assert.equal(amountOut(sell({ ...bySlot, activationPoint: 5_000n }, MINT_A, 10n)), 8n);
  const byTime = { ...state, activationPoint: CLOCK.unixTimestamp + 1n };
  assert.equal(amountOut(sell(byTime, MINT_A, 10n)), "not-open-yet");
  assert.equal(amountOut(sell(state, MINT_A, 0n)), "amount-zero");
  assert.equal(amountOut(sell(state, MINT_A, U64_MAX + 1n)), "overflow");
  const full = dammV1State({ a: vaultShare(MINT_A, { tokenVaultAmount: U64_MAX - 5n }) });
  assert.equal(amountOut(sell(full, MINT_A, 1_000n)), "overflow");
  assert.equal(amountOut(sell(state, testAddress(99), 10n)), "refused");
  assert.equal(amountOut(sell({ ...state, tradeFeeDenominator: 0n }, MINT_A, 10n)), "refused");
  const unissued = dammV1State({ a: vaultShare(MINT_A, { lpSupply: 0n }) });
  assert.equal(amountOut(sell(unissued, MINT_A, 10n)), "refused");
});
