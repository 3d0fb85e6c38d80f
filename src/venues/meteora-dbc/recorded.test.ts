import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { address } from "#src/units/address.ts";
import { assertReplayed, sharedPath } from "#test/support/pools/executions.ts";
import { readRecordedAccounts } from "#test/support/pools/recorded-accounts.ts";
import { meteoraDbc } from "./adapter.ts";
import { swapExactIn } from "./quote.ts";

test("every recorded execution is replayed to the base unit, refusals included", (t) =>
  assertReplayed(t, "meteora-dbc.jsonl.gz", { atLeast: 395 }));

test("the recorded mainnet curves decode: two open ones, and one that has migrated", (t) => {
  const path = sharedPath(t, "mainnet");
  if (path === null) return;
  const accounts = readRecordedAccounts(path);
  const clock = { slot: 450_000_000n, unixTimestamp: 1_790_000_000n, epoch: 925n };
  const statuses = [
    "7eLuxTUgMqadxnkC8fLpKkpeKAGkknLQGvhD7PTy8pQi",
    "EWJ2mDW9UBuGAJ4UF5gTdYVXk8BxT2dV1P8oBN24xiZz",
    "5AY2Ac5ubEaPeTwAjU3SxajNpKoTM8MEMwJGUD7WYZo4",
  ].map((pool) => {
    const found = meteoraDbc.decode(address(pool), accounts);
    return found.kind === "pool" ? meteoraDbc.status(found.state, clock) : found.detail;
  });
  assert.deepEqual(statuses, ["open", "open", "migrated"]);
});

test("a recorded mainnet sale comes out to the unit: output, fees, end price and reserve", (t) => {
  const events = sharedPath(t, "mainnet-events", "meteora.jsonl");
  const folder = sharedPath(t, "mainnet");
  if (events === null || folder === null) return;
  const pool = "5AY2Ac5ubEaPeTwAjU3SxajNpKoTM8MEMwJGUD7WYZo4";
  const { event } = readFileSync(events, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
    .find(({ event }) => event.type === "DBC.EvtSwap2" && event.pool === pool);
  const found = meteoraDbc.decode(address(pool), readRecordedAccounts(folder));
  assert.ok(found.kind === "pool");

  // The account was recorded after its migration: put it back to where the event started.
  const amountIn = BigInt(event.includedFeeIn);
  const endPrice = BigInt(event.nextSqrtPrice);
  const fee = BigInt(event.tradingFee) + BigInt(event.protocolFee);
  const liquidity = found.state.config.curve.find(
    ({ sqrtPrice }) => sqrtPrice > endPrice,
  )?.liquidity;
  assert.ok(liquidity);
  const state = {
    ...found.state,
    isMigrated: false,
    baseVaultBalance: null,
    quoteVaultBalance: null,
    sqrtPrice: (liquidity * endPrice) / (liquidity - amountIn * endPrice),
    quoteReserve: BigInt(event.quoteReserve) + BigInt(event.out) + fee,
  };
  const clock = { slot: 446_328_462n, unixTimestamp: BigInt(event.ts), epoch: 1_033n };
  const result = swapExactIn(state, { inputMint: state.baseMint, amountIn, clock });
  assert.ok(result.kind === "filled");
  assert.equal(result.swap.amountOut, BigInt(event.out));
  assert.equal(result.swap.tradingFee, BigInt(event.tradingFee));
  assert.equal(result.swap.protocolFee, BigInt(event.protocolFee));
  assert.equal(result.swap.after.sqrtPrice, endPrice);
  assert.equal(result.swap.after.quoteReserve, BigInt(event.quoteReserve));
});
