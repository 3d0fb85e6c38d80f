import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteWriter } from "#demo/byte-writer.ts";
import { type Address, address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM, USDC, WSOL } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { CLMM_CONFIG, clmmFixture } from "#test/support/pools/clmm-pools.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { sharedPath } from "#test/support/pools/executions.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import { readRecordedAccounts } from "#test/support/pools/recorded-accounts.ts";
import { raydiumClmm } from "./adapter.ts";
import {
  AMM_CONFIG,
  KNOWN_CONFIGS,
  POOL_STATE,
  REWARD_INFO,
  TICK_ARRAY_STATE,
  TICK_STATE,
} from "./layout.ts";
import { bitmapExtensionAddress, tickArrayAddress } from "./tick-arrays.ts";
import { sqrtPriceAtTick } from "./tick-math.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };

/** Spacing 10: an array spans 600 ticks; these positions initialise ticks in five of them. */
const FIELDS = {
  tickSpacing: 10,
  sqrtPriceX64: sqrtPriceAtTick(25),
  positions: [
    { lower: -1300, upper: 1500, liquidity: 1_000_000_000n },
    { lower: -100, upper: 700, liquidity: 5_000_000_000n },
  ],
};
const { pool, mintA, mintB } = clmmFixture(FIELDS);
const ARRAY = (start: number) => tickArrayAddress(pool, start);

function edited(at: Address, edit: (writer: ByteWriter) => void): Map<Address, Account> {
  const { accounts } = clmmFixture(FIELDS);
  const account = accounts.get(at);
  if (account === undefined) throw new Error(`no account at ${at}`);
  const data = account.data.slice();
  edit(new ByteWriter(data));
  return accounts.set(at, { ...account, data });
}

function reasonOf(accounts: ReadonlyMap<Address, Account | null>): string {
  const decoded = raydiumClmm.decode(pool, accounts);
  return decoded.kind === "pool" ? "pool" : decoded.reason;
}

test("the initialised ticks of all marked arrays are read, ascending", () => {
  const state = decodedState(raydiumClmm, pool, clmmFixture(FIELDS).accounts);
  assert.deepEqual(
    state.ticks.map(({ tick, liquidityNet }) => [tick, liquidityNet]),
    [
      [-1300, 1_000_000_000n],
      [-100, 5_000_000_000n],
      [700, -5_000_000_000n],
      [1500, -1_000_000_000n],
    ],
  );
  assert.equal(state.tickCurrent, 25);
  assert.equal(state.liquidity, 6_000_000_000n);
  assert.deepEqual(raydiumClmm.cautions(state), []);
});

test("the pool names its config, vaults, mints, bitmap extension and marked tick arrays", () => {
  const { accounts } = clmmFixture(FIELDS);
  assert.deepEqual(raydiumClmm.accountsNeeded(pool, new Map()), [pool]);
  assert.deepEqual(new Set(raydiumClmm.accountsNeeded(pool, accounts)), new Set(accounts.keys()));
});

test("arrays marked in the bitmap extension are named once it is loaded", () => {
  for (const sign of [1, -1]) {
    const far = {
      tickSpacing: 1,
      sqrtPriceX64: sqrtPriceAtTick(sign * 60_050),
      positions: [{ lower: sign * 60_050 - 200, upper: sign * 60_050 + 200, liquidity: 1n << 40n }],
    };
    const { accounts } = clmmFixture(far);
    assert.deepEqual(new Set(raydiumClmm.accountsNeeded(pool, accounts)), new Set(accounts.keys()));
    const state = decodedState(raydiumClmm, pool, accounts);
    assert.equal(state.ticks.length, 2);
    accounts.delete(bitmapExtensionAddress(pool));
    assert.equal(decodedState(raydiumClmm, pool, accounts).ticks.length, 0);
  }
});

test("each account that is missing is named, but for the bitmap extension and far arrays", () => {
  const spared = [bitmapExtensionAddress(pool), ARRAY(-1800), ARRAY(1200)];
  for (const gone of clmmFixture(FIELDS).accounts.keys()) {
    const { accounts } = clmmFixture(FIELDS);
    accounts.delete(gone);
    const expected = spared.includes(gone) ? "pool" : "missing-account";
    assert.equal(reasonOf(accounts), expected, gone);
  }
});

test("a bitmap extension that was not delivered is a caution, one that does not exist is none", () => {
  const { accounts } = clmmFixture(FIELDS);
  const cautionsWith = (extension: null | undefined) => {
    const known = new Map<Address, Account | null>(accounts);
    known.delete(bitmapExtensionAddress(pool));
    if (extension === null) known.set(bitmapExtensionAddress(pool), null);
    return raydiumClmm.cautions(decodedState(raydiumClmm, pool, known));
  };
  assert.deepEqual(cautionsWith(undefined), ["partly-loaded"]);
  assert.deepEqual(cautionsWith(null), []);
});

test("lamports at the address of the bitmap extension, which anyone can send, do not set the pool aside", () => {
  const known = new Map<Address, Account | null>(clmmFixture(FIELDS).accounts);
  const without = raydiumClmm.decode(pool, known.set(bitmapExtensionAddress(pool), null));
  const lamportsAlone = { owner: SYSTEM_PROGRAM, lamports: 890_880n, data: new Uint8Array() };
  known.set(bitmapExtensionAddress(pool), { ...lamportsAlone, slot: 1n });
  assert.equal(without.kind, "pool");
  assert.deepEqual(raydiumClmm.decode(pool, known), without);
});

test("a missing far array ends the pool there, with a caution", () => {
  const { accounts } = clmmFixture(FIELDS);
  accounts.delete(ARRAY(-1800));
  const state = decodedState(raydiumClmm, pool, accounts);
  assert.deepEqual(raydiumClmm.cautions(state), ["partly-loaded"]);
  const sell = (amountIn: bigint) =>
    raydiumClmm.quoteExactIn(state, { inputMint: mintA, amountIn, clock: CLOCK });
  assert.equal(sell(1_000n).kind, "filled");
  assert.deepEqual(sell(1n << 50n), { kind: "unfillable", reason: "insufficient-liquidity" });
});

test("a marked array beside the first that is known not to exist sets the pool aside", () => {
  const { accounts } = clmmFixture(FIELDS);
  const known = new Map<Address, Account | null>(accounts).set(ARRAY(-1800), null);
  assert.equal(reasonOf(known), "missing-account");
});

test("accounts of another owner or length are set aside with a reason", () => {
  for (const [known, account] of clmmFixture(FIELDS).accounts) {
    const foreign = clmmFixture(FIELDS).accounts.set(known, { ...account, owner: SYSTEM_PROGRAM });
    assert.equal(reasonOf(foreign), "undecodable", known);
    const cut = { ...account, data: account.data.slice(0, 40) };
    assert.equal(reasonOf(clmmFixture(FIELDS).accounts.set(known, cut)), "undecodable", known);
    const grown = new Uint8Array(account.data.length + 1);
    grown.set(account.data);
    const isOurs = account.owner === raydiumClmm.programId;
    if (!isOurs) continue;
    const longer = clmmFixture(FIELDS).accounts.set(known, { ...account, data: grown });
    assert.equal(reasonOf(longer), "undecodable", known);
  }
});

test("fields out of range are set aside with a reason", () => {
  const firstTick = TICK_ARRAY_STATE.ticks + 10 * TICK_STATE.length;
  for (const [at, edit] of [
    [pool, (to: ByteWriter) => to.u16(POOL_STATE.tickSpacing, 0)],
    [pool, (to: ByteWriter) => to.i32(POOL_STATE.tickCurrent, 443_637)],
    [pool, (to: ByteWriter) => to.i32(POOL_STATE.tickCurrent, 23)],
    [pool, (to: ByteWriter) => to.u128(POOL_STATE.sqrtPriceX64, 1n)],
    [CLMM_CONFIG, (to: ByteWriter) => to.u32(AMM_CONFIG.tradeFeeRate, 1_000_000)],
    [testAddress(14), (to: ByteWriter) => to.address(0, WSOL)],
    [ARRAY(600), (to: ByteWriter) => to.i32(firstTick + TICK_STATE.tick, 701)],
    [ARRAY(600), (to: ByteWriter) => to.i32(TICK_ARRAY_STATE.startTickIndex, 0)],
  ] as const) {
    assert.equal(
      reasonOf(
        edited(at, (to) => {
          edit(to);
        }),
      ),
      "undecodable",
    );
  }
});

test("a frozen vault or a switched-off swap sells nothing", () => {
  for (const accounts of [
    edited(testAddress(15), (to) => to.u8(108, 2)),
    edited(pool, (to) => to.u8(POOL_STATE.status, 16)),
  ]) {
    const state = decodedState(raydiumClmm, pool, accounts);
    assert.equal(raydiumClmm.status(state, CLOCK), "paused");
    assert.deepEqual(
      raydiumClmm.quoteExactIn(state, { inputMint: mintA, amountIn: 5n, clock: CLOCK }),
      { kind: "unfillable", reason: "paused" },
    );
  }
});

test("pools are searched on both sides of the pair, and each configuration has its place", () => {
  const { configured, filters } = raydiumClmm.search(USDC, WSOL);
  assert.equal(configured().length, KNOWN_CONFIGS.length);
  assert.ok(configured().includes(address("3ucNos4NbumPLZNWztqGHNFFgkHeRMBQAVemeeomsUxv")));
  assert.deepEqual(
    filters.map(({ memcmp }) => memcmp),
    [
      [
        { offset: 73, bytes: USDC },
        { offset: 105, bytes: WSOL },
      ],
      [
        { offset: 105, bytes: USDC },
        { offset: 73, bytes: WSOL },
      ],
    ],
  );
  assert.equal(
    raydiumClmm.search(testAddress(9), null).configured().length,
    4 * KNOWN_CONFIGS.length,
  );
});

test("the outline names the pair and the vault balances", () => {
  const { accounts } = clmmFixture(FIELDS);
  accounts.delete(testAddress(15));
  assert.deepEqual(raydiumClmm.outline(pool, accounts), {
    mintA,
    mintB,
    heldA: 1n << 62n,
    heldB: null,
    vaultA: testAddress(14),
    vaultB: testAddress(15),
  });
  assert.equal(raydiumClmm.outline(pool, new Map()), null);
});

test("the recorded SOL/USDC pool of mainnet decodes and quotes", (t) => {
  const folder = sharedPath(t, "mainnet");
  if (folder === null) return;
  const accounts = readRecordedAccounts(folder);
  const mainnetPool = address("3ucNos4NbumPLZNWztqGHNFFgkHeRMBQAVemeeomsUxv");
  const state = decodedState(raydiumClmm, mainnetPool, accounts);
  for (const inputMint of [USDC, WSOL]) {
    const order = { inputMint, amountIn: 100_000_000n, clock: CLOCK };
    assert.equal(raydiumClmm.quoteExactIn(state, order).kind, "filled");
  }
});

test("a pool was written at the last update of a reward that has begun, never at one's opening time", () => {
  const writtenAt = (rewards: readonly (readonly [openTime: bigint, lastUpdate: bigint])[]) => {
    const accounts = edited(pool, (writer) => {
      for (const [index, [openTime, lastUpdate]] of rewards.entries()) {
        const base = POOL_STATE.rewardInfos + index * REWARD_INFO.length;
        writer.u64(base + REWARD_INFO.openTime, openTime);
        writer.u64(base + REWARD_INFO.lastUpdateTime, lastUpdate);
      }
    });
    return raydiumClmm.writtenAt?.(decodedState(raydiumClmm, pool, accounts));
  };
  const now = CLOCK.unixTimestamp;
  assert.equal(writtenAt([]), 0n);
  assert.equal(writtenAt([[now + 900n, now + 900n]]), 0n, "it has not begun");
  const begun = [now - 900n, now + 1n] as const;
  assert.equal(writtenAt([[now - 900n, now - 300n], begun, [now + 900n, now + 900n]]), now + 1n);
});
