import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { USDC } from "#src/units/known-addresses.ts";
import {
  marketOf,
  PLAIN_TOKEN,
  poolOfSol,
  SOL,
  SOMEBODY,
  usdcPool,
} from "#test/support/markets/markets.ts";
import { levelsPool, poolAddress } from "#test/support/pools/pools.ts";
import { assess } from "../assess.ts";
import type { Market } from "../market/market.ts";
import type { Finding } from "./finding.ts";
import { confidenceOf, withShortHistory } from "./findings.ts";

const pool = poolOfSol(100, 0.001, { number: 1 });
const stateTimeMs = 1_790_000_000_000;
const CHANGING_FEE = {
  feeBps: 100,
  maximum: 5_000n,
  authority: null,
  announced: { epoch: 900n, feeBps: 500, maximum: 5_000n },
};

/** A pool that pays USDC, which a pool of another venue sells. */
const behindUsdc: Partial<Market> = {
  pools: [poolOfSol(20_000, 0.001, { quoteMint: USDC })],
  hopPools: [usdcPool()],
};

function findingsOf(changes: Partial<Market>): readonly Finding[] {
  return assess({ ...marketOf([pool]), ...changes }).findings;
}

function unpriced(quoteHeld: bigint | null): Market["unpriced"] {
  return [
    {
      venue: "orca-whirlpool",
      family: "other",
      kind: "amm",
      address: poolAddress(5),
      reason: "unsupported",
      detail: "test",
      quoteHeld,
      quoteMint: pool.quoteMint,
    },
  ];
}

test("a fresh market without hazards leaves confidence high", () => {
  assert.deepEqual(findingsOf({}), []);
  assert.equal(confidenceOf({ blocked: null, findings: [] }), "high");
});

describe("each finding leaves confidence at most where the method's table says", () => {
  const token = (facts: Partial<Market["token"]>) => ({ token: { ...PLAIN_TOKEN, ...facts } });
  const rows: readonly (readonly [string, Partial<Market>, Finding["kind"], string])[] = [
    ["31 s of age", { nowMs: stateTimeMs + 31_000 }, "stale", "medium"],
    ["121 s of age", { nowMs: stateTimeMs + 121_000 }, "stale", "low"],
    [
      "the family other",
      { pools: [poolOfSol(9, 1, { family: "other", venue: "orca-whirlpool" })] },
      "family-other",
      "medium",
    ],
    ["11 % unpriced", { unpriced: unpriced(13n * SOL) }, "unpriced-pools", "medium"],
    ["an unweighed pool", { unpriced: unpriced(null) }, "unpriced-pools", "medium"],
    ["an incomplete search", { isSearchComplete: false }, "search-incomplete", "medium"],
    ["a short history", { historySeconds: 299 }, "short-history", "medium"],
    [
      "spots 4 % apart",
      { pools: [pool, poolOfSol(10, 0.001_04, { number: 2 })] },
      "spot-disagreement",
      "medium",
    ],
    ["a freeze authority", token({ freezeAuthority: SOMEBODY }), "freeze-authority", "medium"],
    ["a fee change", token({ transferFee: CHANGING_FEE }), "transfer-fee-change", "medium"],
    [
      "a transfer fee that can be raised",
      token({ transferFee: { ...CHANGING_FEE, authority: SOMEBODY, announced: null } }),
      "transfer-fee-authority",
      "medium",
    ],
    [
      "a transfer hook that can be added",
      token({ transferHookAuthority: SOMEBODY }),
      "transfer-hook-authority",
      "medium",
    ],
    ["no history kept at all", { historySeconds: null }, "short-history", "medium"],
    [
      "a spot 12 % away",
      { pools: [pool, poolOfSol(20, 0.001_12, { number: 2 })] },
      "spot-disagreement",
      "low",
    ],
    [
      "a pool fee of 12 %",
      { pools: [poolOfSol(100, 0.001, { feePpm: 120_000 })] },
      "high-fees",
      "medium",
    ],
    [
      "a mid that half of the near depth, within 5 %, decides",
      {
        pools: [
          poolOfSol(100, 0.000_991, { number: 1, feePpm: 10_000 }),
          poolOfSol(90, 0.001_009, { number: 2, feePpm: 10_000 }),
        ],
      },
      "price-doubt",
      "medium",
    ],
    ["a transfer hook", token({ transferHook: SOMEBODY }), "transfer-hook", "low"],
    ["a permanent delegate", token({ permanentDelegate: SOMEBODY }), "permanent-delegate", "low"],
    [
      "a pausable token",
      token({ pausable: { isPaused: false, authority: SOMEBODY } }),
      "pausable",
      "low",
    ],
    [
      "rewritable reserves",
      { pools: [poolOfSol(50, 1, { cautions: ["rewritable-reserves"] })] },
      "rewritable-reserves",
      "low",
    ],
    [
      "a failing live check",
      { exactPctByVenue: new Map([["raydium-cpmm", 98.9]]) },
      "live-check",
      "low",
    ],
    [
      "a failing live check of a hop's venue",
      { ...behindUsdc, exactPctByVenue: new Map([["raydium-clmm", 98.9]]) },
      "live-check",
      "low",
    ],
    [
      "a hop of a program that was deployed just now",
      { ...behindUsdc, newDeployments: new Set(["raydium-clmm"]) },
      "new-deployment",
      "medium",
    ],
    [
      "a program that was deployed just now",
      { newDeployments: new Set(["raydium-cpmm"]) },
      "new-deployment",
      "medium",
    ],
    [
      "a program that was executed because its model fails",
      {
        executedVenues: new Set(["raydium-cpmm"]),
        exactPctByVenue: new Map([["raydium-cpmm", 0]]),
        newDeployments: new Set(["raydium-cpmm"]),
      },
      "executed",
      "medium",
    ],
  ];
  for (const [name, changes, kind, confidence] of rows) {
    test(`${name}: ${kind}, ${confidence}`, () => {
      const found = findingsOf(changes);
      assert.deepEqual(
        found.map((finding) => finding.kind),
        [kind],
      );
      assert.equal(confidenceOf({ blocked: null, findings: found }), confidence);
    });
    test(`${name}, and a history that became short afterwards`, () => {
      const historySeconds = 60;
      const found = findingsOf({ ...changes, historySeconds });
      const before = findingsOf({ ...changes, historySeconds: 3_600 });
      assert.deepEqual(withShortHistory(before, historySeconds), found);
    });
  }
});

describe("just inside each limit nothing is found", () => {
  const rows: readonly (readonly [string, Partial<Market>])[] = [
    ["30 s of age", { nowMs: stateTimeMs + 30_000 }],
    ["a block time ahead of the clock", { nowMs: stateTimeMs - 5_000 }],
    ["9 % unpriced", { unpriced: unpriced(9n * SOL) }],
    ["five minutes of history", { historySeconds: 300 }],
    [
      "spots that differ as their fees do",
      {
        pools: [pool, poolOfSol(50, 0.001_04, { number: 2, feePpm: 42_500 })],
      },
    ],
    [
      "a pausable token whose authority was given up",
      { token: { ...PLAIN_TOKEN, pausable: { isPaused: false, authority: null } } },
    ],
    [
      "a disagreeing pool of less than 5 % of the near depth, without effect on the score",
      { pools: [pool, poolOfSol(2, 0.001_04, { number: 2 })] },
    ],
    ["a pool that pays a stable", behindUsdc],
    ["99 % exact", { exactPctByVenue: new Map([["raydium-cpmm", 99]]) }],
    ["another venue's failing check", { exactPctByVenue: new Map([["meteora-dlmm", 10]]) }],
    [
      "a caution on a curve that has closed",
      {
        pools: [
          pool,
          poolOfSol(1, 1, {
            number: 4,
            kind: "curve",
            status: "migrated",
            cautions: ["rewritable-reserves"],
          }),
        ],
      },
    ],
  ];
  for (const [name, changes] of rows) {
    test(name, () => assert.deepEqual(findingsOf(changes), []));
  }
});

test("a bid of 5 % of the near depth that pays the small sizes more than the dear pool lowers confidence", () => {
  // Of 3 % fees the bid explains what it pays above the mid; alone it takes 0.5, 1 and 2 SOL without a loss.
  const dear = poolOfSol(1_220, 0.001, { number: 1, feePpm: 28_000 });
  const bid = levelsPool({
    ...{ number: 2, feePpm: 100 },
    levels: [{ price: 0.001_05, quote: (28n * SOL) / 10n }],
  });
  const [alone, beside] = [[dear], [dear, bid]].map((pools) => assess(marketOf(pools)));
  assert.ok(alone?.measurement && beside?.measurement);
  assert.equal(confidenceOf(alone), "high");
  assert.ok(beside.measurement.retail.score - alone.measurement.retail.score > 5);
  assert.equal(confidenceOf(beside), "medium");
});

test("of the family other, a size that its rule leaves out adds no doubt about prices", () => {
  const shape = { family: "other", venue: "orca-whirlpool" } as const;
  const pools = [1_000, 1].map((sol, index) =>
    poolOfSol(sol, 0.001, { number: index + 1, ...shape }),
  );
  assert.deepEqual(findingsOf({ pools }), [{ kind: "family-other" }]);
});

test("the worst finding comes first, and decides", () => {
  const found = findingsOf({
    isSearchComplete: false,
    token: { ...PLAIN_TOKEN, freezeAuthority: SOMEBODY, permanentDelegate: SOMEBODY },
  });
  assert.deepEqual(
    found.map((finding) => finding.kind),
    ["permanent-delegate", "search-incomplete", "freeze-authority"],
  );
  assert.equal(confidenceOf({ blocked: null, findings: found }), "low");
});

test("a blocked token still says what else is wrong", () => {
  const found = findingsOf({ nowMs: stateTimeMs + 700_000, isSearchComplete: false });
  assert.deepEqual(
    found.map((finding) => finding.kind),
    ["stale", "search-incomplete"],
  );
});
