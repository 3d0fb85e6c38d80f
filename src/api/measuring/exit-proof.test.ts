import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { exitOn } from "#src/measure/questions/exit-at.ts";
import { unavailable } from "#src/proof/proofs.ts";
import type { ExitProof } from "#src/proof/prove-exit.ts";
import { address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { FixedWindows } from "#src/users/fixed-windows.ts";
import { buildCheckedApp } from "#test/support/api/conformance.ts";
import { plainHttpDeps } from "#test/support/api/http-deps.ts";
import { sqliteDatabase } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { SOME_MINT, someMarkets, someSnapshot } from "#test/support/markets/assessments.ts";
import { marketOf, poolOfSol } from "#test/support/markets/markets.ts";
import { testUsers } from "#test/support/users/users.ts";
import type { HttpDeps } from "../app.ts";

const NOW = 1_790_000_001_000;
const POOL = address("7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5");
const PROGRAM = address("CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C");
const market = marketOf([poolOfSol(100)]);

async function startApp(
  t: TestContext,
  proofOf: HttpDeps["proofOf"],
  windows = new FixedWindows(),
) {
  const app = await buildCheckedApp({
    ...plainHttpDeps(),
    proofOf,
    markets: someMarkets(() => someSnapshot()),
    users: await testUsers(t, await sqliteDatabase(t), {
      clock: { nowMs: () => NOW },
      windows,
    }),
    clock: { nowMs: () => NOW },
  });
  closeAfter(t, () => app.close());
  return async (query: string) => {
    const response = await app.inject(`/api/token/${SOME_MINT}/exitability/proof?${query}`);
    return { status: response.statusCode, body: response.json(), headers: response.headers };
  };
}

const PROOF: ExitProof = {
  slot: 400_000_002n,
  exit: exitOn(market, { profile: "retail", sizeLamports: 1_000_000_000n }),
  isEqual: false,
  sales: [
    {
      venue: "raydium-cpmm",
      pool: POOL,
      inputMint: SOME_MINT,
      outputMint: WSOL,
      amountIn: 5n,
      modelled: { kind: "paid", amount: 9_007_199_254_740_993n },
      executed: { kind: "refused", reason: "program error 6005" },
      isEqual: false,
      unproved: null,
      computeUnits: 31_000n,
      program: { programId: PROGRAM, loader: PROGRAM, deployedSlot: 413_000_000n, hash: "ab" },
    },
  ],
};

test("a proof names pool, program, code and both outcomes of each sale", async (t) => {
  const asked: unknown[] = [];
  const get = await startApp(t, async (mint, sale) => {
    asked.push([mint, sale]);
    return PROOF;
  });
  const { status, body } = await get("size=2.5&profile=pro");
  assert.equal(status, 200);
  assert.deepEqual(asked, [[SOME_MINT, { profile: "pro", sizeLamports: 2_500_000_000n }]]);
  assert.equal(body.is_equal, false);
  // Of the accounts that it was executed on; the answer in this process is two slots older.
  assert.equal(body.slot, 400_000_002);
  assert.deepEqual(body.sales, [
    {
      program: "raydium-cpmm",
      pools: [POOL],
      input_mint: SOME_MINT,
      output_mint: WSOL,
      amount_in: "5",
      program_id: PROGRAM,
      program_hash: "ab",
      deployed_slot: 413_000_000,
      modelled: { amount_out: "9007199254740993", refusal: null },
      executed: { amount_out: null, refusal: "program error 6005" },
      is_equal: false,
      compute_units: 31_000,
      unproved: null,
    },
  ]);
});

test("where nothing can be executed the answer is 503 with the reason, and does not count", async (t) => {
  const get = await startApp(t, () => Promise.reject(unavailable("the operator has it off")));
  const first = await get("size=1");
  assert.equal(first.status, 503);
  assert.deepEqual(first.body, {
    error: "proof_unavailable",
    message: "No proof: the operator has it off.",
  });
  const again = await get("size=1");
  assert.equal(again.headers["x-ratelimit-remaining"], first.headers["x-ratelimit-remaining"]);
});

test("a wrong size is refused before anything is executed", async (t) => {
  const get = await startApp(t, () => assert.fail("executed"));
  const { status, body } = await get("size=0.001");
  assert.deepEqual([status, body.error], [400, "invalid_size"]);
});

test("the eleventh proof of a minute is refused, and does not count as a query", async (t) => {
  const windows = new FixedWindows();
  const rule = { limit: 10, lengthMs: 60_000 };
  const get = await startApp(t, async () => PROOF, windows);
  const before = await get("size=1");
  assert.equal(before.status, 200);
  for (let proof = 1; proof < 10; proof++) {
    windows.take("getExitProof/address:127.0.0.1", rule, NOW);
  }
  const refused = await get("size=1");
  assert.deepEqual([refused.status, refused.body.error], [429, "rate_limit_exceeded"]);
  assert.ok(Number(refused.headers["retry-after"]) <= 60);
  assert.equal(refused.headers["x-ratelimit-remaining"], before.headers["x-ratelimit-remaining"]);
});
