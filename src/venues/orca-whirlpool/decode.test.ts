import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteWriter } from "#demo/byte-writer.ts";
import { type Address, address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM, USDC, WSOL } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import { type WhirlpoolFixture, whirlpoolFixture } from "#test/support/pools/whirlpools.ts";
import { orcaWhirlpool } from "./adapter.ts";
import type { AdaptiveFee } from "./adaptive-fee.ts";
import {
  DYNAMIC_TICK_ARRAY,
  FIXED_TICK_ARRAY,
  KNOWN_FEE_TIER_INDEXES,
  ORACLE,
  UPGRADEABLE,
  WHIRLPOOL,
} from "./layout.ts";
import { oracleAddress, tickArrayAddress } from "./tick-arrays.ts";
import { sqrtPriceAtTick } from "./tick-math.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };

const FEE: AdaptiveFee = {
  filterPeriod: 30n,
  decayPeriod: 600n,
  reductionFactor: 5000,
  controlFactor: 4000,
  maxAccumulator: 350_000,
  groupSize: 8,
  majorSwapThresholdTicks: 64,
  lastReferenceUpdate: 1_789_999_000n,
  lastMajorSwap: 1_789_998_000n,
  volatilityReference: 1_000,
  groupReference: -3,
  accumulator: 20_000,
};

/** Spacing 8: an array spans 704 ticks; swaps use those that start at -1408 .. 1408. */
const FIELDS: WhirlpoolFixture = {
  tickSpacing: 8,
  sqrtPriceX64: sqrtPriceAtTick(20),
  positions: [
    { lower: -1200, upper: 1600, liquidity: 1_000_000_000n },
    { lower: -160, upper: 712, liquidity: 5_000_000_000n },
  ],
};
const { pool, mintA, mintB } = whirlpoolFixture(FIELDS);
const AT = { pool, programId: UPGRADEABLE.programId };
const ARRAY = (start: number) => tickArrayAddress(AT, start);

type Known = Map<Address, Account | null>;

function edited(fields: WhirlpoolFixture, at: Address, edit: (to: ByteWriter) => void): Known {
  const { known } = whirlpoolFixture(fields);
  const account = known.get(at);
  if (account === undefined || account === null) throw new Error(`no account at ${at}`);
  const data = account.data.slice();
  edit(new ByteWriter(data));
  return known.set(at, { ...account, data });
}

function reasonOf(known: ReadonlyMap<Address, Account | null>): string {
  const decoded = orcaWhirlpool.decode(pool, known);
  return decoded.kind === "pool" ? "pool" : decoded.reason;
}

function ticksOf(known: ReadonlyMap<Address, Account | null>): readonly number[] {
  return [...decodedState(orcaWhirlpool, pool, known).arrays.values()]
    .flatMap(({ ticks }) => ticks.map(({ tick }) => tick))
    .sort((a, b) => a - b);
}

test("fixed and dynamic arrays hold the same ticks", () => {
  for (const arrayKind of ["fixed", "dynamic"] as const) {
    const { known } = whirlpoolFixture({ ...FIELDS, arrayKind });
    assert.deepEqual(ticksOf(known), [-1200, -160, 712, 1600]);
    assert.equal(decodedState(orcaWhirlpool, pool, known).liquidity, 6_000_000_000n);
  }
});

test("the pool names its vaults, mints and the arrays of both directions", () => {
  const { known } = whirlpoolFixture(FIELDS);
  assert.deepEqual(orcaWhirlpool.accountsNeeded(pool, new Map()), [pool]);
  assert.deepEqual(new Set(orcaWhirlpool.accountsNeeded(pool, known)), new Set(known.keys()));
});

test("selling token B from the last slot of an array begins with the next one", () => {
  const atEnd = { ...FIELDS, sqrtPriceX64: sqrtPriceAtTick(700) };
  const { known } = whirlpoolFixture(atEnd);
  const needed = orcaWhirlpool.accountsNeeded(pool, known);
  for (const start of [-1408, -704, 0, 704, 1408, 2112]) {
    assert.ok(needed.includes(ARRAY(start)), String(start));
  }
});

test("only a pool of its own fee tier names an Oracle, and reads its fee there", () => {
  const adaptive = { ...FIELDS, adaptiveFee: FEE, tradeEnableTimestamp: 5n };
  const { known } = whirlpoolFixture(adaptive);
  assert.ok(orcaWhirlpool.accountsNeeded(pool, known).includes(oracleAddress(AT)));
  assert.deepEqual(decodedState(orcaWhirlpool, pool, known).adaptiveFee, FEE);
  assert.equal(decodedState(orcaWhirlpool, pool, known).tradeEnableTimestamp, 5n);
  known.set(oracleAddress(AT), null);
  assert.equal(decodedState(orcaWhirlpool, pool, known).adaptiveFee, null);
  known.delete(oracleAddress(AT));
  assert.equal(reasonOf(known), "missing-account");
});

test("an array that does not exist is empty, one that was not delivered ends the pool", () => {
  const { known } = whirlpoolFixture(FIELDS);
  const sell = (amountIn: bigint) =>
    orcaWhirlpool.quoteExactIn(decodedState(orcaWhirlpool, pool, known), {
      inputMint: mintA,
      amountIn,
      clock: CLOCK,
    });
  const before = sell(100_000_000n);
  known.set(ARRAY(-704), null);
  assert.deepEqual(orcaWhirlpool.cautions(decodedState(orcaWhirlpool, pool, known)), []);
  assert.notDeepEqual(sell(100_000_000n), before);
  known.delete(ARRAY(-704));
  assert.deepEqual(orcaWhirlpool.cautions(decodedState(orcaWhirlpool, pool, known)), [
    "partly-loaded",
  ]);
  assert.deepEqual(sell(100_000_000n), { kind: "unfillable", reason: "insufficient-liquidity" });
});

test("an address that only holds lamports does not exist", () => {
  const { known } = whirlpoolFixture({ ...FIELDS, adaptiveFee: FEE });
  const unused = { owner: SYSTEM_PROGRAM, lamports: 5n, data: new Uint8Array(), slot: 1n };
  known.set(ARRAY(-704), unused).set(oracleAddress(AT), unused);
  assert.deepEqual(ticksOf(known), [-1200, 712, 1600]);
  assert.equal(decodedState(orcaWhirlpool, pool, known).adaptiveFee, null);
});

test("each account that is missing is named, but for tick arrays", () => {
  for (const gone of [pool, testAddress(22), testAddress(23), testAddress(24), testAddress(25)]) {
    const { known } = whirlpoolFixture(FIELDS);
    known.delete(gone);
    assert.equal(reasonOf(known), "missing-account", gone);
  }
  const { known } = whirlpoolFixture(FIELDS);
  known.delete(ARRAY(0));
  assert.equal(reasonOf(known), "missing-account", "the array around the price");
});

test("accounts of another owner or length are set aside with a reason", () => {
  for (const arrayKind of ["fixed", "dynamic"] as const) {
    const fields = { ...FIELDS, arrayKind, adaptiveFee: FEE };
    for (const [at, account] of whirlpoolFixture(fields).accounts) {
      const foreign = whirlpoolFixture(fields).known.set(at, { ...account, owner: SYSTEM_PROGRAM });
      assert.equal(reasonOf(foreign), "undecodable", at);
      const cut = { ...account, data: account.data.slice(0, 40) };
      assert.equal(reasonOf(whirlpoolFixture(fields).known.set(at, cut)), "undecodable", at);
    }
  }
  const { known, accounts } = whirlpoolFixture(FIELDS);
  const before = accounts.get(pool);
  if (before === undefined) throw new Error("the fixture has no pool");
  const grown = new Uint8Array(before.data.length + 1);
  grown.set(before.data);
  assert.equal(reasonOf(known.set(pool, { ...before, data: grown })), "undecodable");
});

test("fields out of range are set aside with a reason", () => {
  const adaptive = { ...FIELDS, adaptiveFee: FEE };
  const dynamic = { ...FIELDS, arrayKind: "dynamic" as const };
  for (const known of [
    edited(FIELDS, pool, (to) => to.u16(WHIRLPOOL.tickSpacing, 0)),
    edited(FIELDS, pool, (to) => to.u16(WHIRLPOOL.feeRate, 60_001)),
    edited(FIELDS, pool, (to) => to.i32(WHIRLPOOL.tickCurrentIndex, 443_637)),
    edited(FIELDS, pool, (to) => to.i32(WHIRLPOOL.tickCurrentIndex, 18)),
    edited(FIELDS, pool, (to) => to.u128(WHIRLPOOL.sqrtPrice, 1n)),
    edited(FIELDS, testAddress(24), (to) => to.address(0, WSOL)),
    edited(FIELDS, ARRAY(704), (to) => to.i32(FIXED_TICK_ARRAY.startTickIndex, 0)),
    edited(FIELDS, ARRAY(704), (to) => to.address(FIXED_TICK_ARRAY.whirlpool, WSOL)),
    edited(dynamic, ARRAY(704), (to) => to.u128(DYNAMIC_TICK_ARRAY.tickBitmap, 0n)),
    edited(dynamic, ARRAY(704), (to) => to.u128(DYNAMIC_TICK_ARRAY.tickBitmap, 7n)),
    edited(adaptive, oracleAddress(AT), (to) => to.u16(ORACLE.tickGroupSize, 0)),
    edited(adaptive, oracleAddress(AT), (to) => to.u32(ORACLE.maxVolatilityAccumulator, 2 ** 31)),
    edited(adaptive, oracleAddress(AT), (to) => to.address(ORACLE.whirlpool, WSOL)),
  ]) {
    assert.equal(reasonOf(known), "undecodable");
  }
});

test("a frozen vault sells nothing", () => {
  const state = decodedState(
    orcaWhirlpool,
    pool,
    edited(FIELDS, testAddress(25), (to) => to.u8(108, 2)),
  );
  assert.equal(orcaWhirlpool.status(state, CLOCK), "paused");
  const order = { inputMint: mintA, amountIn: 5n, clock: CLOCK };
  assert.deepEqual(orcaWhirlpool.quoteExactIn(state, order), {
    kind: "unfillable",
    reason: "paused",
  });
});

test("pools are searched on both sides of the pair, and each configuration has its place", () => {
  const { configured, filters } = orcaWhirlpool.search(USDC, WSOL);
  assert.equal(configured().length, KNOWN_FEE_TIER_INDEXES.length);
  // SOL/USDC at spacing 64, the best known pool of all.
  assert.ok(configured().includes(address("HJPjoWUrhoZzkNfRpHuieeFk9WcZWjwy6PBjZ81ngndJ")));
  assert.deepEqual(
    filters.map(({ memcmp }) => memcmp),
    [
      [
        { offset: 101, bytes: USDC },
        { offset: 181, bytes: WSOL },
      ],
      [
        { offset: 181, bytes: USDC },
        { offset: 101, bytes: WSOL },
      ],
    ],
  );
  assert.equal(
    orcaWhirlpool.search(testAddress(9), null).configured().length,
    4 * KNOWN_FEE_TIER_INDEXES.length,
  );
});

test("tick arrays have the addresses that mainnet uses", () => {
  const pool = address("HJPjoWUrhoZzkNfRpHuieeFk9WcZWjwy6PBjZ81ngndJ");
  const solUsdc = { pool, programId: UPGRADEABLE.programId };
  assert.equal(tickArrayAddress(solUsdc, -11_264), "81T5kNuPRkyVzhwbe2RpKR7wmQpGJ7RBkGPdTqyfa5vq");
  assert.equal(tickArrayAddress(solUsdc, 5632), "BW2Mr823NUQN7vnVpv5E6yCTnqEXQ3ZnqjZyiywXPcUp");
});

test("the outline names the pair and the vault balances", () => {
  const { known } = whirlpoolFixture(FIELDS);
  known.delete(testAddress(25));
  assert.deepEqual(orcaWhirlpool.outline(pool, known), {
    mintA,
    mintB,
    heldA: 1n << 62n,
    heldB: null,
    vaultA: testAddress(24),
    vaultB: testAddress(25),
  });
  assert.equal(orcaWhirlpool.outline(pool, new Map()), null);
});
