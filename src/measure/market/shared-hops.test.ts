import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { address } from "#src/units/address.ts";
import { USDC } from "#src/units/known-addresses.ts";
import { marketOf, poolOfSol, SOL, usdcPool } from "#test/support/markets/markets.ts";
import { levelsPool } from "#test/support/pools/pools.ts";
import { assess } from "../assess.ts";
import { priceMarket } from "./priced-market.ts";
import { sharedHops } from "./shared-hops.ts";

/** A token that anyone made: of it, a pool holds any amount for nothing. */
const OTHER = address("Xbase11111111111111111111111111111111111111");
const MIDDLE = address("Ybase11111111111111111111111111111111111111");

const honest = poolOfSol(100, 0.001, { number: 1 });
/** All SOL that the pools behind it can pay: 5 % of the honest near depth. */
const hop = levelsPool({
  ...{ number: 500, baseMint: OTHER, feePpm: 100 },
  levels: [{ price: 1, quote: (26n * SOL) / 100n }],
});

/** Pools that bid for the token at so many times the market, each in far more of the other token than the hop buys. */
function bidders(count: number, multiple: number) {
  return Array.from({ length: count }, (_, index) =>
    levelsPool({
      ...{ number: 2 + index, quoteMint: OTHER, feePpm: 100 },
      levels: [{ price: 0.001 * multiple, quote: 1_000_000n * SOL }],
    }),
  );
}

describe("routes that lead through one hop", () => {
  for (const multiple of [0.91, 1.02, 1.2, 3]) {
    test(`38 bids at ${multiple} times the market weigh no more than one: the hop pays once`, () => {
      const answers = [1, 38].map((count) =>
        assess(marketOf([honest, ...bidders(count, multiple)], { hopPools: [hop] })),
      );
      const [one, many] = answers.map(({ measurement, findings }) => {
        assert.ok(measurement);
        const { midPrice, retail, pro, c10Sol } = measurement;
        return { midPrice, retail, pro, c10Sol, findings };
      });
      assert.deepEqual(many, one);
      assert.deepEqual(many?.midPrice, honest.spotPrice);
    });
  }

  test("together have no more near depth than the hop pays, also through a second hop", () => {
    const first = levelsPool({
      ...{ number: 501, baseMint: OTHER, quoteMint: MIDDLE },
      levels: [{ price: 1, quote: 1_000_000n * SOL }],
    });
    const last = levelsPool({ number: 502, baseMint: MIDDLE, levels: [{ price: 1, quote: SOL }] });
    const direct = levelsPool({
      ...{ number: 90, quoteMint: MIDDLE },
      levels: [{ price: 0.001, quote: 1_000_000n * SOL }],
    });
    const pools = [honest, ...bidders(10, 1), direct];
    const { routes } = priceMarket(marketOf(pools, { hopPools: [first, last] }));
    const behind = routes.filter(({ hops }) => hops.length > 0);
    const near = behind.reduce((sum, { nearDepthLamports }) => sum + nearDepthLamports, 0n);
    assert.equal(behind.length, 11);
    assert.ok(near <= SOL && near > (9n * SOL) / 10n, `${near}`);
  });

  test("one alone has no more near depth either than its hop pays", () => {
    const nearDepthOf = (sol: number) => {
      const shallow = poolOfSol(sol, 1, { number: 500, baseMint: OTHER });
      const pool = poolOfSol(100_000, 0.001, { number: 2, quoteMint: OTHER });
      const [route] = priceMarket(marketOf([pool], { hopPools: [shallow] })).routes;
      return Number(route?.nearDepthLamports) / 1e9;
    };
    assert.ok(Math.abs(nearDepthOf(1) - 0.051) < 0.001);
    assert.ok(Math.abs(nearDepthOf(1e12) - 5_106) < 1);
  });

  test("keep their own near depth where the hop pays more than all of them", () => {
    const inUsdc = (number: number) => poolOfSol(100, 0.000_2, { number, quoteMint: USDC });
    const depthsOf = (numbers: readonly number[]) =>
      priceMarket(
        marketOf([honest, ...numbers.map(inUsdc)], { hopPools: [usdcPool(10_000_000)] }),
      ).routes.map(({ nearDepthLamports }) => nearDepthLamports);
    const [, alone] = depthsOf([2]);
    const [, first, second] = depthsOf([2, 3]);
    assert.equal(first, second);
    assert.ok(Math.abs(Number(first) / Number(alone) - 1) < 0.01, `${first}, ${alone}`);
  });
});

describe("the depth of pools behind one hop is what the hop pays", () => {
  const shallow = poolOfSol(5, 1, { number: 500, baseMint: OTHER });
  const inOther = (number: number) => poolOfSol(100, 0.001, { number, quoteMint: OTHER });
  const twenty = Array.from({ length: 20 }, (_, index) => inOther(2 + index));

  test("once, however many pools there are, and whatever leads to it from farther away", () => {
    const depthOf = (...[pools, changes]: Parameters<typeof marketOf>) =>
      assess(marketOf(pools, changes)).measurement?.depthLamports;
    assert.equal(depthOf(twenty, { hopPools: [shallow] }), 5n * SOL);
    assert.equal(depthOf([honest, ...twenty], { hopPools: [shallow] }), 105n * SOL);
    const first = poolOfSol(3, 1, { number: 501, baseMint: MIDDLE, quoteMint: OTHER });
    const inMiddle = [90, 91].map((number) => poolOfSol(100, 0.001, { number, quoteMint: MIDDLE }));
    assert.equal(depthOf(inMiddle, { hopPools: [first, shallow] }), 3n * SOL);
    const all = [honest, ...twenty, ...inMiddle];
    assert.equal(depthOf(all, { hopPools: [first, shallow] }), 105n * SOL);
  });

  test("and stays the sum of the pools where the hop pays more", () => {
    const pools = [2, 3].map((number) => poolOfSol(100, 0.000_2, { number, quoteMint: USDC }));
    const { measurement } = assess(marketOf(pools, { hopPools: [usdcPool()] }));
    assert.equal(measurement?.depthLamports, 1_000n * SOL);
  });

  test("so they do not let a full curve count as migrated", () => {
    const full = poolOfSol(85, 0.001, {
      ...({ kind: "curve", number: 1, status: "complete" } as const),
      ...({ family: "pump", venue: "pump-curve" } as const),
    });
    const { phase, blocked } = assess(marketOf([full, ...twenty], { hopPools: [shallow] }));
    assert.deepEqual([phase, blocked], ["migrating", "migrating"]);
  });

  test("nor does what it pays bound what a full curve in another token holds", () => {
    const full = poolOfSol(85, 0.001, {
      ...({ kind: "curve", number: 1, status: "complete", quoteMint: OTHER } as const),
      ...({ family: "pump", venue: "pump-curve" } as const),
    });
    for (const stranger of [poolOfSol(6, 0.001, { number: 2 }), inOther(2)]) {
      const { phase } = assess(marketOf([full, stranger], { hopPools: [shallow] }));
      assert.equal(phase, "migrating");
    }
  });
});

test("the hops that routes share are found with those behind them, the farthest first", () => {
  const usdc = usdcPool();
  const other = poolOfSol(10, 1, { number: 500, baseMint: OTHER, quoteMint: USDC });
  const routes = [[other, usdc], [], [usdc], [other, usdc]].map((hops) => ({ hops }));
  assert.deepEqual(sharedHops(routes), [
    { hops: [other, usdc], places: [0, 3] },
    { hops: [usdc], places: [0, 2, 3] },
  ]);
  assert.deepEqual(sharedHops(routes.slice(0, 2)), []);
});
