import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { USDC, WSOL } from "#src/units/known-addresses.ts";
import { pumpCurve } from "#src/venues/pump-curve/adapter.ts";
import { CURVE_FEE_CONFIG_ADDRESS, GLOBAL_ADDRESS } from "#src/venues/pump-curve/layout.ts";
import type { FeeConfig } from "#src/venues/shared/pump-fees/fee-config.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { COIN, curveFixture } from "#test/support/pools/pump-pools.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import { propertyRuns } from "#test/support/property-runs.ts";
import { accountInfo, loadPumpSdk } from "#test/support/sdks/pump-sdks.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 1050n };
const STATES = propertyRuns(600);

const bps = fc.bigInt({ min: 0n, max: 400n });
const rates = fc.record({ lpBps: fc.constant(0n), protocolBps: bps, creatorBps: bps });
const tiers = (minLength: number) =>
  fc
    .array(fc.record({ threshold: fc.bigInt({ min: 0n, max: 10n ** 12n }), rates }), {
      minLength,
      maxLength: 4,
    })
    .map((list) => list.toSorted((a, b) => Number(a.threshold - b.threshold)));
const fees: fc.Arbitrary<FeeConfig> = fc.record({
  flat: rates,
  tiers: tiers(1),
  stableTiers: tiers(1),
  exotic: fc.oneof(rates, fc.constant({ lpBps: 0n, protocolBps: 0n, creatorBps: 0n })),
});
const token = fc.bigInt({ min: 1n, max: 1_073_000_000_000_000n });
const quote = fc.bigInt({ min: 1n, max: 120_000_000_000n });

/**
 * The SDK takes the live supply for mayhem coins and 10^15 for all others; the program the curve's own
 * total supply, and the live one. The two are compared where both rules give the same.
 */
function supplied<Fields extends { isMayhem: boolean; mintSupply: bigint; length: number }>(
  fields: Fields,
) {
  const isMayhem = fields.isMayhem && fields.length > 81;
  const supply = isMayhem ? fields.mintSupply : 1_000_000_000_000_000n;
  const { pool, accounts } = curveFixture({ ...fields, mintSupply: supply, totalSupply: supply });
  return { pool, supply, accounts };
}

const cases = fc.record({
  virtualToken: token,
  virtualQuote: quote,
  realToken: token,
  realQuote: quote,
  fees,
  isMayhem: fc.boolean(),
  isCreatorFeeConfigurable: fc.boolean(),
  creatorFeeBps: fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 300n })),
  creator: fc.constantFrom(null, testAddress(5)),
  quoteMint: fc.constantFrom(WSOL, USDC, testAddress(6)),
  mintSupply: fc.bigInt({ min: 1n, max: 2n * 10n ** 15n }),
  length: fc.constantFrom(49, 81, 83, 115, 125, 151, 166),
  tokens: fc.oneof(token, fc.bigInt({ min: 1n, max: 10_000n })),
  share: fc.bigInt({ min: 1n, max: 10_000n }),
});

test("sales equal the official SDK's on generated curves, less those it should have refused", (t) => {
  const loaded = loadPumpSdk(t);
  if (loaded === null) return;
  const { sdk, BN } = loaded;
  let filled = 0;
  for (const { tokens, share, ...fields } of fc.sample(cases, { numRuns: STATES, seed: 2026 })) {
    const { pool, accounts, supply } = supplied(fields);
    const state = decodedState(pumpCurve, pool, accounts, COIN);
    const input = {
      global: sdk.PUMP_SDK.decodeGlobal(accountInfo(accounts.get(GLOBAL_ADDRESS))),
      feeConfig: sdk.PUMP_SDK.decodeFeeConfig(accountInfo(accounts.get(CURVE_FEE_CONFIG_ADDRESS))),
      bondingCurve: sdk.PUMP_SDK.decodeBondingCurve(accountInfo(accounts.get(pool))),
      mintSupply: new BN(String(supply)),
      amount: new BN(String(tokens)),
    };
    const expected = BigInt(sdk.getSellSolAmountFromTokenAmount(input).toString());
    const order = { inputMint: COIN, amountIn: tokens, clock: CLOCK };
    const sale = pumpCurve.quoteExactIn(state, order);
    const gross = (tokens * fields.virtualQuote) / (fields.virtualToken + tokens);
    if (gross > fields.realQuote) {
      assert.deepEqual(sale, { kind: "unfillable", reason: "insufficient-liquidity" });
    } else if (expected < 0n) {
      assert.deepEqual(sale, { kind: "unfillable", reason: "output-zero" });
    } else {
      filled++;
      assert.equal(sale.kind === "filled" ? sale.amountOut : sale.reason, expected);
    }
  }
  assert.ok(filled > STATES / 3);
});

test("what the SDK says that tokens cost buys at least as many, and a little less does not", (t) => {
  const loaded = loadPumpSdk(t);
  if (loaded === null) return;
  const { sdk, BN } = loaded;
  let bought = 0;
  for (const { tokens, share, ...fields } of fc.sample(cases, { numRuns: STATES, seed: 1984 })) {
    const realToken = (fields.virtualToken * 7n) / 10n;
    const wanted = (realToken * share) / 20_000n;
    if (wanted < 1_000_000n || fields.virtualQuote < 1_000_000_000n) continue;
    const { pool, accounts, supply } = supplied({ ...fields, realToken });
    const state = decodedState(pumpCurve, pool, accounts, COIN);
    const bondingCurve = sdk.PUMP_SDK.decodeBondingCurve(accountInfo(accounts.get(pool)));
    const cost = sdk.getBuySolAmountFromTokenAmount({
      global: sdk.PUMP_SDK.decodeGlobal(accountInfo(accounts.get(GLOBAL_ADDRESS))),
      feeConfig: sdk.PUMP_SDK.decodeFeeConfig(accountInfo(accounts.get(CURVE_FEE_CONFIG_ADDRESS))),
      bondingCurve,
      mintSupply: new BN(String(supply)),
      amount: new BN(String(wanted)),
      quoteMint: bondingCurve.quoteMint,
    });
    const spent = BigInt(cost.toString());
    const order = { inputMint: state.quoteMint, clock: CLOCK };
    const enough = pumpCurve.quoteExactIn(state, { ...order, amountIn: spent + 4n });
    const less = pumpCurve.quoteExactIn(state, { ...order, amountIn: spent - 4n });
    assert.ok(enough.kind === "filled" && enough.amountOut >= wanted);
    assert.ok(less.kind === "unfillable" || less.amountOut < wanted);
    bought++;
  }
  assert.ok(bought > STATES / 2);
});
