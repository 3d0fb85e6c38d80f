import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { DemoMarket } from "#demo/market.ts";
import { MARKET_PROGRAMS } from "#demo/programs/all.ts";
import { DEMO_TOKENS } from "#demo/tokens.ts";
import { createRpcSource } from "#src/chain/rpc/rpc-source.ts";
import { slippageAtSize } from "#src/measure/ladder.ts";
import type { KnownHolders } from "#src/measure/questions/share-holders.ts";
import type { StressedExit } from "#src/measure/questions/stress.ts";
import { createLocalNode } from "#src/node/node.ts";
import { systemClock } from "#src/platform/clock.ts";
import { Tracker } from "#src/track/tracker.ts";
import type { Address } from "#src/units/address.ts";
import { ratioToNumber, toNumber } from "#src/units/to-number.ts";
import { VENUES } from "#src/venues/all.ts";
import { closeAfter } from "#test/support/ending.ts";

function mintOf(symbol: string): Address {
  const token = DEMO_TOKENS.find((known) => known.symbol === symbol);
  assert.ok(token);
  return token.mint;
}

/** One PumpSwap pool, three fifths of whose shares were thrown away. */
const STEADY = mintOf("STEADY");
/** One AMM v4 pool with all its shares burned. */
const QUIET = mintOf("QUIET");
/** A CPMM pool with three tenths burned, and two pools of positions. */
const THREE = mintOf("THREE");
/** A pool of one position, and half as much in a pool of shares. */
const DUO = mintOf("DUO");
/** One CPMM pool, four fifths of whose shares are in a lock. */
const TAX = mintOf("TAX");
/** On its curve. */
const CURVE = mintOf("CURVE");

const TWO_MINUTES_SLOTS = 300;

/** The demo market behind a node, tracked as the service does; its time moves by ticks alone. */
async function tracked(t: TestContext) {
  const market = new DemoMarket({
    seed: 3,
    startMs: Date.now(),
    programs: MARKET_PROGRAMS,
    venues: VENUES,
    launchEveryMinutes: null,
  });
  const node = createLocalNode({ ledger: market.ledger });
  const { httpUrl, wsUrl } = await node.listen();
  const source = createRpcSource({
    ...{ httpUrl, wsUrl, origin: "demo" },
    clock: systemClock,
    random: Math.random,
  });
  const failures: unknown[] = [];
  const tracker = new Tracker({
    source,
    venues: VENUES,
    clock: systemClock,
    database: null,
    onFailure: (_what, cause) => failures.push(cause),
  });
  closeAfter(t, async () => {
    await tracker.close();
    await source.close();
    await node.close();
    assert.deepEqual(failures, []);
  });
  const stressed = async (mint: Address): Promise<StressedExit> => {
    assert.equal((await tracker.snapshot(mint)).kind, "assessed");
    const exit = await tracker.stressed(mint);
    assert.ok(exit);
    return exit;
  };
  return { market, tracker, stressed };
}

function onlyHolders({ pools }: StressedExit): KnownHolders {
  const [pool] = pools;
  assert.ok(pool?.holders.kind === "known");
  return pool.holders;
}

function depthOf(assessment: StressedExit["after"]): number {
  return toNumber(assessment?.measurement?.depthLamports ?? -1n);
}

test("the predicted remainder is what is left after the holder has withdrawn", async (t) => {
  const { stressed } = await tracked(t);
  const before = await stressed(STEADY);
  const holders = onlyHolders(before);
  assert.equal(holders.owners.length, 1);
  assert.equal(ratioToNumber(holders.burned, holders.issued).toFixed(6), "0.600000");
  assert.equal(before.withdrawal?.standing, "wallet");

  const later = await tracked(t);
  assert.ok(later.market.script(STEADY, { kind: "liquidity", shareBps: 4_000 }));
  const after = await later.stressed(STEADY);
  const told = depthOf(before.after);
  assert.ok(Math.abs(depthOf(after.now) / told - 1) < 1e-6, `${told} ${depthOf(after.now)}`);
  const [is, was] = [after.now, before.after].map((assessment) => {
    const measurement = assessment?.measurement ?? null;
    return measurement && slippageAtSize(measurement.retail, "10")?.toFixed(2);
  });
  assert.equal(is, was);
  // The rest are shares that cannot be withdrawn.
  assert.equal(after.withdrawal, null);
});

test("locked shares leave the ladder unchanged, and a curve has no shares", async (t) => {
  const { stressed } = await tracked(t);
  for (const mint of [QUIET, CURVE]) {
    const exit = await stressed(mint);
    assert.equal(exit.withdrawal, null);
    assert.ok(exit.now.measurement);
    assert.deepEqual(exit.after, exit.now);
  }
});

test("shares that are locked until a date stay, and the answer has the date", async (t) => {
  const { market, stressed } = await tracked(t);
  const exit = await stressed(TAX);
  const { locks, owners, issued } = onlyHolders(exit);
  const [lock] = locks;
  assert.ok(locks.length === 1 && lock?.terms.kind === "dated");
  assert.equal(lock.locker, "jupiter-lock");
  assert.ok(Math.abs(ratioToNumber(lock.shares, issued) - 0.8) < 1e-6);
  const days = (at: bigint) =>
    Math.round(toNumber(at - market.ledger.clock.unixTimestamp) / 86_400);
  assert.deepEqual([lock.terms.next.at, lock.terms.last.at].map(days), [90, 270]);
  // Now the creator can withdraw only the unlocked fifth, although the whole pool belongs to the creator.
  assert.deepEqual(
    owners.map(({ owner }) => owner),
    [lock.owner],
  );
  const [whole, rest] = [depthOf(exit.now), depthOf(exit.after)];
  assert.ok(Math.abs(rest / whole - 0.8) < 1e-3, `${rest} of ${whole}`);
});

test("a pool of positions whose owner is read counts as one of shares does", async (t) => {
  const { stressed } = await tracked(t);
  const exit = await stressed(DUO);
  assert.deepEqual(exit.pools.map(({ venue, holders }) => [venue, holders.kind]).toSorted(), [
    ["meteora-damm-v1", "known"],
    ["meteora-damm-v2", "known"],
  ]);
  // The new pool's owner leaves, the old one's stays.
  const [whole, rest] = [depthOf(exit.now), depthOf(exit.after)];
  assert.ok(Math.abs(rest / whole - 1 / 3) < 1e-3, `${rest} of ${whole}`);
});

test("owners of positions with ranges of their own are known, and one who leaves takes the whole pool", async (t) => {
  const { stressed } = await tracked(t);
  const exit = await stressed(THREE);
  assert.deepEqual(exit.pools.map(({ venue, holders }) => [venue, holders.kind]).toSorted(), [
    ["meteora-dlmm", "known"],
    ["raydium-clmm", "known"],
    ["raydium-cpmm", "known"],
  ]);
  for (const { venue, holders } of exit.pools) {
    if (holders.kind !== "known" || venue === "raydium-cpmm") continue;
    assert.equal(holders.owners.length, 1);
    assert.equal(holders.owners[0]?.shares, holders.issued);
  }
  // The largest owner is the one of the pool of shares: 70 % of it.
  const leaving = exit.pools.filter(({ leavingLamports }) => leavingLamports !== 0n);
  assert.deepEqual(
    leaving.map(({ venue }) => venue),
    ["raydium-cpmm"],
  );
  const shares = toNumber(exit.withdrawal?.lamports ?? 0n);
  assert.equal((shares / toNumber(leaving[0]?.depthLamports ?? 1n)).toFixed(6), "0.700000");

  // Where that owner has left, and the positions have lost as much, the next one has all of a pool.
  const later = await tracked(t);
  assert.ok(later.market.script(THREE, { kind: "liquidity", shareBps: 7_000 }));
  const left = await later.stressed(THREE);
  const taken = left.pools.find(({ leavingLamports }) => leavingLamports !== 0n);
  assert.equal(taken?.venue, "meteora-dlmm");
  assert.equal(taken.leavingLamports, taken.depthLamports);
});

test("a coin that graduated normally has no owner who could withdraw", async (t) => {
  const { market, stressed } = await tracked(t);
  assert.ok(market.script(CURVE, { kind: "migrate" }));
  const exit = await stressed(CURVE);
  const pool = exit.pools.find(({ venue }) => venue === "pumpswap");
  assert.ok(pool?.holders.kind === "known");
  assert.equal(pool.holders.burned, pool.holders.issued);
  assert.equal(exit.withdrawal, null);
});

test("every named token answers what is left after its holders have sold, also after minutes of trading", async (t) => {
  const { market, tracker } = await tracked(t);
  for (let slot = 0; slot < TWO_MINUTES_SLOTS; slot++) market.tick();
  for (const { mint, symbol } of market.namedTokens) {
    assert.equal((await tracker.snapshot(mint)).kind, "assessed");
    const first = await tracker.holdersFirst(mint);
    assert.ok(first?.holders.kind === "known" && first.steps !== null, symbol);
    assert.deepEqual(
      first.steps.map(({ soldBy }) => soldBy),
      [1, 3, 5, 10, first.holders.sellers.length],
      symbol,
    );
    const { sellers, excluded } = first.holders;
    assert.equal(sellers.length + excluded.length, 20, symbol);
    // The vaults of LaunchLab and DAMM v1 hold more than the pool's part: only their programs are named.
    const reasons: readonly string[] = ["curve", "pool", "program"];
    for (const { reason } of excluded) assert.ok(reasons.includes(reason), `${symbol}: ${reason}`);
    assert.ok(first.holders.unlisted > 0n, symbol);
    const scores = first.steps.map(({ ladder }) => ladder.retail.score);
    assert.deepEqual(
      scores,
      scores.toSorted((a, b) => b - a),
      symbol,
    );
  }
});

test("of the depth of all named tokens at most 5 % has an unknown owner, also after minutes of trading", async (t) => {
  const { market, stressed } = await tracked(t);
  for (let slot = 0; slot < TWO_MINUTES_SLOTS; slot++) market.tick();
  let [whole, unknown] = [0n, 0n];
  const reasons = new Set<string>();
  for (const { mint } of market.namedTokens) {
    for (const { depthLamports, holders, venue } of (await stressed(mint)).pools) {
      whole += depthLamports ?? 0n;
      if (holders.kind !== "unknown") continue;
      unknown += depthLamports ?? 0n;
      reasons.add(`${venue}: ${holders.reason}`);
    }
  }
  const share = ratioToNumber(unknown, whole);
  assert.ok(share <= 0.05, `${(100 * share).toFixed(2)} %: ${[...reasons].join("; ")}`);
  t.diagnostic(`${(100 * share).toFixed(2)} % unknown: ${[...reasons].join("; ")}`);
});
