import type { TestContext } from "node:test";
import type { HttpDeps } from "#src/api/app.ts";
import { assess } from "#src/measure/assess.ts";
import { exitOn } from "#src/measure/questions/exit-at.ts";
import { sqliteDatabase } from "../databases/databases.ts";
import { closeAfter } from "../ending.ts";
import { SOME_MINT, someMarkets, someSnapshot } from "../markets/assessments.ts";
import { marketOf, poolOfSol } from "../markets/markets.ts";
import { testUsers } from "../users/users.ts";
import { buildCheckedApp } from "./conformance.ts";
import { plainHttpDeps } from "./http-deps.ts";

export const TOKEN_APP_NOW_MS = 1_790_000_001_000;
export const TOKEN_MARKET = marketOf([poolOfSol(100), poolOfSol(50, 0.001, { number: 2 })]);

/** The routes of a token with two pools. Each request comes from a new address unless it names one. */
export async function startTokenApp(
  t: TestContext,
  change: Partial<HttpDeps["markets"]> = {},
  clock = { nowMs: () => TOKEN_APP_NOW_MS },
) {
  const { mint: _mint, ...assessed } = assess(TOKEN_MARKET);
  const app = await buildCheckedApp({
    ...plainHttpDeps(),
    markets: someMarkets(() => someSnapshot(assessed), {
      exit: async (_mint, sale) => exitOn(TOKEN_MARKET, sale),
      ...change,
    }),
    users: await testUsers(t, await sqliteDatabase(t), { clock }),
    clock,
  });
  closeAfter(t, () => app.close());
  let caller = 0;
  return async (path: string, headers: Record<string, string> = {}) => {
    caller++;
    const address = headers["x-forwarded-for"] ?? `198.51.100.${caller}`;
    const response = await app.inject({
      url: `/api/token/${SOME_MINT}${path}`,
      headers: { ...headers, "x-forwarded-for": address },
    });
    return {
      status: response.statusCode,
      body: response.body === "" ? null : response.json(),
      headers: response.headers,
    };
  };
}
