import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { USDC, WSOL } from "#src/units/known-addresses.ts";
import { pumpSwap } from "#src/venues/pumpswap/adapter.ts";
import { GLOBAL_CONFIG_ADDRESS, POOL_FEE_CONFIG_ADDRESS } from "#src/venues/pumpswap/layout.ts";
import type { FeeConfig } from "#src/venues/shared/pump-fees/fee-config.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { pumpSwapFixture } from "#test/support/pools/pump-pools.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import { propertyRuns } from "#test/support/property-runs.ts";
import { accountInfo, type Bn, loadPumpSwapSdk } from "#test/support/sdks/pump-sdks.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 1050n };
const STATES = propertyRuns(400);
const U64_MAX = (1n << 64n) - 1n;

const bps = fc.bigInt({ min: 0n, max: 400n });
const rates = fc.record({ lpBps: bps, protocolBps: bps, creatorBps: bps });
const tiers = (minLength: number) =>
  fc
    .array(fc.record({ threshold: fc.bigInt({ min: 0n, max: 10n ** 15n }), rates }), {
      minLength,
      maxLength: 6,
    })
    .map((list) => list.toSorted((a, b) => Number(a.threshold - b.threshold)));
const fees: fc.Arbitrary<FeeConfig> = fc.record({
  flat: rates,
  tiers: tiers(1),
  stableTiers: tiers(1),
  exotic: fc.oneof(rates, fc.constant({ lpBps: 0n, protocolBps: 0n, creatorBps: 0n })),
});
const reserve = fc.oneof(
  fc.bigInt({ min: 1n, max: 10n ** 16n }),
  fc.bigInt({ min: 1n, max: 10_000n }),
);

const cases = fc.record({
  baseReserve: reserve,
  quoteReserve: reserve,
  virtualQuote: fc.oneof(fc.constant(0n), fc.bigInt({ min: -(10n ** 9n), max: 10n ** 11n })),
  supply: fc.bigInt({ min: 0n, max: 10n ** 16n }),
  fees,
  isCanonical: fc.boolean(),
  isMayhem: fc.boolean(),
  isCreatorFeeConfigurable: fc.boolean(),
  creatorFeeBps: fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 300n })),
  coinCreator: fc.constantFrom(null, testAddress(5)),
  quoteMint: fc.constantFrom(WSOL, USDC, testAddress(6)),
  length: fc.constantFrom(211, 243, 245, 261, 271, 301),
  amountIn: reserve,
});

test("sales and purchases equal the official SDK's on generated pools", (t) => {
  const loaded = loadPumpSwapSdk(t);
  if (loaded === null) return;
  const { sdk, BN } = loaded;
  const bn = (value: bigint) => new BN(String(value));
  let filled = 0;
  for (const { amountIn, ...fields } of fc.sample(cases, { numRuns: STATES, seed: 2026 })) {
    const { pool, mintA, mintB, accounts } = pumpSwapFixture(fields);
    const state = decodedState(pumpSwap, pool, accounts);
    const theirs = sdk.PUMP_AMM_SDK.decodePool(accountInfo(accounts.get(pool)));
    const input = {
      creator: theirs.creator,
      baseMint: theirs.baseMint,
      quoteMint: theirs.quoteMint,
      coinCreator: theirs.coinCreator,
      isMayhemMode: theirs.isMayhemMode,
      virtualQuoteReserves: theirs.virtualQuoteReserves,
      creatorFeeBps: theirs.creatorFeeBps,
      slippage: 0,
      baseReserve: bn(fields.baseReserve),
      quoteReserve: bn(fields.quoteReserve),
      baseMintAccount: { supply: fields.supply },
      globalConfig: sdk.PUMP_AMM_SDK.decodeGlobalConfig(
        accountInfo(accounts.get(GLOBAL_CONFIG_ADDRESS)),
      ),
      feeConfig: sdk.PUMP_AMM_SDK.decodeFeeConfig(
        accountInfo(accounts.get(POOL_FEE_CONFIG_ADDRESS)),
      ),
    };
    const effectiveQuote = BigInt(fields.quoteReserve) + state.virtualQuote;
    // The program trades there, at a price of zero; the SDK divides by it.
    if (effectiveQuote === 0n) continue;
    const isPriced = effectiveQuote > 0n;
    for (const [inputMint, answer] of [
      [mintA, () => sdk.sellBaseInput({ ...input, base: bn(amountIn) }).uiQuote],
      [mintB, () => sdk.buyQuoteInput({ ...input, quote: bn(amountIn) }).base],
    ] as const) {
      const quote = pumpSwap.quoteExactIn(state, { inputMint, amountIn, clock: CLOCK });
      const expected = isPriced ? orRefusal(answer) : null;
      if (quote.kind === "filled") {
        filled++;
        assert.equal(
          quote.amountOut,
          expected,
          JSON.stringify(fields, (_, v) => String(v)),
        );
      } else if (quote.reason === "output-zero") {
        assert.ok(expected === null || expected <= 0n);
      } else {
        assert.equal(expected, null, quote.reason);
      }
    }
  }
  assert.ok(filled > STATES);
});

test("what a withdrawal takes along equals the official SDK's on generated pools", (t) => {
  const loaded = loadPumpSwapSdk(t);
  if (loaded === null) return;
  const { sdk, BN } = loaded;
  const withdrawals = fc.record({
    baseReserve: reserve,
    quoteReserve: reserve,
    issued: fc.bigInt({ min: 1n, max: 10n ** 15n }),
    portion: fc.bigInt({ min: 1n, max: 10n ** 9n }),
  });
  for (const sample of fc.sample(withdrawals, { numRuns: STATES, seed: 2026 })) {
    const { baseReserve, quoteReserve, issued, portion } = sample;
    const shares = 1n + ((issued - 1n) * portion) / 10n ** 9n;
    const { pool, accounts } = pumpSwapFixture({ baseReserve, quoteReserve });
    const state = decodedState(pumpSwap, pool, accounts);
    const left = pumpSwap.withdraw?.(state, { shares, issued }, CLOCK);
    const [sharesBn, baseBn, quoteBn, issuedBn] = [shares, baseReserve, quoteReserve, issued].map(
      (value) => new BN(String(value)),
    ) as [Bn, Bn, Bn, Bn];
    const taken = sdk.withdraw(sharesBn, 0, baseBn, quoteBn, issuedBn);
    assert.equal(left?.baseReserve, baseReserve - BigInt(taken.base.toString()));
    assert.equal(left?.quoteReserve, quoteReserve - BigInt(taken.quote.toString()));
  }
});

/** What the SDK answers; null where it throws, or answers what no token account can hold. */
function orRefusal(answer: () => { toString(): string }): bigint | null {
  let found: bigint;
  try {
    found = BigInt(answer().toString());
  } catch {
    return null;
  }
  return found > U64_MAX ? null : found;
}
