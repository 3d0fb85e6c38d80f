import assert from "node:assert/strict";
import { test } from "node:test";
import { USDC } from "#src/units/known-addresses.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import type { PoolStatus } from "#src/venues/venue.ts";
import { marketOf, poolOfSol, SOL } from "#test/support/markets/markets.ts";
import { constantProductPool, emptyPool, levelsPool } from "#test/support/pools/pools.ts";
import { assess } from "../assess.ts";
import { causeOf, lossesBetween, NO_LOSSES } from "./losses.ts";

const BASE = 100_000_000_000_000n;

function causeBetween(before: readonly QuotablePool[], after: readonly QuotablePool[]) {
  const losses = lossesBetween(assess(marketOf(before)), assess(marketOf(after)));
  assert.ok(losses);
  return causeOf(losses);
}

const whole = constantProductPool({ base: BASE, quote: 100n * SOL });

test("liquidity taken out of both sides is withdrawn", () => {
  const half = constantProductPool({ base: BASE / 2n, quote: 50n * SOL });
  assert.deepEqual(causeBetween([whole], [half]), { kind: "withdrawn", share: 1 });
});

test("the fall is withdrawn to its full extent", () => {
  const half = constantProductPool({ base: BASE / 2n, quote: 50n * SOL });
  const losses = lossesBetween(assess(marketOf([whole])), assess(marketOf([half])));
  assert.ok(Math.abs((losses?.withdrawn ?? 0) - Math.log(2)) < 1e-4);
});

test("a large sale is sold", () => {
  const sale = whole.sell(BASE / 2n);
  assert.ok(sale.kind === "filled");
  const cause = causeBetween([whole], [sale.after]);
  assert.equal(cause?.kind, "sold");
  assert.ok((cause?.share ?? 0) > 0.95);
});

test("a sale through the bins of a concentrated pool is sold", () => {
  const levels = [
    { price: 0.001, quote: 20n * SOL },
    { price: 0.000_95, quote: 5n * SOL },
    { price: 0.000_8, quote: SOL },
  ];
  const concentrated = levelsPool({ levels });
  const after = levelsPool({ levels: levels.slice(1) });
  assert.equal(causeBetween([concentrated], [after])?.kind, "sold");
});

test("bins emptied without a move of the price are withdrawn", () => {
  const levels = (sol: bigint) => [
    { price: 0.001, quote: sol },
    { price: 0.000_95, quote: sol },
  ];
  const before = levelsPool({ levels: levels(20n * SOL) });
  const after = levelsPool({ levels: levels(2n * SOL) });
  assert.equal(causeBetween([before], [after])?.kind, "withdrawn");
});

test("a raised fee is a raised fee", () => {
  const dearer = constantProductPool({ base: BASE, quote: 100n * SOL, feePpm: 80_000 });
  assert.deepEqual(causeBetween([whole], [dearer]), { kind: "fees", share: 1 });
});

test("what a transfer fee with a maximum takes more of a smaller pool's sale is not a raised fee", () => {
  const taxed = (scale: bigint, { ppm = 50_000, terms = "input 1000/5", ownPpm = 2_500 } = {}) => ({
    ...constantProductPool({
      ...{ base: BASE / scale, quote: (100n * SOL) / scale },
      feePpm: 1e6 - Math.floor(((1e6 - ownPpm) * (1e6 - ppm)) / 1e6),
    }),
    cappedFee: { ppm, terms },
  });
  const halved = causeBetween([taxed(1n)], [taxed(2n, { ppm: 98_000 })]);
  assert.equal(halved?.kind, "withdrawn");
  assert.ok((halved?.share ?? 0) > 0.999, `${halved?.share}`);
  const raised = taxed(1n, { ppm: 98_000, terms: "input 1000/10" });
  assert.deepEqual(causeBetween([taxed(1n)], [raised]), { kind: "fees", share: 1 });
  const dearer = taxed(1n, { ownPpm: 20_000 });
  assert.deepEqual(causeBetween([taxed(1n)], [dearer]), { kind: "fees", share: 1 });
});

test("a paused pool is paused, alone or among others", () => {
  const paused = poolOfSol(100, 0.001, { status: "paused" });
  const small = poolOfSol(10, 0.001, { number: 2 });
  assert.equal(causeBetween([whole], [paused])?.kind, "paused");
  assert.equal(causeBetween([whole, small], [paused, small])?.kind, "paused");
});

test("a pool of which nothing that pays is loaded has lost nothing, alone or among others", () => {
  const unloaded = emptyPool({ cautions: ["partly-loaded"] });
  const small = poolOfSol(10, 0.001, { number: 2 });
  const sight = { isClosed: () => false, isRead: () => false };
  const after = (...pools: readonly QuotablePool[]) => assess(marketOf(pools));
  assert.equal(after(unloaded).pricedWhileBlocked, null);
  const unseen = lossesBetween(after(whole, small), after(unloaded, small), sight);
  assert.equal(Math.abs(unseen?.withdrawn ?? 1), 0);
  const drained = lossesBetween(after(whole, small), after(emptyPool(), small), sight);
  assert.ok((drained?.withdrawn ?? 0) > 1);
});

test("a hop that migrates takes nothing from the pool before it, and a paused one pauses it", () => {
  const pool = poolOfSol(20_000, 0.001, { quoteMint: USDC });
  const small = poolOfSol(10, 0.001, { number: 2 });
  const through = (status: PoolStatus, ...others: readonly QuotablePool[]) => {
    const hopPools = [poolOfSol(1_000, 5, { baseMint: USDC, status })];
    return assess(marketOf([pool, ...others], { hopPools }));
  };
  const [open, migrating] = [through("open", small), through("complete", small)];
  assert.equal(causeOf(lossesBetween(open, migrating) ?? { ...NO_LOSSES, sold: 1 }), null);
  assert.equal(Math.abs(lossesBetween(migrating, open)?.withdrawn ?? 1), 0);
  for (const others of [[], [small]]) {
    const paused = lossesBetween(through("open", ...others), through("paused", ...others));
    assert.deepEqual(causeOf(paused ?? NO_LOSSES), { kind: "paused", share: 1 });
  }
});

test("a curve that graduates to a smaller pool was not emptied by its providers", () => {
  const curve = (status: PoolStatus) => poolOfSol(80, 0.001, { kind: "curve", status });
  const graduated = poolOfSol(40, 0.001, { number: 2 });
  assert.equal(causeBetweenOrNull([curve("open")], [curve("migrated"), graduated]), null);
});

test("a withdrawal is counted while another pool appears, which gives more than it took", () => {
  const less = constantProductPool({ base: (BASE / 10n) * 9n, quote: 90n * SOL });
  const bid = poolOfSol(15, 0.001, { number: 2 });
  const losses = lossesBetween(assess(marketOf([whole])), assess(marketOf([less, bid])));
  assert.ok(Math.abs((losses?.withdrawn ?? 0) + Math.log(0.9)) < 1e-3, `${losses?.withdrawn}`);
});

test("what a pool that appears adds is not a cause, and is kept apart", () => {
  const bid = poolOfSol(15, 0.001, { number: 2 });
  const losses = lossesBetween(assess(marketOf([whole])), assess(marketOf([whole, bid])));
  assert.equal(losses?.withdrawn, 0);
  assert.ok(Math.abs((losses?.appeared ?? 0) - Math.log(1.15)) < 1e-3, `${losses?.appeared}`);
});

test("a pool that is switched on again is not an addition, which would hide a withdrawal", () => {
  const small = poolOfSol(10, 0.001, { number: 2 });
  const off = poolOfSol(10, 0.001, { number: 2, status: "paused" });
  const losses = lossesBetween(assess(marketOf([whole, off])), assess(marketOf([whole, small])));
  assert.equal(Math.abs(losses?.withdrawn ?? 1), 0);
  assert.ok((losses?.paused ?? 0) < 0);
});

test("a rise has no losses, and a gap has none that are known", () => {
  const more = poolOfSol(200);
  assert.equal(causeBetweenOrNull([whole], [more]), null);
  const blocked = assess(marketOf([], { isSearchComplete: false }));
  assert.equal(lossesBetween(assess(marketOf([whole])), blocked), null);
});

function causeBetweenOrNull(before: readonly QuotablePool[], after: readonly QuotablePool[]) {
  const losses = lossesBetween(assess(marketOf(before)), assess(marketOf(after)));
  return losses === null ? null : causeOf(losses);
}
