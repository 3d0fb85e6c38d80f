import assert from "node:assert/strict";
import { test } from "node:test";
import { holdersFirst } from "#src/measure/questions/holders-first.ts";
import type { TokenHolders } from "#src/measure/questions/token-holders.ts";
import { oneApp } from "#test/support/api/app.ts";
import { SOME_MINT, someMarkets, someSnapshot } from "#test/support/markets/assessments.ts";
import { marketOf, poolOfSol, SOL, SOMEBODY } from "#test/support/markets/markets.ts";
import { poolAddress } from "#test/support/pools/pools.ts";

const PATH = `/api/token/${SOME_MINT}/exitability/holders-first`;
const SUPPLY = 1_000_000_000_000_000n;
const market = marketOf([poolOfSol(85, 85e9 / 2.07e14)]);

function marketsWith(holders: TokenHolders, of = market) {
  return someMarkets(() => someSnapshot(), { holdersFirst: async () => holdersFirst(of, holders) });
}

const HELD: TokenHolders = {
  kind: "known",
  supply: SUPPLY,
  sellers: [
    { owner: SOMEBODY, baseUnits: SUPPLY / 10n },
    { owner: poolAddress(50), baseUnits: SUPPLY / 10n },
  ],
  excluded: [{ owner: poolAddress(1), baseUnits: 207n * 10n ** 12n, reason: "pool" }],
  unlisted: SUPPLY / 4n,
  slot: 300_000_000n,
};

test("after a tenth and a fifth of the supply was sold a 5 SOL exit of an 85 SOL pool costs 56 and 75 percent", async (t) => {
  await oneApp(
    t,
    async ({ send }) => {
      const response = await send("GET", PATH);
      assert.equal(response.statusCode, 200);
      const body = response.json();
      assert.deepEqual([body.state, body.reason, body.holders_slot], ["ok", null, 300_000_000]);
      assert.ok(Math.abs(body.now.slippage["5"] - 5.8) < 0.3);
      assert.deepEqual(
        body.steps.map(({ holders, sold_by }: Record<string, number>) => [holders, sold_by]),
        [
          [1, 1],
          [3, 2],
          [5, 2],
          [10, 2],
          [20, 2],
        ],
      );
      assert.ok(Math.abs(body.steps[0].slippage["5"] - 56) < 1, body.steps[0].slippage["5"]);
      assert.ok(Math.abs(body.steps[1].slippage["5"] - 75) < 1, body.steps[1].slippage["5"]);
      assert.deepEqual([body.steps[1].sold_pct, body.steps[1].unsold_pct], [20, 0]);
      assert.equal(body.unlisted_pct, 25);
      assert.deepEqual(body.excluded, [
        { owner: poolAddress(1), supply_pct: 20.7, reason: "pool" },
      ]);
    },
    { markets: marketsWith(HELD) },
  );
});

test("unknown holders are a reason without steps, beside the ladder now; a blocked token has neither", async (t) => {
  const unknown = { kind: "unknown", reason: "holders-not-read" } as const;
  await oneApp(
    t,
    async ({ send }) => {
      const body = (await send("GET", PATH)).json();
      assert.deepEqual([body.state, body.reason], ["unknown", "holders-not-read"]);
      assert.ok(body.now);
      assert.deepEqual(
        [body.steps, body.excluded, body.unlisted_pct, body.holders_slot],
        [null, null, null, null],
      );
    },
    { markets: marketsWith(unknown) },
  );
  await oneApp(
    t,
    async ({ send }) => {
      const body = (await send("GET", PATH)).json();
      assert.deepEqual([body.state, body.now, body.steps], ["bloqueado_dato", null, null]);
      assert.equal((await send("GET", `${PATH}?profile=x`)).json().error, "invalid_profile");
    },
    { markets: marketsWith(HELD, marketOf([poolOfSol(1)], { token: null })) },
  );
});

test("what the pools do not take is reported, and no more is sold after that", async (t) => {
  const short = marketOf([poolOfSol(100, 0.001, { realQuote: SOL })]);
  await oneApp(
    t,
    async ({ send }) => {
      const [step] = (await send("GET", PATH)).json().steps;
      assert.ok(step.unsold_pct > 9 && step.paid_sol > 0.99 && step.paid_sol <= 1);
      assert.deepEqual([step.slippage["1"], step.exit_max_sol], [null, 0]);
    },
    { markets: marketsWith(HELD, short) },
  );
});
