import assert from "node:assert/strict";
import { test } from "node:test";
import { feeConfigAccount } from "#demo/programs/pump-fee-config-accounts.ts";
import { SYSTEM_PROGRAM, USDC, USDT, WSOL } from "#src/units/known-addresses.ts";
import { POOL_FEE_CONFIG_ADDRESS } from "#src/venues/pumpswap/layout.ts";
import { sharedPath } from "#test/support/pools/executions.ts";
import { POOL_FEES, rates } from "#test/support/pools/pump-pools.ts";
import { readRecordedAccounts } from "#test/support/pools/recorded-accounts.ts";
import { decodeFeeConfig, FEE_CONFIG, launchedSchedule, ratesAt } from "./fee-config.ts";

const UNSET = rates(0n, 0n, 0n);

test("the account's length says which lists it has, not the bytes that are left", () => {
  const { flat, tiers, stableTiers, exotic } = POOL_FEES;
  const at = (length: number) => decodeFeeConfig(feeConfigAccount(POOL_FEES, 1n, length));
  assert.deepEqual(at(4097), POOL_FEES);
  assert.deepEqual(at(5000), POOL_FEES);
  assert.deepEqual(at(4073), { flat, tiers, stableTiers, exotic: UNSET });
  assert.deepEqual(at(4072), { flat, tiers, stableTiers: [], exotic: UNSET });
  assert.deepEqual(at(2512), { flat, tiers, stableTiers: [], exotic: UNSET });
  assert.equal(at(2511), null);
  assert.ok(exotic.lpBps > 0n);
});

test("a foreign owner, another kind of account and more tiers than bytes are not a fee schedule", () => {
  const account = feeConfigAccount(POOL_FEES, 1n);
  assert.equal(decodeFeeConfig({ ...account, owner: SYSTEM_PROGRAM }), null);
  assert.equal(decodeFeeConfig({ ...account, data: account.data.slice().fill(9, 0, 8) }), null);
  const counting = (count: number) => {
    const data = account.data.slice();
    new DataView(data.buffer).setUint32(FEE_CONFIG.feeTiers, count, true);
    return decodeFeeConfig({ ...account, data });
  };
  // The program too reads as many tiers as fit.
  assert.equal(counting(51)?.tiers.length, 51);
  for (const count of [101, 255, 0xffff_ffff]) assert.equal(counting(count), null);
});

test("a tier holds from its threshold on, the first one below it too", () => {
  const [first, second] = POOL_FEES.tiers;
  assert.ok(first && second);
  const schedule = [{ ...first, threshold: 10n }, second] as const;
  assert.equal(ratesAt(schedule, 0n), first.rates);
  assert.equal(ratesAt(schedule, second.threshold - 1n), first.rates);
  assert.equal(ratesAt(schedule, second.threshold), second.rates);
});

test("tiers that do not ascend are searched from the last one, after the first threshold", () => {
  const [first, second, third] = POOL_FEES.tiers;
  assert.ok(first && second && third);
  const schedule = [
    { ...first, threshold: 10n },
    { ...second, threshold: 20n },
    { ...third, threshold: 5n },
  ] as const;
  assert.equal(ratesAt(schedule, 9n), first.rates);
  for (const marketCap of [10n, 20n]) assert.equal(ratesAt(schedule, marketCap), third.rates);
  assert.equal(ratesAt([schedule[2], schedule[1], schedule[0]], 15n), first.rates);
});

test("the quote decides the schedule, empty tiers give none, and unset exotic fees mean the flat ones", () => {
  const ratesOf = (config: typeof POOL_FEES, quoteMint: typeof WSOL) =>
    launchedSchedule(config, quoteMint)?.[0].rates;
  assert.deepEqual(ratesOf(POOL_FEES, WSOL), POOL_FEES.tiers[0]?.rates);
  assert.deepEqual(ratesOf(POOL_FEES, USDC), POOL_FEES.stableTiers[0]?.rates);
  assert.equal(launchedSchedule({ ...POOL_FEES, stableTiers: [] }, USDC), null);
  assert.deepEqual(ratesOf(POOL_FEES, USDT), POOL_FEES.exotic);
  assert.deepEqual(ratesOf({ ...POOL_FEES, exotic: UNSET }, USDT), POOL_FEES.flat);
  assert.equal(launchedSchedule({ ...POOL_FEES, tiers: [] }, WSOL), null);
});

test("the recorded schedule of the pools has its 25 tiers on both lists", (t) => {
  const folder = sharedPath(t, "mainnet");
  if (folder === null) return;
  const account = readRecordedAccounts(folder).get(POOL_FEE_CONFIG_ADDRESS);
  assert.ok(account);
  const config = decodeFeeConfig(account);
  assert.ok(config);
  assert.deepEqual([config.tiers.length, config.stableTiers.length], [25, 25]);
  assert.deepEqual(config.flat, rates(25n, 5n, 0n));
  assert.deepEqual(config.exotic, rates(20n, 5n, 5n));
});
