import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "#src/platform/seeded-random.ts";
import { USDC } from "#src/units/known-addresses.ts";
import { bruteForceSplit } from "#test/support/markets/brute-force.ts";
import { marketOf, poolOfSol, SOL, usdcPool } from "#test/support/markets/markets.ts";
import { randomMarket } from "#test/support/markets/random-markets.ts";
import { constantProductPool } from "#test/support/pools/pools.ts";
import { lamportsPerMicroUsd } from "../market/usd-price.ts";
import { answerExit } from "./exit-question.ts";

test("no split found by brute force pays more than the bound, which is close to what the split pays", () => {
  const random = seededRandom(7);
  let proved = 0;
  let close = 0;
  for (let set = 0; set < 60; set++) {
    const market = randomMarket(random);
    const asked = { profile: "pro", sale: { maxCostPpm: 100_000n }, isDetailed: true } as const;
    const { exit, detail } = answerExit(market, asked, null);
    const best = detail?.bestPossibleLamports ?? null;
    if (exit.kind !== "sold" || best === null) continue;
    proved++;
    assert.ok(best >= exit.paidLamports);
    if (best - exit.paidLamports <= exit.paidLamports / 50_000n) close++;
    const inSol = market.pools.filter(({ quoteMint }) => quoteMint !== USDC);
    const brute = bruteForceSplit(inSol, exit.baseUnitsSold, 2_000n);
    assert.ok(brute === null || brute <= best, `set ${set}: ${brute} > ${best}`);
  }
  assert.ok(proved >= 45 && close >= 0.9 * proved, `${close} close of ${proved} proved`);
});

test("where routes share a hop the bound still holds, and a single route is its own bound", () => {
  const inUsdc = [2, 3].map((number) =>
    constantProductPool({ number, quoteMint: USDC, base: 10n ** 14n, quote: 2n * 10n ** 10n }),
  );
  const shared = marketOf([poolOfSol(100), ...inUsdc], { hopPools: [usdcPool(1_000)] });
  const asked = { profile: "pro", sale: { sizeLamports: 20n * SOL }, isDetailed: true } as const;
  const { exit, detail } = answerExit(shared, asked, null);
  assert.ok(exit.kind === "sold" && (detail?.bestPossibleLamports ?? 0n) >= exit.paidLamports);
  const alone = answerExit(marketOf([poolOfSol(100)]), asked, null);
  assert.ok(alone.exit.kind === "sold");
  assert.equal(alone.detail?.bestPossibleLamports, alone.exit.paidLamports);
});

test("a round trip pays the fees twice and gets no profit from the price it moved itself", () => {
  for (const profile of ["retail", "pro"] as const) {
    const market = marketOf([poolOfSol(100), poolOfSol(60, 0.001, { number: 2 })]);
    const asked = { profile, sale: { sizeLamports: 5n * SOL }, isDetailed: true };
    const trip = answerExit(market, asked, null).detail?.roundTrip ?? null;
    assert.ok(trip !== null && trip.lossPct !== null);
    assert.ok(trip.buySlippagePct > 0.25 && trip.buySlippagePct < 6, profile);
    assert.ok(trip.lossPct > 0.4 && trip.lossPct < trip.buySlippagePct + 6, profile);
  }
  const alone = marketOf([poolOfSol(100)]);
  const asked = { profile: "retail", sale: { sizeLamports: 5n * SOL }, isDetailed: true } as const;
  const trip = answerExit(alone, asked, null).detail?.roundTrip ?? null;
  // Constant product gives the fees alone: 0.25 % of what went in, and of what comes out.
  assert.ok(trip?.lossPct && Math.abs(trip.lossPct - 0.5) < 0.05, String(trip?.lossPct));
});

test("a size in USD is worth so much at the deepest stable pool, and unknown without one", () => {
  const microUsd = lamportsPerMicroUsd([usdcPool(10, 4), usdcPool(50_000, 5)]);
  const asked = {
    profile: "retail",
    sale: { sizeMicroUsd: 400_000_000n },
    isDetailed: false,
  } as const;
  const market = marketOf([poolOfSol(100)]);
  const { exit } = answerExit(market, asked, microUsd);
  assert.ok(exit.kind === "sold" && exit.sizeLamports === 2n * SOL);
  const without = answerExit(market, asked, lamportsPerMicroUsd([]));
  assert.deepEqual(without.exit, { kind: "unsellable", reason: "no-usd-price" });
});
