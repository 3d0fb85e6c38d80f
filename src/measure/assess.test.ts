import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { USDC, USDT } from "#src/units/known-addresses.ts";
import { ratioToNumber } from "#src/units/to-number.ts";
import {
  marketOf,
  PLAIN_TOKEN,
  poolOfSol,
  SOL,
  SOMEBODY,
  usdcPool,
} from "#test/support/markets/markets.ts";
import {
  constantProductPool,
  emptyPool,
  levelsPool,
  poolAddress,
  TOKEN,
} from "#test/support/pools/pools.ts";
import { assess } from "./assess.ts";
import type { Assessment, Measurement } from "./assessment.ts";
import { slippageAtSize } from "./ladder.ts";
import type { Market, UnpricedPool } from "./market/market.ts";

function measured(assessment: Assessment): Measurement {
  assert.equal(assessment.blocked, null);
  assert.ok(assessment.measurement);
  return assessment.measurement;
}

function midOf(measurement: Measurement): number {
  assert.ok(measurement.midPrice);
  return ratioToNumber(measurement.midPrice.numerator, measurement.midPrice.denominator);
}

function unpricedPool(changes: Partial<UnpricedPool> = {}): UnpricedPool {
  return {
    venue: "meteora-dlmm",
    family: "meteora",
    kind: "amm",
    address: poolAddress(77),
    reason: "undecodable",
    detail: "test",
    quoteHeld: 0n,
    quoteMint: poolOfSol(1).quoteMint,
    ...changes,
  };
}

describe("one constant-product pool", () => {
  const pool = constantProductPool({
    base: 120_000_000_000_000n,
    quote: 412n * SOL,
    feePpm: 3_000,
  });
  const { retail, pro, ...rest } = measured(assess(marketOf([pool])));

  test("slippage is 100 * (1 - paid / size) of floor(size / mid) units, rounded up to 4 decimals", () => {
    const position = (5n * SOL * 120_000_000_000_000n) / (412n * SOL);
    const paid = pool.quote(position) ?? 0n;
    const exact = 100 * (1 - Number(paid) / 5e9);
    const pct = slippageAtSize(retail, "5");
    assert.ok(pct !== null && pct >= exact && pct < exact + 1e-4 + 1e-9);
    assert.equal(Math.round(pct * 1e4) / 1e4, pct);
  });

  test("both profiles have the same slippages where there is only one route", () => {
    assert.deepEqual(pro.slippagesPct, retail.slippagesPct);
  });

  test("the score weighs each profile's own sizes", () => {
    const half = (pct: number | null) => 1 / (1 + ((pct ?? Number.NaN) / 10) ** 2);
    const [least = 0, one = 0, two = 0, five = 0] = retail.slippagesPct.map(half);
    const expected = 30 * least + 30 * one + 25 * two + 15 * five;
    assert.equal(retail.score, Math.round(10 * expected) / 10);
    assert.ok(pro.score < retail.score);
  });

  test("the largest exit is the largest standard size below 10 %", () => {
    assert.equal(retail.exitMaxSol, 10);
    assert.ok((slippageAtSize(retail, "50") ?? 0) > 10);
  });

  test("the exit capacity sells within 10 %, and a hair more does not", () => {
    const loss = (sol: number) => {
      const size = BigInt(Math.round(sol * 1e9));
      const paid = pool.quote((size * 120_000_000_000_000n) / (412n * SOL)) ?? 0n;
      return 1 - Number(paid) / Number(size);
    };
    assert.ok(loss(rest.c10Sol) <= 0.1);
    assert.ok(loss(rest.c10Sol * 1.000_002) > 0.1);
  });

  test("depth is the real quote reserve", () => {
    assert.equal(rest.depthLamports, 412n * SOL);
  });
});

describe("the mid holds against hostile pools", () => {
  const honest = poolOfSol(100, 0.001, { number: 1 });
  const alone = measured(assess(marketOf([honest])));

  const hostile = {
    "a huge bid far below the market": levelsPool({
      number: 2,
      levels: [{ price: 0.000_01, quote: 100_000n * SOL }],
    }),
    "a sliver far above the market": poolOfSol(0.5, 0.1, { number: 2 }),
    "a pool whose fee eats what it pays above the market": poolOfSol(50, 0.0019, {
      number: 2,
      feePpm: 500_000,
    }),
    "an empty pool": emptyPool({ number: 2 }),
    "a paused giant": poolOfSol(100_000, 0.01, { number: 2, status: "paused" }),
    "a giant that is not open yet": poolOfSol(100_000, 0.01, { number: 2, status: "not-open-yet" }),
    "empty bins above the market": levelsPool({
      number: 2,
      levels: [
        { price: 0.1, quote: 0n },
        { price: 0.000_89, quote: 10n * SOL },
      ],
    }),
    "a sliver in the top bin of a pool that bids low": levelsPool({
      number: 2,
      levels: [
        { price: 0.1, quote: SOL / 100n },
        { price: 0.000_01, quote: 1_000n * SOL },
      ],
    }),
  };
  for (const [name, pool] of Object.entries(hostile)) {
    test(`${name} does not move it, nor makes selling dearer`, () => {
      for (const pools of [
        [honest, pool],
        [pool, honest],
      ]) {
        const measurement = measured(assess(marketOf(pools)));
        assert.equal(midOf(measurement), midOf(alone));
        for (const size of ["0.5", "5", "50"] as const) {
          const before = slippageAtSize(alone.retail, size) ?? Number.NaN;
          const after = slippageAtSize(measurement.retail, size) ?? Number.NaN;
          assert.ok(after <= before, `${size}: ${after} > ${before}`);
        }
        assert.ok(measurement.c10Sol >= alone.c10Sol * 0.999_99);
      }
    });
  }

  test("a paused giant adds no depth", () => {
    const giant = poolOfSol(100_000, 0.001, { number: 2, status: "paused" });
    const { depthLamports } = measured(assess(marketOf([honest, giant])));
    assert.equal(depthLamports, alone.depthLamports);
  });

  test("an undecodable giant blocks, and one whose vault can't be read does not", () => {
    const giant = unpricedPool({ quoteHeld: 101n * SOL });
    assert.equal(assess(marketOf([honest], { unpriced: [giant] })).blocked, "unpriced-majority");
    const dark = unpricedPool({ quoteHeld: null });
    const assessment = assess(marketOf([honest], { unpriced: [dark] }));
    assert.deepEqual(measured(assessment), alone);
    assert.deepEqual(assessment.findings, [
      { kind: "unpriced-pools", sharePct: null, venues: ["meteora-dlmm"], quoteMints: [] },
    ]);
  });

  test("an undecodable giant blocks too where it alone holds its stable", () => {
    const giant = unpricedPool({ quoteHeld: 21_000_000_000n, quoteMint: USDC });
    const weighed = (hopPools: Market["hopPools"]) =>
      assess(marketOf([honest], { unpriced: [giant], hopPools })).blocked;
    assert.equal(weighed([usdcPool()]), "unpriced-majority");
    assert.equal(weighed([]), null);
  });

  test("what an undecodable giant holds of another token counts for no more than can be sold of it", () => {
    const other = poolAddress(700);
    const pools = [honest, poolOfSol(1, 0.001, { number: 2, quoteMint: other })];
    const hopPools = [poolOfSol(3, 1, { number: 3, baseMint: other })];
    const giants = [77, 78, 79].map((number) =>
      unpricedPool({ address: poolAddress(number), quoteMint: other, quoteHeld: 10n ** 18n }),
    );
    const { blocked, findings } = assess(marketOf(pools, { unpriced: giants, hopPools }));
    assert.equal(blocked, null);
    assert.deepEqual(findings, []);
  });

  test("where all pools are slivers, the one with more near depth still gives a mid", () => {
    const low = poolOfSol(0.1, 0.001, { number: 1 });
    const high = poolOfSol(0.01, 0.001_25, { number: 2 });
    assert.equal(midOf(measured(assess(marketOf([low, high])))), 0.001);
  });
});

describe("what can't be sold whole is null", () => {
  test("a position above the supply", () => {
    const pool = poolOfSol(100);
    const token = { ...PLAIN_TOKEN, supply: 3_000_000_000_000n };
    const { retail } = measured(assess(marketOf([pool], { token })));
    assert.notEqual(slippageAtSize(retail, "2"), null);
    assert.equal(slippageAtSize(retail, "5"), null);
  });

  test("a size beyond the real quote of a pool with virtual reserves", () => {
    const pool = poolOfSol(100, 0.001, { realQuote: 3n * SOL, kind: "curve" });
    const { retail, c10Sol } = measured(assess(marketOf([pool])));
    assert.notEqual(slippageAtSize(retail, "2"), null);
    assert.equal(slippageAtSize(retail, "5"), null);
    assert.ok(c10Sol > 2.9 && c10Sol < 3.2);
  });

  test("everything where a complete search found only empty pools, and the zeros are an answer", () => {
    const { midPrice, depthLamports, c10Sol, retail, pro } = measured(
      assess(marketOf([emptyPool()])),
    );
    assert.deepEqual([midPrice, depthLamports, c10Sol], [null, 0n, 0]);
    for (const ladder of [retail, pro]) {
      assert.deepEqual([ladder.score, ladder.exitMaxSol], [0, 0]);
      assert.ok(ladder.slippagesPct.every((pct) => pct === null));
    }
  });
});

describe("the family", () => {
  test("has the most near depth; a giant bid far below does not count", () => {
    const near = poolOfSol(50, 0.001, { number: 1, family: "meteora", venue: "meteora-damm-v2" });
    const levels = [{ price: 0.0005, quote: 5_000n * SOL }];
    const far = levelsPool({ number: 2, family: "raydium", levels });
    assert.equal(assess(marketOf([near, far])).family, "meteora");
  });

  test("other: 50 SOL is never answered, and scored as it was measured", () => {
    const shape = { family: "other", venue: "orca-whirlpool" } as const;
    const { pro, c10Sol } = measured(assess(marketOf([poolOfSol(100_000, 0.001, shape)])));
    assert.equal(slippageAtSize(pro, "50"), null);
    assert.equal(pro.exitMaxSol, 10);
    assert.ok(pro.score > 99);
    assert.equal(c10Sol, 1_000);
  });
});

describe("stable-quoted pools", () => {
  const stableShape = { number: 3, quoteMint: USDC } as const;
  // 0.0002 millionths of a USDC a unit, at 5 lamports each, is 0.001 lamports.
  const stablePool = constantProductPool({
    ...stableShape,
    base: 100_000_000_000_000n,
    quote: 20_000_000_000n,
  });

  test("pay SOL through the deepest SOL pool of that stable", () => {
    const deep = usdcPool(50_000);
    const shallow = poolOfSol(10, 5, { number: 8, baseMint: USDC });
    const { retail, depthLamports } = measured(
      assess(marketOf([stablePool], { hopPools: [shallow, deep] })),
    );
    const units = (SOL * 100_000_000_000_000n) / (20_000_000_000n * 5n);
    const paid = deep.quote(stablePool.quote(units) ?? 0n) ?? 0n;
    const pct = slippageAtSize(retail, "1") ?? Number.NaN;
    assert.ok(Math.abs(pct - 100 * (1 - Number(paid) / 1e9)) < 2e-4);
    assert.equal(depthLamports, 100n * SOL);
  });

  test("a deep SOL pool that buys the stable far below the market is not the hop", () => {
    const honest = usdcPool(10_000);
    const trap = levelsPool({
      number: 8,
      baseMint: USDC,
      levels: [{ price: 0.05, quote: 1_000_000n * SOL }],
    });
    const stables = { hopPools: [trap, honest] };
    assert.deepEqual(
      measured(assess(marketOf([stablePool], stables))),
      measured(assess(marketOf([stablePool], { hopPools: [honest] }))),
    );
  });

  test("without any SOL pool of the stable they are known and not priced", () => {
    assert.equal(assess(marketOf([stablePool])).blocked, "unpriced-majority");
    const beside = assess(marketOf([poolOfSol(100), stablePool]));
    assert.deepEqual(
      beside.findings.map((finding) => finding.kind),
      ["unpriced-pools"],
    );
  });

  test("two pools that share a hop pay less than two hops would, and at least the better one", () => {
    const hop = usdcPool(20);
    const twin = constantProductPool({
      number: 4,
      quoteMint: USDC,
      base: 100_000_000_000_000n,
      quote: 20_000_000_000n,
    });
    const { retail, pro } = measured(assess(marketOf([stablePool, twin], { hopPools: [hop] })));
    const pct = (ladder: typeof pro) => slippageAtSize(ladder, "10") ?? Number.NaN;
    assert.ok(pct(pro) < pct(retail));
    // Half of the position in each pool, each through a hop of its own, would lose only this:
    const units = (5n * SOL * 100_000_000_000_000n) / (20_000_000_000n * 5n);
    const apart = hop.quote(stablePool.quote(units) ?? 0n) ?? 0n;
    assert.ok(pct(pro) > 100 * (1 - (2 * Number(apart)) / 1e10));
  });

  test("a stable as the token uses its SOL pools only", () => {
    const direct = poolOfSol(50_000, 5, { baseMint: USDC });
    const cross = constantProductPool({
      number: 5,
      baseMint: USDC,
      quoteMint: USDT,
      base: 1_000_000_000_000n,
      quote: 1_000_000_000_000n,
    });
    const token = { ...PLAIN_TOKEN, freezeAuthority: SOMEBODY, supply: 10n ** 16n };
    const assessment = assess(
      marketOf([direct, cross], { mint: USDC, token, hopPools: [usdcPool()] }),
    );
    assert.equal(measured(assessment).pools.length, 1);
    assert.deepEqual(
      assessment.findings.map(({ kind }) => kind),
      ["unpriced-pools", "freeze-authority"],
    );
  });
});

describe("a token is blocked", () => {
  const pool = poolOfSol(100);
  const reasonOf = (changes: Parameters<typeof marketOf>[1], pools = [pool]) =>
    assess(marketOf(pools, changes)).blocked;

  test("when the state is older than ten minutes, and not before", () => {
    const stateTimeMs = 1_790_000_000_000;
    assert.equal(reasonOf({ nowMs: stateTimeMs + 600_001 }), "stale");
    assert.equal(reasonOf({ nowMs: stateTimeMs + 600_000 }), null);
  });

  test("when the search was incomplete and found none, or only a curve that has closed", () => {
    const closed = poolOfSol(1, 0.001, { kind: "curve", status: "migrated" });
    assert.equal(reasonOf({ isSearchComplete: false }, []), "search-incomplete");
    assert.equal(reasonOf({ isSearchComplete: false }, [closed]), "search-incomplete");
    assert.equal(reasonOf({ isSearchComplete: false }), null);
  });

  test("when its only pool can't be read: empty would be a guess", () => {
    const unpriced = [unpricedPool({ quoteHeld: null, reason: "missing-account" })];
    assert.equal(reasonOf({ unpriced }, []), "unpriced-majority");
  });

  test("when nothing can be sold and a part of a pool is not loaded: it may have liquidity there", () => {
    const unloaded = emptyPool({ cautions: ["partly-loaded"] });
    assert.equal(reasonOf({}, [unloaded]), "unpriced-majority");
    assert.equal(reasonOf({}, [emptyPool()]), null);
    assert.equal(reasonOf({}, [pool, unloaded]), null);
  });

  test("when a pool is not read yet, unless another one pays or the token itself is paused", () => {
    const unpriced = [unpricedPool({ quoteHeld: null, reason: "unread" })];
    const paused = poolOfSol(1, 0.001, { status: "paused" });
    for (const pools of [[emptyPool()], [paused]])
      assert.equal(reasonOf({ unpriced }, pools), "unpriced-majority");
    assert.equal(reasonOf({ unpriced }), null);
    const token = { ...PLAIN_TOKEN, pausable: { isPaused: true, authority: SOMEBODY } };
    assert.equal(reasonOf({ unpriced, token }, [paused]), "all-paused");
  });

  test("when every pool is paused or not open yet, or the token itself is paused", () => {
    const paused = poolOfSol(1, 0.001, { status: "paused" });
    const waiting = poolOfSol(1, 0.001, { status: "not-open-yet" });
    assert.equal(reasonOf({}, [paused, waiting]), "all-paused");
    assert.equal(reasonOf({}, [paused, pool]), null);
    assert.equal(
      reasonOf({ token: { ...PLAIN_TOKEN, pausable: { isPaused: true, authority: SOMEBODY } } }),
      "all-paused",
    );
  });

  test("when the token can't be transferred", () => {
    assert.equal(
      reasonOf({ token: { ...PLAIN_TOKEN, isNonTransferable: true } }),
      "not-transferable",
    );
    assert.equal(reasonOf({ token: { ...PLAIN_TOKEN, startsFrozen: true } }), "not-transferable");
    const thawable = { ...PLAIN_TOKEN, startsFrozen: true, freezeAuthority: SOMEBODY };
    assert.equal(reasonOf({ token: thawable }), null);
  });

  test("and has no depth, score or slippage then", () => {
    assert.equal(assess(marketOf([], { isSearchComplete: false })).measurement, null);
  });
});

test("the same market gives the same assessment, whatever was assessed before", () => {
  const pools = [poolOfSol(100), levelsPool({ levels: [{ price: 0.001, quote: 9n * SOL }] })];
  const first = assess(marketOf(pools));
  assess(marketOf([poolOfSol(3)]));
  assert.deepEqual(assess(marketOf(pools)), first);
  assert.equal(first.mint, TOKEN);
});
