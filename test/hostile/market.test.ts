import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { honestMarket } from "#bench/adversary/honest-markets.ts";
import { assessPlan, marketOfPlan } from "#bench/adversary/measure-plan.ts";
import { assess } from "#src/measure/assess.ts";
import { slippageAtSize } from "#src/measure/ladder.ts";
import { priceMarket } from "#src/measure/market/priced-market.ts";
import { exitAt } from "#src/measure/questions/exit-at.ts";
import { exitLanes } from "#src/measure/sale/exit-lane.ts";
import { marketOf, PLAIN_TOKEN, poolOfSol, SOL, SOMEBODY } from "#test/support/markets/markets.ts";
import { constantProductPool, emptyPool, levelsPool } from "#test/support/pools/pools.ts";
import { bidPool, honestPool, limitedBidPool, planOf, seen } from "./plans.ts";

describe("case 1: a pool of 0.12 SOL whose fee hides its price", () => {
  const alone = seen(assessPlan(planOf([honestPool()])));

  for (const [feePct, multiple] of [
    [10, 1.111],
    [50, 2],
    [99, 100],
  ] as const) {
    test(`${feePct} % fee at ${multiple} times the market changes no answer`, () => {
      const pool = bidPool({ feePct, price: 0.001 * multiple });
      assert.deepEqual(seen(assessPlan(planOf([honestPool(), pool]))), alone);
    });
  }

  for (const [feePct, score] of [
    [20, 19.6],
    [50, 3.8],
    [90, 1.2],
  ] as const) {
    test(`a bid of 0.12 SOL hides no pool that keeps ${feePct} % of every sale`, () => {
      const real = honestPool({ venue: "raydium-cpmm", sol: 500, feePct });
      const bid = bidPool({ price: 0.001 * (1 - feePct / 100) * 1.002, feePct: 0.01 });
      const before = seen(assessPlan(planOf([real])));
      const after = seen(assessPlan(planOf([real, bid])));
      assert.ok(Math.abs((before.retail ?? 0) - score) <= 0.1);
      assert.equal(before.confidence, "medium");
      assert.deepEqual(after, before);
    });
  }
});

describe("case 1a: a pool whose rate limiter charges a first unit next to nothing", () => {
  const honest = poolOfSol(100);
  const alone = seen(assess(marketOf([honest])));

  for (const [sol, multiple] of [
    [2, 1.3],
    [20, 2],
    [100, 10],
  ] as const) {
    test(`${sol} SOL at ${multiple} times the market change no answer`, () => {
      const limited = limitedBidPool(sol, { price: 0.001 * multiple, freeUnits: 1n });
      // Of a million units it pays what ten thousand are worth to it.
      assert.equal(limited.quote(1_000_000n), BigInt(Math.floor(10 * multiple)));
      assert.deepEqual(seen(assess(marketOf([honest, limited]))), alone);
    });
  }

  for (const [sol, multiple] of [
    [20, 2],
    [100, 1.3],
    [100, 10],
  ] as const) {
    test(`${sol} SOL at ${multiple} times the market move no price where only a small sale is free`, () => {
      const price = 0.001 * multiple;
      const plain = limitedBidPool(sol, { price, freeUnits: 1n << 60n });
      const { reachable, spotPrice } = plain;
      assert.ok(spotPrice !== null);
      const freeUnits = (reachable(100) * spotPrice.denominator) / spotPrice.numerator;
      const limited = limitedBidPool(sol, { price, freeUnits });
      assert.equal(limited.feePpm, 100);
      assert.ok(Number(limited.quote(1_000n * freeUnits)) < 0.06 * sol * 1e9);
      const { mid, retail, exitMaxSol } = seen(assess(marketOf([honest, limited])));
      assert.equal(mid, alone.mid);
      assert.equal(exitMaxSol, alone.exitMaxSol);
      assert.ok(Math.abs((retail ?? 0) - (alone.retail ?? 0)) <= 5);
    });
  }

  test("what a split can pay is bounded by what the pool pays for the first units", () => {
    const freeUnits = 1_000_000_000n;
    const limited = limitedBidPool(20, { price: 0.002, freeUnits });
    const [lane] = exitLanes(priceMarket(marketOf([limited])).open, []);
    const perUnit = Number(limited.quote(freeUnits) ?? 0n) / Number(freeUnits);
    assert.ok(limited.feePpm > 900_000 && perUnit > 0.0019);
    assert.ok((lane?.lane.steepest ?? 0) >= perUnit);
  });
});

describe("prices that little of the near depth states (method.md 7)", () => {
  test("bids far above the market that raise the score by more than 2 points lower confidence", () => {
    // The worst market of `npm run adversary -- --seed 1047` before: 1 % of the near depth, 5.1 points.
    const honest = honestMarket(1_047);
    const bids = [
      bidPool({ sol: 0.114, price: 3.139, feePct: 0.4, range: 0.033 }),
      bidPool({ venue: "meteora-dlmm", sol: 0.0175, price: 1.259, feePct: 1.35, range: 0.0067 }),
    ];
    const before = seen(assessPlan(honest));
    const after = seen(assessPlan({ ...honest, pools: [...honest.pools, ...bids] }));
    assert.equal(before.confidence, "high");
    assert.ok((after.pro ?? 0) - (before.pro ?? 0) > 2);
    assert.equal(after.confidence, "medium");
  });

  test("a bid of 5 % that moves the median from one pool to another lowers confidence", () => {
    const pools = [
      honestPool({ venue: "raydium-cpmm", sol: 100, price: 0.000_991, feePct: 1 }),
      honestPool({ venue: "raydium-cpmm", sol: 90, price: 0.001_009, feePct: 1 }),
    ];
    const bid = bidPool({ sol: 0.49, price: 0.000_991, feePct: 0.01 });
    const before = seen(assessPlan(planOf(pools)));
    const after = seen(assessPlan(planOf([...pools, bid])));
    assert.notEqual(after.mid, before.mid);
    assert.equal(after.confidence, "medium");
  });

  for (const feePct of [3, 6, 9]) {
    test(`a bid of 5 % within the fees of a pool that keeps ${feePct} % lowers confidence`, () => {
      // No arbitrage ends it, and near the higher reference bid the real pool pays little, or nothing.
      const real = honestPool({ venue: "meteora-damm-v2", feePct });
      const alone = assessPlan(planOf([real]));
      const near = Number(alone.measurement?.pools[0]?.nearDepthLamports) / 1e9;
      for (const multiple of [1 - feePct / 200, 1, 0.999 / (1 - feePct / 100)]) {
        const price = 0.001 * multiple;
        const bid = bidPool({ sol: near / 20, price, feePct: 0.01, range: 0.01 });
        const [before, after] = [seen(alone), seen(assessPlan(planOf([real, bid])))];
        assert.equal(before.confidence, "high");
        assert.ok((after.retail ?? 0) - (before.retail ?? 0) >= 5, `${multiple}`);
        assert.equal(after.confidence, "medium", `${multiple}`);
      }
    });
  }

  test("a dust pool that takes what the real pool refuses lowers confidence", () => {
    // A pool whose bids end at 3.9 SOL refuses 5 SOL: null, 0 points. With dust beside it the sale is
    // filled for what the real pool has, and counts 4.8 points.
    const real = honestPool({ venue: "meteora-damm-v2", sol: 3.9, feePct: 2, range: 0.08 });
    const dust = honestPool({ venue: "raydium-cpmm", sol: 0.01, price: 0.000_83 });
    const before = seen(assessPlan(planOf([real])));
    const after = seen(assessPlan(planOf([real, dust])));
    assert.equal(before.confidence, "high");
    assert.ok((after.pro ?? 0) - (before.pro ?? 0) > 4.5);
    assert.equal(after.confidence, "medium");
  });

  test("a bid that decides that the family is not other leaves confidence where it was", () => {
    const pools = [
      honestPool({ venue: "orca-whirlpool", sol: 7.8, feePct: 1 }),
      honestPool({ venue: "raydium-cpmm", sol: 49.5, feePct: 1 }),
    ];
    const bid = honestPool({ venue: "raydium-cpmm", sol: 1.5, feePct: 1 });
    const before = seen(assessPlan(planOf(pools)));
    const after = seen(assessPlan(planOf([...pools, bid])));
    assert.deepEqual([before.family, before.confidence], ["other", "medium"]);
    assert.deepEqual([after.family, after.confidence], ["raydium", "medium"]);
  });

  test("honest pools whose prices differ by less than their fees leave confidence high", () => {
    let high = 0;
    for (let seed = 1; seed <= 100; seed++) {
      const { findings } = assessPlan(honestMarket(seed));
      if (!findings.some(({ kind }) => kind === "price-doubt")) high++;
    }
    assert.ok(high >= 97, `${high} of 100`);
  });
});

describe("case 2: empty pools", () => {
  test("forty empty pools beside the market block nothing", () => {
    const empty = Array.from({ length: 40 }, () =>
      honestPool({ venue: "meteora-damm-v2", sol: 1e-9, price: 0.001 }),
    );
    const alone = seen(assessPlan(planOf([honestPool()])));
    assert.deepEqual(seen(assessPlan(planOf([...empty, honestPool()]))), alone);
  });

  test("an incomplete search that found only empty pools is blocked, never ok with depth 0", () => {
    const pools = Array.from({ length: 40 }, (_, number) => emptyPool({ number }));
    const assessment = assess(marketOf(pools, { isSearchComplete: false }));
    assert.equal(assessment.blocked, "search-incomplete");
    assert.equal(assessment.measurement, null);
  });
});

describe("case 4: pools that moved the exit capacity, and so raised an alert", () => {
  const capacity = (pools: Parameters<typeof planOf>[0]) =>
    assessPlan(planOf(pools)).measurement?.c10Sol ?? Number.NaN;

  test("a fee pool of 0.12 SOL leaves the exit capacity of a 1,000 SOL token where it is", () => {
    const alone = capacity([honestPool()]);
    const after = capacity([honestPool(), bidPool({ feePct: 50, price: 0.002 })]);
    assert.ok(Math.abs(after / alone - 1) < 1e-3, `${alone} -> ${after}`);
  });

  test("0.06 SOL without a fee at 1.1 times the market moves neither score nor exit capacity", () => {
    const honest = honestPool({ sol: 100 });
    const bid = bidPool({ sol: 0.06, price: 0.0011, feePct: 0.01, range: 0.001 });
    const before = assessPlan(planOf([honest]));
    const after = assessPlan(planOf([honest, bid]));
    const away = capacity([honest, bid]) / capacity([honest]) - 1;
    assert.ok(Math.abs(away) < 0.02, `exit capacity by ${away}`);
    const [scoreBefore, scoreAfter] = [seen(before), seen(after)];
    assert.ok(Math.abs((scoreAfter.retail ?? 0) - (scoreBefore.retail ?? 0)) < 1);
    assert.equal(scoreAfter.exitMaxSol, scoreBefore.exitMaxSol);
  });
});

describe("case 5: the split with base units worth 172 lamports", () => {
  const pools = [
    [16.2, 30_100],
    [10.8, 3_000],
    [10.8, 500_000],
  ].map(([sol = 0, feePpm = 0], number) => poolOfSol(sol, 172, { number, feePpm }));
  const market = marketOf(pools);

  test("2 SOL lose 8.9 %, not 13.9 %, and the same at both endpoints", () => {
    const { measurement } = assess(market);
    const main = (measurement && slippageAtSize(measurement.pro, "2")) ?? Number.NaN;
    const at = exitAt(market, 2n * SOL, "pro");
    assert.equal(at.kind, "sold");
    assert.equal(at.kind === "sold" ? at.slippagePct : null, main);
    assert.ok(main < 9.2, `${main}`);
  });

  test("the exit capacity is above 2 SOL, and steady while the price wobbles", () => {
    for (let step = 0; step < 60; step++) {
      const price = 172 * (1 + 0.0003 * Math.sin(step));
      const moved = [
        [16.2, 30_100],
        [10.8, 3_000],
        [10.8, 500_000],
      ].map(([sol = 0, feePpm = 0], number) => poolOfSol(sol, price, { number, feePpm }));
      const c10Sol = assess(marketOf(moved)).measurement?.c10Sol ?? 0;
      assert.ok(c10Sol > 2.2 && c10Sol < 2.6, `step ${step}: ${c10Sol}`);
    }
  });
});

describe("case 6: base units worth 200,000 lamports", () => {
  const price = 200_000;
  const shape = { unitLamports: price, supplySol: 10_000 };
  const pool = honestPool({ price });

  test("two pools of 1,000 SOL have a mid, and a score of at least that of one", () => {
    const one = seen(assessPlan(planOf([pool], shape)));
    const two = seen(assessPlan(planOf([pool, pool], shape)));
    assert.equal(two.mid, one.mid);
    assert.ok((two.retail ?? 0) >= (one.retail ?? 100));
    assert.equal(two.exitMaxSol, 50);
    assert.equal(two.confidence, "high");
  });

  test("1.2 SOL in a CPMM pool beside it switch nothing off", () => {
    const dust = honestPool({ venue: "raydium-cpmm", sol: 1.2, price });
    const one = seen(assessPlan(planOf([pool], shape)));
    assert.deepEqual(seen(assessPlan(planOf([pool, dust], shape))), one);
  });
});

describe("case 8: a bid of 0.05 SOL far below a market of 0.97 SOL", () => {
  const honest = honestPool({ sol: 0.97 });
  const shape = { supplySol: 20 };
  const alone = seen(assessPlan(planOf([honest], shape)));

  for (const multiple of [0.5, 0.1]) {
    test(`at ${multiple} times the market it moves no answer`, () => {
      const bid = bidPool({ sol: 0.0501, price: 0.001 * multiple, feePct: 0.25 });
      const after = seen(assessPlan(planOf([honest, bid], shape)));
      assert.equal(after.mid, alone.mid);
      assert.ok(Math.abs((after.retail ?? 0) - (alone.retail ?? 0)) <= 1);
      assert.equal(after.exitMaxSol, alone.exitMaxSol);
    });
  }
});

describe("case 11: the family other takes as much as the market itself", () => {
  const bidOf = (sol: number) =>
    levelsPool({
      number: 2,
      venue: "orca-whirlpool",
      family: "other",
      levels: [{ price: 0.000_91, quote: BigInt(Math.round(sol * 1e9)) }],
    });

  for (const [sol, bidSol] of [
    [100, 5.2],
    [1_000, 40],
  ] as const) {
    test(`${bidSol} SOL of bids 9 % below a market of ${sol} SOL change no family and no size`, () => {
      const honest = poolOfSol(sol, 0.001, { number: 1 });
      const before = seen(assess(marketOf([honest])));
      const after = seen(assess(marketOf([honest, bidOf(bidSol)])));
      assert.equal(after.family, "raydium");
      assert.ok((after.exitMaxSol ?? 0) >= (before.exitMaxSol ?? 0));
    });
  }

  test("more than the near depth of the market: named, and the score keeps its worst size", () => {
    const honest = poolOfSol(1_000, 0.001, { number: 1 });
    const asRaydium = { ...bidOf(52), family: "raydium" } as const;
    const other = seen(assess(marketOf([honest, bidOf(52)])));
    const same = seen(assess(marketOf([honest, asRaydium])));
    assert.deepEqual([other.family, other.confidence], ["other", "medium"]);
    assert.equal(other.pro, same.pro);
  });
});

describe("case 12: smaller ones", () => {
  test("2,000 SOL of junk bids do not turn a disagreement of honest pools into confidence", () => {
    const honest = [
      honestPool({ sol: 60, price: 0.001 }),
      honestPool({ sol: 40, price: 0.001_087 }),
    ];
    const junk = bidPool({ sol: 2_000, price: 1e-9 });
    const before = assessPlan(planOf(honest));
    const after = assessPlan(planOf([...honest, junk]));
    assert.equal(seen(before).confidence, "medium");
    assert.deepEqual(after.findings, before.findings);
  });

  test("bids at a millionth of the market change neither mid nor score", () => {
    const honest = honestPool({ sol: 100 });
    const junk = bidPool({ sol: 500, price: 1e-9, feePct: 0.25 });
    const before = seen(assessPlan(planOf([honest])));
    assert.deepEqual(seen(assessPlan(planOf([honest, junk]))), before);
  });

  test("an authority over a hook or a transfer fee lowers confidence; a pause without authority does not", () => {
    const kindsOf = (changes: Partial<typeof PLAIN_TOKEN>) =>
      assess(marketOf([poolOfSol(100)], { token: { ...PLAIN_TOKEN, ...changes } })).findings.map(
        ({ kind }) => kind,
      );
    assert.deepEqual(kindsOf({ transferHookAuthority: SOMEBODY }), ["transfer-hook-authority"]);
    const transferFee = { feeBps: 0, maximum: 0n, authority: SOMEBODY, announced: null };
    assert.deepEqual(kindsOf({ transferFee }), ["transfer-fee-authority"]);
    assert.deepEqual(kindsOf({ pausable: { isPaused: false, authority: null } }), []);
  });

  test("main and /at give the same lamports for every standard size on random markets", () => {
    for (let seed = 1; seed <= 40; seed++) {
      const pools = Array.from({ length: 3 }, (_, number) =>
        constantProductPool({
          number,
          base: BigInt(1_000_000_007 * (seed + 3 * number)),
          quote: BigInt(1_000_000_007 * (seed + 3 * number)) * 10n ** BigInt(seed % 4),
          feePpm: [2_500, 10_000, 500_000][number] ?? 0,
        }),
      );
      const market = marketOf(pools);
      const { measurement } = assess(market);
      for (const [size, sizeLamports] of [
        ["0.5", SOL / 2n],
        ["2", 2n * SOL],
        ["10", 10n * SOL],
      ] as const) {
        const at = exitAt(market, sizeLamports, "pro");
        const expected = measurement && slippageAtSize(measurement.pro, size);
        assert.equal(at.kind === "sold" ? at.slippagePct : null, expected);
      }
    }
  });

  test("frozen side pools that are paused or not open yet change no answer", () => {
    const waiting = honestPool({ venue: "meteora-damm-v2", sol: 5_000, opensLater: true });
    const alone = seen(assessPlan(planOf([honestPool()])));
    assert.deepEqual(seen(assess(marketOfPlan(planOf([honestPool(), waiting])))), alone);
  });
});
