import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Address, address } from "#src/units/address.ts";
import { USDC } from "#src/units/known-addresses.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import { marketOf, poolOfSol, SOL, usdcPool } from "#test/support/markets/markets.ts";
import { constantProductPool, levelsPool, poolAddress } from "#test/support/pools/pools.ts";
import { assess } from "../assess.ts";
import type { KnownHolders, PoolHolders } from "./share-holders.ts";
import { type StressedExit, stress } from "./stress.ts";

const ALICE = address("A1ice11111111111111111111111111111111111111");
const BOB = address("Bob1111111111111111111111111111111111111111");

function held(parts: readonly (readonly [Address, bigint])[], issued = 100n): KnownHolders {
  const owned = parts.reduce((sum, [, shares]) => sum + shares, 0n);
  return {
    kind: "known",
    issued,
    owners: parts.map(([owner, shares]) => ({ owner, standing: "wallet", shares })),
    burned: issued - owned,
    locked: 0n,
    locks: [],
    unlisted: 0n,
    slot: 300_000_000n,
  };
}

function holders(
  ...each: readonly (readonly [QuotablePool, PoolHolders])[]
): ReadonlyMap<Address, PoolHolders> {
  return new Map(each.map(([pool, known]) => [pool.address, known]));
}

function depths({ now, after }: StressedExit) {
  return [now.measurement?.depthLamports, after?.measurement?.depthLamports];
}

const first = poolOfSol(100, 0.001, { number: 1 });
const second = poolOfSol(40, 0.001, { number: 2 });
const both = marketOf([first, second]);

describe("an exit after the largest withdrawal", () => {
  test("is the exit on the pool that the largest holder leaves, by the same measure", () => {
    const market = marketOf([first]);
    const exit = stress(
      market,
      holders([
        first,
        held([
          [ALICE, 75n],
          [BOB, 25n],
        ]),
      ]),
    );
    assert.deepEqual(exit.now, assess(market));
    assert.deepEqual(exit.after, assess(marketOf([poolOfSol(25, 0.001, { number: 1 })])));
    assert.deepEqual(exit.withdrawal, { owner: ALICE, standing: "wallet", lamports: 75n * SOL });
    assert.equal(exit.pools[0]?.leavingLamports, 75n * SOL);
  });

  test("one owner leaves every pool at once, and worth decides, not the share", () => {
    const shared = stress(
      both,
      holders(
        [
          first,
          held([
            [BOB, 50n],
            [ALICE, 45n],
          ]),
        ],
        [second, held([[ALICE, 30n]])],
      ),
    );
    assert.partialDeepStrictEqual(shared.withdrawal, { owner: ALICE, lamports: 57n * SOL });
    assert.deepEqual(depths(shared), [140n * SOL, 83n * SOL]);
    const apart = stress(
      both,
      holders([first, held([[BOB, 50n]])], [second, held([[ALICE, 100n]])]),
    );
    assert.equal(apart.withdrawal?.owner, BOB);
    assert.equal(apart.pools[1]?.leavingLamports, 0n);
  });

  test("a tie goes to the lower address, in whatever order the holders come", () => {
    for (const parts of [
      [
        [ALICE, 50n],
        [BOB, 50n],
      ],
      [
        [BOB, 50n],
        [ALICE, 50n],
      ],
    ] as const) {
      const exit = stress(marketOf([first]), holders([first, held(parts)]));
      assert.equal(exit.withdrawal?.owner, ALICE);
    }
  });

  test("what leaves a stable's pool counts in SOL", () => {
    const inUsdc = constantProductPool({
      number: 3,
      quoteMint: USDC,
      base: 30_000_000_000_000n,
      quote: 6_000_000_000n,
    });
    const market = marketOf([inUsdc, second], { hopPools: [usdcPool()] });
    const known = holders([inUsdc, held([[ALICE, 100n]])], [second, held([[BOB, 60n]])]);
    assert.partialDeepStrictEqual(stress(market, known).withdrawal, {
      owner: ALICE,
      lamports: 30n * SOL,
    });
  });

  test("what leaves another token's pools counts for no more than can be sold of it", () => {
    const other = poolAddress(700);
    const hop = poolOfSol(3, 1, { number: 700, baseMint: other });
    const giants = [5, 6].map((number) => poolOfSol(1e6, 0.001, { number, quoteMint: other }));
    const market = marketOf([first, ...giants], { hopPools: [hop] });
    const bobs = giants.map((pool) => [pool, held([[BOB, 100n]])] as const);
    const exit = stress(market, holders([first, held([[ALICE, 90n]])], ...bobs));
    assert.partialDeepStrictEqual(exit.withdrawal, { owner: ALICE, lamports: 90n * SOL });
    assert.deepEqual(
      exit.pools.map(({ depthLamports, leavingLamports }) => [depthLamports, leavingLamports]),
      [
        [100n * SOL, 90n * SOL],
        [3n * SOL, 0n],
        [3n * SOL, 0n],
      ],
    );
    const known = holders([first, held([[ALICE, 2n]])], ...bobs);
    assert.partialDeepStrictEqual(stress(market, known).withdrawal, {
      owner: BOB,
      lamports: 3n * SOL,
    });
    const stranger = holders([first, held([[ALICE, 4n]])], ...bobs);
    assert.equal(stress(market, stranger).withdrawal?.owner, ALICE);
  });

  test("what leaves a pool whose hop pays less than it holds counts, though the depth stays", () => {
    const other = poolAddress(700);
    const hopPools = [poolOfSol(50, 1, { number: 700, baseMint: other })];
    const main = poolOfSol(1_000, 0.001, { number: 5, quoteMint: other });
    const small = poolOfSol(1, 0.001, { number: 6 });
    const known = holders([main, held([[BOB, 95n]])], [small, held([[ALICE, 100n]])]);
    const exit = stress(marketOf([main, small], { hopPools }), known);
    assert.deepEqual([exit.withdrawal?.owner, exit.withdrawal?.lamports], [BOB, 0n]);
    const scoreOf = (it: StressedExit["after"]) => it?.measurement?.retail.score ?? assert.fail();
    assert.ok(scoreOf(exit.after) < scoreOf(exit.now) - 1);
  });

  test("if all shares are burned nothing is withdrawn, and the ladder is unchanged", () => {
    const exit = stress(marketOf([first]), holders([first, held([])]));
    assert.equal(exit.withdrawal, null);
    assert.deepEqual(exit.after, exit.now);
    assert.equal(exit.pools[0]?.leavingLamports, 0n);
  });
});

describe("what is not known", () => {
  test("a pool whose holders are not known stays in the ladder, named, and its part is null", () => {
    const exit = stress(both, holders([first, held([[ALICE, 100n]])]));
    assert.deepEqual(depths(exit), [140n * SOL, 40n * SOL]);
    assert.deepEqual(exit.pools[1]?.holders, { kind: "unknown", reason: "holders-not-read" });
    assert.equal(exit.pools[1]?.leavingLamports, null);
  });

  test("where no pool's holders are known there is no ladder after: it is not the one now", () => {
    const exit = stress(both, holders([first, { kind: "unknown", reason: "positions-not-read" }]));
    assert.ok(exit.now.measurement);
    assert.equal(exit.after, null);
    assert.equal(exit.withdrawal, null);
  });

  test("shares that a program is not known to pay out make the pool unknown, not safe", () => {
    const levels = levelsPool({ number: 4, levels: [{ price: 0.001, quote: 50n * SOL }] });
    const exit = stress(marketOf([levels]), holders([levels, held([[ALICE, 100n]])]));
    assert.deepEqual(exit.pools[0]?.holders, {
      kind: "unknown",
      reason: "withdrawal-not-modelled",
    });
    assert.equal(exit.after, null);
  });

  test("a pool that can't be priced is named too", () => {
    const unpriced = {
      venue: "orca-whirlpool",
      family: "other",
      kind: "amm",
      address: poolAddress(9),
      reason: "missing-account",
      detail: "pool",
      quoteHeld: SOL,
      quoteMint: null,
    } as const;
    const exit = stress(
      marketOf([first], { unpriced: [unpriced] }),
      holders([first, held([[ALICE, 10n]])]),
    );
    assert.partialDeepStrictEqual(exit.pools[1], {
      address: poolAddress(9),
      depthLamports: null,
      holders: { kind: "unknown", reason: "not-priced" },
      leavingLamports: null,
    });
  });

  test("a blocked market has neither ladder", () => {
    const exit = stress(marketOf([first], { token: null }), holders([first, held([[ALICE, 9n]])]));
    assert.equal(exit.now.measurement, null);
    assert.equal(exit.after, null);
  });

  test("a paused pool holds nothing that sellers could reach, so nothing of it can leave", () => {
    const paused = poolOfSol(500, 0.001, { number: 3, status: "paused" });
    const known = holders([paused, held([[BOB, 100n]])], [first, held([[ALICE, 1n]])]);
    const exit = stress(marketOf([paused, first]), known);
    assert.partialDeepStrictEqual(exit.withdrawal, { owner: ALICE, lamports: SOL });
  });
});
