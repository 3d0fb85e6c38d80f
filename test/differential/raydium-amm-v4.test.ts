import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { raydiumAmmV4 } from "#src/venues/raydium-amm-v4/adapter.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { ammFixture, testAddress } from "#test/support/pools/raydium-pools.ts";
import { bytesOf, loadRaydiumSdk } from "#test/support/sdks/raydium-sdk.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 1050n };
const STATES = 2000;

const reserve = fc.oneof(
  fc.bigInt({ min: 1n, max: 10n ** 18n }),
  fc.bigInt({ min: 1n, max: 100_000n }),
);
const owed = fc.bigInt({ min: 0n, max: 10n ** 9n });
const cases = fc.record({
  coinReserve: reserve,
  pcReserve: reserve,
  needTakePnlCoin: owed,
  needTakePnlPc: owed,
  amountIn: reserve,
});

/** The SDK answers 0 where the program refuses to pay nothing, and takes 25 / 10,000 for granted. */
test("sales both ways equal the official SDK's on generated pools of the usual fee", (t) => {
  const sdk = loadRaydiumSdk(t);
  if (sdk === null) return;
  let filled = 0;
  for (const fields of fc.sample(cases, { numRuns: STATES, seed: 2026 })) {
    const { pool, mintA, mintB, accounts } = ammFixture({
      ...fields,
      coinVault: fields.coinReserve + fields.needTakePnlCoin,
      pcVault: fields.pcReserve + fields.needTakePnlPc,
    });
    const state = decodedState(raydiumAmmV4, pool, accounts);
    const info = sdk.liquidityStateV4Layout.decode(bytesOf(accounts.get(pool)));
    assert.equal(info.baseMint.toString(), mintA);
    assert.equal(info.quoteMint.toString(), mintB);
    const vault = (byte: number) =>
      sdk.splAccountLayout.decode(bytesOf(accounts.get(testAddress(byte)))).amount;
    const poolInfo = {
      version: 4,
      mintA: { address: mintA, decimals: 6 },
      mintB: { address: mintB, decimals: 9 },
      baseReserve: vault(4).sub(info.baseNeedTakePnl),
      quoteReserve: vault(5).sub(info.quoteNeedTakePnl),
    };
    for (const [mintIn, mintOut] of [
      [mintA, mintB],
      [mintB, mintA],
    ] as const) {
      const { amountOut } = sdk.liquidity.computeAmountOut({
        poolInfo,
        amountIn: new sdk.BN(String(fields.amountIn)),
        mintIn,
        mintOut,
        slippage: 0,
      });
      const order = { inputMint: mintIn, amountIn: fields.amountIn, clock: CLOCK };
      const quote = raydiumAmmV4.quoteExactIn(state, order);
      if (quote.kind === "filled") filled++;
      assert.equal(quote.kind === "filled" ? quote.amountOut : 0n, BigInt(amountOut.toString()));
    }
  }
  assert.ok(filled > STATES, `${filled} filled`);
});

test("the SDK misses a pool's own fee: the program reads it", (t) => {
  const sdk = loadRaydiumSdk(t);
  if (sdk === null) return;
  const reserves = { coinVault: 1_000_000n, pcVault: 1_000_000n };
  const { pool, mintA, mintB, accounts } = ammFixture({ ...reserves, swapFeeNumerator: 100n });
  const state = decodedState(raydiumAmmV4, pool, accounts);
  const reserve = new sdk.BN("1000000");
  const { amountOut } = sdk.liquidity.computeAmountOut({
    poolInfo: {
      version: 4,
      mintA: { address: mintA, decimals: 6 },
      mintB: { address: mintB, decimals: 9 },
      baseReserve: reserve,
      quoteReserve: reserve,
    },
    amountIn: new sdk.BN("10000"),
    mintIn: mintA,
    mintOut: mintB,
    slippage: 0,
  });
  const order = { inputMint: mintA, amountIn: 10_000n, clock: CLOCK };
  const quote = raydiumAmmV4.quoteExactIn(state, order);
  assert.equal(amountOut.toString(), "9876");
  assert.equal(quote.kind === "filled" && quote.amountOut, 9_802n);
});
