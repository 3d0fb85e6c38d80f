import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteWriter } from "#demo/byte-writer.ts";
import { address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM, USDC, WSOL } from "#src/units/known-addresses.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { sharedPath } from "#test/support/pools/executions.ts";
import { dammV2Fixture, dammV2State, MINT_A, MINT_B } from "#test/support/pools/meteora-pools.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import { readRecordedAccounts } from "#test/support/pools/recorded-accounts.ts";
import { meteoraDammV2 } from "./adapter.ts";
import type { BaseFee } from "./decode.ts";
import { POOL } from "./layout.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const fee = { epoch: 900n, maximum: 1n << 40n, feeBps: 100 };
const taxed = () => {
  const state = dammV2State();
  return { ...state, tokenA: { ...state.tokenA, transferFee: { older: fee, newer: fee } } };
};
const fixture = () => dammV2Fixture(taxed());

function reasonOf(accounts: ReturnType<typeof fixture>["accounts"]) {
  const decoded = meteoraDammV2.decode(fixture().pool, accounts);
  return decoded.kind === "unusable" ? decoded.reason : null;
}

function edited(edit: (writer: ByteWriter) => void) {
  const { pool, accounts } = fixture();
  const before = accounts.get(pool);
  assert.ok(before);
  const writer = new ByteWriter(before.data.slice());
  edit(writer);
  return accounts.set(pool, { ...before, data: writer.bytes });
}

const baseFees: readonly BaseFee[] = [
  {
    kind: "time-exponential",
    cliffFeeNumerator: 1n,
    periods: 2n,
    periodFrequency: 3n << 33n,
    reductionFactor: 4n,
  },
  {
    kind: "rate-limiter",
    cliffFeeNumerator: 1n,
    feeIncrementBps: 2n,
    maxDuration: 3n,
    maxFeeBps: 4n,
    referenceAmount: 5n,
  },
  {
    kind: "market-cap-linear",
    cliffFeeNumerator: 1n,
    periods: 2n,
    sqrtPriceStepBps: 3n,
    expiry: 4n,
    reductionFactor: 5n,
  },
  {
    kind: "market-cap-exponential",
    cliffFeeNumerator: 1n,
    periods: 2n,
    sqrtPriceStepBps: 3n,
    expiry: 4n,
    reductionFactor: 5n,
  },
];

test("the state that was written is the state that is read, in every fee mode", () => {
  const dynamicFee = {
    maxVolatilityAccumulator: 1n,
    variableFeeControl: 2n,
    binStep: 3n,
    filterPeriod: 4n,
    decayPeriod: 5n,
    reductionFactor: 6n,
    lastUpdateTimestamp: 7n,
    binStepQ64: 8n << 64n,
    sqrtPriceReference: 9n << 64n,
    volatilityAccumulator: 10n << 64n,
    volatilityReference: 11n << 64n,
  };
  for (const state of [
    taxed(),
    dammV2State({ dynamicFee }),
    dammV2State({ collectFeeMode: "compounding", compoundingFeeBps: 77n, activationType: "slot" }),
    dammV2State({ isEnabled: false, maxFeeNumerator: 500_000_000n, activationPoint: 9n }),
    ...baseFees.map((baseFee) => dammV2State({ baseFee })),
  ]) {
    const { pool, accounts } = dammV2Fixture(state);
    assert.deepEqual(meteoraDammV2.decode(pool, accounts), { kind: "pool", state });
  }
});

test("spot, depth and the vault balances are given for both sides", () => {
  const state = dammV2State({ sqrtPrice: 1n << 65n });
  const { pool, accounts } = dammV2Fixture(state);
  const price = { numerator: 1n << 130n, denominator: 1n << 128n };
  assert.deepEqual(meteoraDammV2.spotPrice(state, MINT_A), price);
  assert.deepEqual(meteoraDammV2.spotPrice(state, MINT_B), {
    numerator: price.denominator,
    denominator: price.numerator,
  });
  // 2 * 10^12 of B lie below, 0.5 * 10^12 of A above; a tenth off the price takes 1 - sqrt(0.9).
  const below = meteoraDammV2.reachable(state, MINT_A, 10_000);
  assert.ok(below > 1_999_999_999_000n && below <= 2_000_000_000_000n);
  assert.equal(meteoraDammV2.reachable(state, MINT_A, 1_000), 102_633_403_898n);
  assert.equal(meteoraDammV2.reachable(state, MINT_B, 1_000), 25_658_350_974n);
  const held = 1n << 50n;
  assert.deepEqual(meteoraDammV2.outline(pool, accounts), {
    mintA: MINT_A,
    mintB: MINT_B,
    heldA: held,
    heldB: held,
    vaultA: testAddress(4),
    vaultB: testAddress(5),
  });
});

test("depth is never more than the vault and the reserve hold", () => {
  const state = dammV2State();
  const drained = { ...state, tokenB: { ...state.tokenB, vaultAmount: 5n } };
  assert.equal(meteoraDammV2.reachable(drained, MINT_A, 10_000), 5n);
  const uncounted = { ...state, tokenB: { ...state.tokenB, reserve: 4n } };
  assert.equal(meteoraDammV2.reachable(uncounted, MINT_A, 10_000), 4n);
});

test("a pool of before version 0.2 gets its reserves from its price range, rounded up", () => {
  const decoded = meteoraDammV2.decode(
    fixture().pool,
    edited((at) => at.u8(POOL.layoutVersion, 0).u64(POOL.tokenAAmount, 5n)),
  );
  assert.ok(decoded.kind === "pool");
  assert.equal(decoded.state.tokenB.reserve, 999_999_999_768n);
  assert.equal(decoded.state.tokenA.reserve, 999_999_999_768n);
});

test("the pool names its vaults and its Token-2022 mints", () => {
  const { pool, accounts } = fixture();
  assert.deepEqual(meteoraDammV2.accountsNeeded(pool, new Map()), [pool]);
  assert.deepEqual(new Set(meteoraDammV2.accountsNeeded(pool, accounts)), new Set(accounts.keys()));
});

test("accounts that are missing, foreign or cut are set aside with a reason", () => {
  for (const [known, account] of fixture().accounts) {
    const { accounts } = fixture();
    accounts.delete(known);
    const isVault = account.data.length === 165;
    assert.equal(reasonOf(accounts), isVault ? null : "missing-account", known);
    const foreign = fixture().accounts.set(known, { ...account, owner: SYSTEM_PROGRAM });
    assert.equal(reasonOf(foreign), "undecodable", known);
    const cut = { ...account, data: account.data.slice(0, 60) };
    assert.equal(reasonOf(fixture().accounts.set(known, cut)), "undecodable", known);
  }
});

test("modes and versions of an unknown version are set aside as unsupported", () => {
  for (const offset of [
    POOL.baseFeeMode,
    POOL.collectFeeMode,
    POOL.activationType,
    POOL.feeVersion,
    POOL.layoutVersion,
  ]) {
    assert.equal(reasonOf(edited((at) => at.u8(offset, 9))), "unsupported", String(offset));
  }
});

test("pools are searched on both sides of the pair, and each configuration has its place", () => {
  const { configured, filters } = meteoraDammV2.search(USDC, WSOL);
  assert.equal(configured().length, 8);
  assert.deepEqual(
    filters.map(({ memcmp }) => memcmp[1]),
    [
      { offset: 168, bytes: USDC },
      { offset: 200, bytes: USDC },
    ],
  );
  assert.equal(meteoraDammV2.search(testAddress(9), null).configured().length, 32);
});

test("the recorded SOL/USDC pools of mainnet decode and quote, though their vaults were not recorded", (t) => {
  const folder = sharedPath(t, "mainnet");
  if (folder === null) return;
  const accounts = readRecordedAccounts(folder);
  for (const pool of [
    address("8Pm2kZpnxD3hoMmt4bjStX2Pw2Z9abpbHzZxMPqxPmie"),
    address("CGPxT5d1uf9a8cKVJuZaJAU76t2EfLGbTmRbfvLLZp5j"),
  ]) {
    const state = decodedState(meteoraDammV2, pool, accounts);
    const order = { inputMint: USDC, amountIn: 1_000_000n, clock: CLOCK };
    assert.equal(meteoraDammV2.quoteExactIn(state, order).kind, "filled", pool);
  }
});
