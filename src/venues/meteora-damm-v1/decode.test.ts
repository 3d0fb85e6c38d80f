import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteWriter } from "#demo/byte-writer.ts";
import { type Address, address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM, USDC, WSOL } from "#src/units/known-addresses.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { sharedPath } from "#test/support/pools/executions.ts";
import {
  dammV1Fixture,
  dammV1State,
  MINT_A,
  MINT_B,
  vaultShare,
} from "#test/support/pools/meteora-pools.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import { readRecordedAccounts } from "#test/support/pools/recorded-accounts.ts";
import { meteoraDammV1 } from "./adapter.ts";
import { LIDO_STATE, MARINADE_STATE, POOL } from "./layout.ts";

const MSOL = address("mSoLzYCxHdYgdzU16g5QSh3i5K3z3KZK7ytfqcJm7So");
const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const stable = dammV1State({
  a: vaultShare(MINT_A, { lockedProfit: 5n, lastReport: 6n, degradation: 7n }),
  b: vaultShare(MINT_B, { takesDeposits: false, tokenVaultAmount: 9n }),
  activationPoint: 11n,
  activationType: "slot",
  curve: {
    kind: "stable",
    amp: 100n,
    multiplierA: 1n,
    multiplierB: 1_000n,
    depeg: { cachedPrice: 1_100_000n, cacheUpdated: 77n, currentPrice: 1_250_000n },
  },
});
const fixture = () => dammV1Fixture(stable);

function reasonOf(accounts: ReturnType<typeof fixture>["accounts"]) {
  const decoded = meteoraDammV1.decode(fixture().pool, accounts);
  return decoded.kind === "unusable" ? decoded.reason : null;
}

function edited(account: Address, edit: (writer: ByteWriter) => void) {
  const { accounts } = fixture();
  const before = accounts.get(account);
  assert.ok(before);
  const writer = new ByteWriter(before.data.slice());
  edit(writer);
  return accounts.set(account, { ...before, data: writer.bytes });
}

test("the state that was written is the state that is read", () => {
  for (const state of [stable, dammV1State(), dammV1State({ isEnabled: false })]) {
    const { pool, accounts } = dammV1Fixture(state);
    assert.deepEqual(meteoraDammV1.decode(pool, accounts), { kind: "pool", state });
  }
});

test("the accounts that are needed follow one from the other", () => {
  const { pool, accounts } = fixture();
  const first = meteoraDammV1.accountsNeeded(pool, new Map());
  assert.deepEqual(first, [pool]);
  const poolOnly = new Map([...accounts].filter(([known]) => known === pool));
  const second = meteoraDammV1.accountsNeeded(pool, poolOnly);
  assert.equal(second.length, 6);
  assert.ok(second.includes(MARINADE_STATE));
  const all = meteoraDammV1.accountsNeeded(pool, accounts);
  assert.deepEqual(new Set(all), new Set(accounts.keys()));
});

test("an outline counts the pool's own share of each vault, and says which can't be read", () => {
  const { pool, accounts } = dammV1Fixture(dammV1State());
  const held = 1_000_000_000_000n;
  const both = { mintA: MINT_A, mintB: MINT_B, heldA: held, heldB: held };
  assert.deepEqual(meteoraDammV1.outline(pool, accounts), both);
  accounts.delete(testAddress(9));
  assert.deepEqual(meteoraDammV1.outline(pool, accounts), { ...both, heldB: null });
  accounts.delete(testAddress(4));
  assert.deepEqual(meteoraDammV1.outline(pool, accounts), { ...both, heldA: null, heldB: null });
});

test("spot and depth follow the curve", () => {
  const even = dammV1State();
  assert.deepEqual(meteoraDammV1.spotPrice(even, MINT_A), {
    numerator: 1_000_000_000_000n,
    denominator: 1_000_000_000_000n,
  });
  assert.equal(meteoraDammV1.reachable(even, MINT_A, 1_900), 100_000_000_000n);
  const flat = dammV1State({
    curve: { kind: "stable", amp: 100n, multiplierA: 1n, multiplierB: 1n, depeg: null },
  });
  const spot = meteoraDammV1.spotPrice(flat, MINT_A);
  assert.ok(spot !== null && spot.numerator === spot.denominator);
  const nearDepth = meteoraDammV1.reachable(flat, MINT_A, 1_000);
  assert.ok(nearDepth > 700_000_000_000n && nearDepth < 1_000_000_000_000n, String(nearDepth));
  assert.equal(meteoraDammV1.reachable(flat, MINT_A, 10_000), 1_000_000_000_000n);
  assert.equal(meteoraDammV1.feePpm(flat, MINT_A, CLOCK), 2_500);
});

test("a stable pool's spot is what a small sale gets before fees", () => {
  const state = dammV1State({
    a: vaultShare(MINT_A, { poolLp: 1_900_000_000_000n }),
    b: vaultShare(MINT_B, { poolLp: 100_000_000_000n }),
    tradeFeeNumerator: 0n,
    curve: { kind: "stable", amp: 20n, multiplierA: 1n, multiplierB: 1n, depeg: null },
  });
  for (const inputMint of [MINT_A, MINT_B]) {
    const spot = meteoraDammV1.spotPrice(state, inputMint);
    const order = { inputMint, amountIn: 10_000_000n, clock: CLOCK };
    const quote = meteoraDammV1.quoteExactIn(state, order);
    assert.ok(spot !== null && quote.kind === "filled");
    const expected = (order.amountIn * spot.numerator) / spot.denominator;
    assert.ok(quote.amountOut <= expected);
    assert.ok(quote.amountOut >= expected - expected / 1_000n - 3n);
  }
});

test("accounts that are missing, foreign or cut are set aside with a reason", () => {
  for (const [known, account] of fixture().accounts) {
    const { accounts } = fixture();
    accounts.delete(known);
    assert.equal(reasonOf(accounts), "missing-account", known);
    const cut = { ...account, data: account.data.slice(0, 60) };
    assert.equal(reasonOf(fixture().accounts.set(known, cut)), "undecodable", known);
    if (known === MARINADE_STATE) continue;
    const foreign = fixture().accounts.set(known, { ...account, owner: SYSTEM_PROGRAM });
    assert.equal(reasonOf(foreign), "undecodable", known);
  }
});

test("fields out of range are set aside with a reason", () => {
  const { pool } = fixture();
  assert.equal(reasonOf(edited(pool, (at) => at.u8(POOL.curveType, 2))), "undecodable");
  assert.equal(reasonOf(edited(pool, (at) => at.u8(POOL.enabled, 2))), "undecodable");
  assert.equal(reasonOf(edited(pool, (at) => at.u8(POOL.activationType, 2))), "unsupported");
  assert.equal(reasonOf(edited(pool, (at) => at.u8(POOL.depegType, 4))), "unsupported");
  const elsewhere = edited(pool, (at) => at.address(POOL.aVaultLp, testAddress(9)));
  assert.equal(reasonOf(elsewhere), "undecodable");
});

test("each kind of depeg reads its own stake pool", () => {
  const { pool } = fixture();
  const priceWith = (stake: Address, offsets: readonly [number, number], depegType: number) => {
    const accounts = edited(pool, (at) => at.u8(POOL.depegType, depegType));
    const data = new ByteWriter(new Uint8Array(400))
      .u64(offsets[0], 3_000n)
      .u64(offsets[1], 2_000n).bytes;
    accounts.set(stake, { owner: SYSTEM_PROGRAM, lamports: 1n, data, slot: 1n });
    const state = decodedState(meteoraDammV1, pool, accounts);
    const { curve } = state;
    return curve.kind === "stable" ? curve.depeg?.currentPrice : undefined;
  };
  assert.equal(priceWith(LIDO_STATE, [81, 73], 2), 1_500_000n);
  assert.equal(priceWith(testAddress(7), [258, 266], 3), 1_500_000n);
});

test("pools are searched on both sides of the pair, and each configuration has its place", () => {
  const { configured, filters } = meteoraDammV1.search(USDC, WSOL);
  assert.equal(configured().length, 15);
  assert.deepEqual(
    filters.map(({ dataSize, memcmp }) => [dataSize, memcmp[1]?.offset, memcmp[2]?.offset]),
    [
      [null, 40, 72],
      [null, 72, 40],
    ],
  );
});

test("the recorded mSOL/SOL pool of mainnet decodes and quotes", (t) => {
  const folder = sharedPath(t, "mainnet");
  if (folder === null) return;
  const accounts = readRecordedAccounts(folder);
  const pool = address("HcjZvfeSNJbNkfLD4eEcRBr96AD3w1GpmMppaeRZf7ur");
  const state = decodedState(meteoraDammV1, pool, accounts);
  const order = { inputMint: MSOL, amountIn: 1_000_000_000n, clock: CLOCK };
  const quote = meteoraDammV1.quoteExactIn(state, order);
  assert.ok(quote.kind === "filled");
  assert.equal(quote.amountOut, 1_197_193_542n);
});
