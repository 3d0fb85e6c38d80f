import assert from "node:assert/strict";
import { test } from "node:test";
import type { PoolHolders } from "#src/measure/questions/share-holders.ts";
import { stress } from "#src/measure/questions/stress.ts";
import { AppError } from "#src/platform/app-error.ts";
import { type Address, address } from "#src/units/address.ts";
import { startTokenApp, TOKEN_MARKET } from "#test/support/api/token-app.ts";
import { marketOf, poolOfSol } from "#test/support/markets/markets.ts";

const [first, second] = TOKEN_MARKET.pools;
const owner = address("A1ice11111111111111111111111111111111111111");

/** 20 of the shares open in parts until June 2027, by the chain's clock; 30 others may at any time. */
const DATED = {
  locker: "jupiter-lock",
  owner,
  shares: 20n,
  terms: {
    kind: "dated",
    next: { at: 1_796_083_200n, slot: null },
    last: { at: 1_811_808_000n, slot: 412_000_000n },
  },
} as const;
const REVOCABLE = {
  ...{ locker: "streamflow", owner, shares: 30n },
  terms: { kind: "unknown", reason: "revocable" },
} as const;
const LOCKS = [
  {
    locker: "jupiter-lock",
    owner,
    share_pct: 2,
    opens_next: { at: "2026-12-01T00:00:00.000Z", slot: null },
    opens_fully: { at: "2027-06-01T00:00:00.000Z", slot: 412_000_000 },
    reason: null,
  },
  {
    locker: "streamflow",
    owner,
    share_pct: 3,
    opens_next: null,
    opens_fully: null,
    reason: "revocable",
  },
];

function heldBy(shares: bigint): PoolHolders {
  return {
    kind: "known",
    issued: 1_000n,
    owners: shares === 0n ? [] : [{ owner, standing: "wallet", shares }],
    burned: 950n - shares,
    locked: 20n,
    locks: [DATED, REVOCABLE],
    unlisted: 10n,
    slot: 300_000_000n,
  };
}

/** Stresses the test market with these holders of its first pools; undefined: not read. */
function stressedBy(...holders: readonly (PoolHolders | undefined)[]) {
  const byPool = new Map<Address, PoolHolders>();
  for (const [index, known] of holders.entries()) {
    const pool = TOKEN_MARKET.pools[index];
    if (pool !== undefined && known !== undefined) byPool.set(pool.address, known);
  }
  return { stressed: async () => stress(TOKEN_MARKET, byPool) };
}

test("the exits after the largest withdrawal are listed beside the current ones, with the owner", async (t) => {
  const get = await startTokenApp(t, stressedBy(heldBy(900n), heldBy(0n)));
  const { status, body, headers } = await get("/exitability/stressed?profile=pro");
  assert.equal(status, 200);
  assert.equal(headers["x-ratelimit-remaining"], "4");
  const ordinary = (await get("/exitability?profile=pro")).body;
  assert.deepEqual(body.now, {
    depth_sol: 150,
    precio_mid: ordinary.precio_mid,
    score: ordinary.score,
    exit_max_sol: ordinary.exit_max_sol,
    slippage: ordinary.slippage.all,
  });
  assert.equal(body.state, "ok");
  assert.equal(body.profile, "pro");
  assert.equal(body.stressed.depth_sol, 60);
  assert.ok(body.stressed.slippage["10"] > body.now.slippage["10"]);
  assert.deepEqual(body.withdrawal, {
    owner,
    owner_kind: "wallet",
    depth_sol: 90,
    share_pct: 60,
  });
  assert.deepEqual(body.pools, [
    {
      program: "raydium-cpmm",
      address: first?.address,
      depth_sol: 100,
      who: "known",
      reason: null,
      leaving_sol: 90,
      largest_pct: 90,
      burned_pct: 5,
      locked_pct: 2,
      time_locked_pct: 2,
      unlisted_pct: 1,
      locks: LOCKS,
      locks_not_listed: 0,
      holders_slot: 300_000_000,
    },
    {
      program: "raydium-cpmm",
      address: second?.address,
      depth_sol: 50,
      who: "known",
      reason: null,
      leaving_sol: 0,
      largest_pct: 0,
      burned_pct: 95,
      locked_pct: 2,
      time_locked_pct: 2,
      unlisted_pct: 1,
      locks: LOCKS,
      locks_not_listed: 0,
      holders_slot: 300_000_000,
    },
  ]);
});

test("unknown figures of a pool's owners are null with the reason, and the answer is marked as partial", async (t) => {
  const get = await startTokenApp(t, stressedBy(heldBy(900n)));
  const { body } = await get("/exitability/stressed");
  assert.equal(body.state, "partial");
  assert.partialDeepStrictEqual(body.pools[1], {
    who: "unknown",
    reason: "holders-not-read",
    leaving_sol: null,
    largest_pct: null,
    burned_pct: null,
    time_locked_pct: null,
    locks: null,
    locks_not_listed: null,
    holders_slot: null,
  });
});

test("of many locks the twenty largest are listed, in their order, and the others are counted", async (t) => {
  const locks = Array.from({ length: 25 }, (_, place) => ({
    ...DATED,
    shares: BigInt(place + 1),
  }));
  const holders = { ...heldBy(0n), burned: 625n, locks };
  const get = await startTokenApp(t, stressedBy(holders));
  const { body } = await get("/exitability/stressed");
  const [pool] = body.pools;
  assert.deepEqual(
    pool.locks.map(({ share_pct }: { share_pct: number }) => Math.round(share_pct * 10)),
    Array.from({ length: 20 }, (_, place) => 6 + place),
  );
  assert.deepEqual([pool.locks_not_listed, pool.time_locked_pct], [5, 32.5]);
});

test("without known shares there is no stressed ladder, and a blocked token has no ladder at all", async (t) => {
  const unknown = await startTokenApp(t, stressedBy());
  const { body } = await unknown("/exitability/stressed");
  assert.equal(body.state, "unknown");
  assert.ok(body.now);
  assert.deepEqual([body.stressed, body.withdrawal], [null, null]);
  for (const stressed of [null, stress(marketOf([poolOfSol(1)], { token: null }), new Map())]) {
    const blocked = await startTokenApp(t, { stressed: async () => stressed });
    const { status, body } = await blocked("/exitability/stressed");
    assert.equal(status, 200);
    assert.equal(body.state, "bloqueado_dato");
    assert.deepEqual([body.now, body.stressed, body.withdrawal], [null, null, null]);
    assert.equal(body.pools?.length ?? null, stressed === null ? null : 1);
  }
});

test("a refused request for a stressed exit is not counted", async (t) => {
  const caller = { "x-forwarded-for": "203.0.113.9" };
  for (const [code, status] of [
    ["chain_unavailable", 503],
    ["overloaded", 503],
  ] as const) {
    const get = await startTokenApp(t, {
      stressed: async () => {
        throw new AppError(code, { publicMessage: "Not just now." });
      },
    });
    const refused = await get("/exitability/stressed", caller);
    assert.deepEqual([refused.status, refused.body.error], [status, code]);
    assert.equal(refused.headers["x-ratelimit-remaining"], "5");
    const wrong = await get("/exitability/stressed?profile=x", caller);
    assert.deepEqual([wrong.status, wrong.body.error], [400, "invalid_profile"]);
  }
});
