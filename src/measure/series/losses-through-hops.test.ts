import assert from "node:assert/strict";
import { test } from "node:test";
import { address } from "#src/units/address.ts";
import { USDC } from "#src/units/known-addresses.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import { marketOf, poolOfSol, SOL, usdcPool } from "#test/support/markets/markets.ts";
import { constantProductPool } from "#test/support/pools/pools.ts";
import { assess } from "../assess.ts";
import type { Assessment } from "../assessment.ts";
import { applySample, type DeteriorationChange, initialDeterioration } from "./deterioration.ts";
import { causeOf, lossesBetween, NO_LOSSES } from "./losses.ts";

const OTHER = address("Xbase11111111111111111111111111111111111111");
const START_MS = 1_790_000_000_000;

/** The token's one pool pays another token, worth 200 SOL here. */
const ownPool = constantProductPool({
  ...{ base: 100_000n * SOL, quote: 200_000n * SOL, quoteMint: OTHER },
});

function hop(sol: number, lamportsPerUnit = 0.001): QuotablePool {
  return poolOfSol(sol, lamportsPerUnit, { number: 2, baseMint: OTHER });
}

function through(...hopPools: readonly QuotablePool[]): Assessment {
  return assess(marketOf([ownPool], { hopPools }));
}

function sold(pool: QuotablePool, units: bigint): QuotablePool {
  const sale = pool.sell(units);
  assert.ok(sale.kind === "filled");
  return sale.after;
}

/** The changes of the alert after ten quiet minutes, one reading every ten seconds. */
function judged(readings: readonly Assessment[]): readonly DeteriorationChange[] {
  const state = initialDeterioration();
  const quiet = Array.from({ length: 60 }, () => readings[0]);
  let before: Assessment | null = null;
  let timeMs = START_MS;
  return [...quiet, ...readings].flatMap((now) => {
    assert.ok(now?.measurement);
    const losses = before === null ? null : lossesBetween(before, now);
    const { c10Sol } = now.measurement;
    before = now;
    timeMs += 10_000;
    return applySample(state, { timeMs, c10Sol, basis: 1, losses }) ?? [];
  });
}

test("liquidity taken out of a hop is withdrawn, as from the token's own pool", () => {
  const [whole, drained] = [through(hop(1_000)), through(hop(50))];
  const losses = lossesBetween(whole, drained) ?? NO_LOSSES;
  assert.deepEqual(causeOf(losses), { kind: "withdrawn", share: 1 });
  const [change] = judged([whole, drained]);
  assert.deepEqual([change?.kind, change?.deterioration.detector], ["on", "jump"]);
  const back = lossesBetween(drained, whole) ?? NO_LOSSES;
  assert.ok(Math.abs(back.withdrawn + losses.withdrawn) < 1e-9, `${back.withdrawn}`);
});

test("sales in a hop are sold, and purchases in it bought: neither moves liquidity", () => {
  const before = hop(50_000);
  const [dear, cheap] = [through(before), through(sold(before, 20_000_000n * SOL))];
  for (const [from, to, sign] of [[dear, cheap, 1] as const, [cheap, dear, -1] as const]) {
    const losses = lossesBetween(from, to) ?? NO_LOSSES;
    assert.ok(sign * losses.sold > 0.5, `${losses.sold}`);
    assert.ok(Math.abs(losses.withdrawn) < 1e-6, `${losses.withdrawn}`);
  }
});

test("a hop whose price halves over hours by sales alone does not drain the token", () => {
  let pool = hop(50_000);
  const readings = Array.from({ length: 2_160 }, () => {
    pool = sold(pool, 13_900n * SOL);
    return through(pool);
  });
  const [first, last] = [readings[0]?.measurement?.c10Sol, readings.at(-1)?.measurement?.c10Sol];
  assert.ok(first !== undefined && last !== undefined && last < first / 2);
  assert.deepEqual(judged(readings), []);
});

test("what leaves a hop that is far deeper than the token's pool takes nothing", () => {
  const pool = poolOfSol(10, 0.001, { quoteMint: USDC });
  const behind = (sol: number) => assess(marketOf([pool], { hopPools: [usdcPool(sol)] }));
  const { withdrawn } = lossesBetween(behind(50_000), behind(40_000)) ?? NO_LOSSES;
  assert.ok(withdrawn < 1e-3, `${withdrawn}`);
});

test("of two hops in a row the shallow one counts", () => {
  const middle = address("Ybase11111111111111111111111111111111111111");
  const first = (scale: bigint) =>
    constantProductPool({
      ...{ number: 3, baseMint: OTHER, quoteMint: middle },
      ...{ base: scale * 10_000n * SOL, quote: scale * 10_000n * SOL },
    });
  const second = (sol: number) => poolOfSol(sol, 0.001, { number: 4, baseMint: middle });
  const whole = through(first(100n), second(1_000));
  const drained = {
    first: through(first(5n), second(1_000)),
    second: through(first(100n), second(50)),
  };
  for (const [name, after] of Object.entries(drained)) {
    const losses = lossesBetween(whole, after) ?? NO_LOSSES;
    assert.deepEqual(causeOf(losses), { kind: "withdrawn", share: 1 }, name);
    assert.ok(losses.withdrawn > 1, `${name}: ${losses.withdrawn}`);
  }
});

test("a share of an earlier version, without its hops, is compared by its own pool alone", () => {
  const whole = through(hop(1_000));
  const { measurement } = whole;
  assert.ok(measurement);
  const pools = measurement.pools.map(({ hops, ...share }) => {
    assert.ok(hops);
    return share;
  });
  const stored = { ...whole, measurement: { ...measurement, pools } };
  const losses = lossesBetween(stored, through(hop(990))) ?? NO_LOSSES;
  assert.ok(Math.abs(losses.withdrawn) < 1e-6, `${losses.withdrawn}`);
});

test("a hop in place of a drained one is less liquidity; in place of one that is not seen, or of a curve, it is not", () => {
  const small = poolOfSol(50, 0.001, { number: 6, baseMint: OTHER });
  const curve = poolOfSol(1_000, 0.001, { number: 2, baseMint: OTHER, kind: "curve" });
  const whole = through(hop(1_000), small);
  const sight = { isClosed: () => false, isRead: () => true };
  const drained = through(hop(1), small);
  assert.deepEqual(causeOf(lossesBetween(whole, drained, sight) ?? NO_LOSSES), {
    ...{ kind: "withdrawn", share: 1 },
  });
  const unseen = lossesBetween(whole, through(small), { ...sight, isRead: () => false });
  assert.equal(causeOf(unseen ?? NO_LOSSES), null);
  const graduated = lossesBetween(through(curve), through(small), sight);
  assert.equal(causeOf(graduated ?? NO_LOSSES), null);
});
