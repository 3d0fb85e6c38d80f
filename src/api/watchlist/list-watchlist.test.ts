import assert from "node:assert/strict";
import { test } from "node:test";
import { assess } from "#src/measure/assess.ts";
import { exitAt } from "#src/measure/questions/exit-at.ts";
import { AppError } from "#src/platform/app-error.ts";
import type { Markets } from "#src/track/markets.ts";
import { oneApp } from "#test/support/api/app.ts";
import { someMarkets, someSnapshot } from "#test/support/markets/assessments.ts";
import { marketOf, poolOfSol } from "#test/support/markets/markets.ts";
import { TOKEN } from "#test/support/pools/pools.ts";

const PATH = "/api/oracle/watchlist";
const market = marketOf([poolOfSol(100)]);
const assessed = someSnapshot(assess(market));
const away = new AppError("chain_unavailable", { publicMessage: "There is no tracker." });

for (const [when, exit] of [
  ["the token is not tracked", async () => null],
  ["the tracker can't be reached", () => Promise.reject(away)],
  ["the market was just blocked", async () => ({ kind: "unsellable", reason: "blocked" })],
  [
    "the token's family, and with it the rule of sizes, has just changed",
    async () => ({ kind: "unsellable", reason: "size-not-allowed" }),
  ],
] as const satisfies readonly (readonly [string, Markets["exit"]])[]) {
  test(`while ${when}, an entry's size is answered by the ladder or unknown, never as unsellable`, async (t) => {
    await oneApp(
      t,
      async ({ send, signIn }) => {
        const { cookie, origin } = await signIn("ana@example.com");
        const headers = { cookie, origin };
        const listed = async () =>
          (await send("GET", PATH, { headers })).json().items[0].exitability;
        const added = await send("POST", PATH, { headers, payload: { mint: TOKEN, size_sol: 5 } });
        const onLadder = await listed();
        const sale = exitAt(market, 5_000_000_000n, "retail");
        assert.ok(sale.kind === "sold");
        assert.deepEqual([onLadder.state, onLadder.slippage_pct], ["ok", sale.slippagePct]);
        const payload = { id: added.json().id, size_sol: 5.01 };
        await send("PATCH", PATH, { headers, payload });
        const between = await listed();
        assert.deepEqual(between, { ...onLadder, state: null, slippage_pct: null });
      },
      { markets: someMarkets(() => assessed, { exit }) },
    );
  });
}
