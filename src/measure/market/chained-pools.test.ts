import assert from "node:assert/strict";
import { test } from "node:test";
import type { RecordedExecution } from "#src/accuracy/recorded-execution.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { VENUES } from "#src/venues/all.ts";
import { bindPool, type QuotablePool } from "#src/venues/quotable-pool.ts";
import type { SaleHop } from "#src/venues/venue-sale.ts";
import { marketOf, PLAIN_TOKEN } from "#test/support/markets/markets.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { readExecutions, sharedPath } from "#test/support/pools/executions.ts";
import { exitOfBaseUnits } from "../questions/exit-at.ts";
import { chainedPools } from "./chained-pools.ts";
import { weighRoutes } from "./route.ts";

type Case = { readonly execution: RecordedExecution; readonly pools: readonly QuotablePool[] };

function bind({ accounts, clock }: RecordedExecution, hop: SaleHop): QuotablePool {
  const venue = VENUES.find(({ id }) => id === hop.venue);
  if (venue === undefined) throw new Error(hop.venue);
  const { pool: address, inputMint: baseMint, outputMint: quoteMint } = hop;
  const state = decodedState(venue, address, accounts, baseMint);
  return bindPool({ venue, address, state, baseMint, quoteMint, clock, fast: null });
}

async function recordedRoutes(path: string): Promise<readonly Case[]> {
  const cases = await readExecutions(path);
  return cases.flatMap(({ execution }) => {
    const { route } = execution;
    return route === undefined
      ? []
      : [{ execution, pools: route.map((hop) => bind(execution, hop)) }];
  });
}

function hopByHop(pools: readonly QuotablePool[], amountIn: bigint): bigint | null {
  return pools.reduce<bigint | null>(
    (amount, pool) => (amount === null ? null : pool.quote(amount)),
    amountIn,
  );
}

test("recorded sales over several pump pools pay what the one instruction paid", async (t) => {
  const path = sharedPath(t, "routes", "pump-routes.jsonl.gz");
  if (path === null) return;
  let chained = 0;
  for (const { execution, pools } of await recordedRoutes(path)) {
    const { amountIn, amountOut, outputMint, inputMint } = execution;
    const [pool, ...hopPools] = pools;
    assert.ok(pool !== undefined);
    if (outputMint !== WSOL) continue;
    const expected = amountOut ?? hopByHop(pools, amountIn);
    const market = {
      ...marketOf([pool], { token: { ...PLAIN_TOKEN, supply: 1n << 60n } }),
      mint: inputMint,
      hopPools,
    };
    for (const profile of ["retail", "pro"] as const) {
      const sold = exitOfBaseUnits(market, amountIn, profile);
      if (sold.kind !== "sold") continue;
      assert.equal(sold.paidLamports, expected);
      const [route] = sold.routes;
      assert.deepEqual(
        route?.legs.map((leg) => leg.pool),
        pools.map(({ address }) => address),
      );
      chained++;
    }
  }
  assert.ok(chained > 60, `${chained}`);
});

test("the one instruction never pays less than the sales one by one, and its fees are shown", async (t) => {
  const path = sharedPath(t, "routes", "pump-routes.jsonl.gz");
  if (path === null) return;
  let more = 0;
  for (const { execution, pools } of await recordedRoutes(path)) {
    const single = hopByHop(pools, execution.amountIn);
    if (execution.amountOut === null || single === null) continue;
    assert.ok(execution.amountOut >= single);
    if (execution.amountOut > single) more++;
    const chain = chainedPools(pools);
    assert.ok(chain !== null);
    for (const [index, pool] of chain.entries()) {
      assert.ok(pool.feePpm <= (pools[index]?.feePpm ?? 0));
    }
    if (pools.at(-1)?.quoteMint !== WSOL) continue;
    const [pool, ...hops] = pools;
    assert.ok(pool !== undefined);
    const [route] = weighRoutes([{ pool, hops }]);
    const shown = 1 - chain.reduce((kept, { feePpm }) => kept * (1 - feePpm / 1e6), 1);
    assert.equal(route?.feeShare, shown);
  }
  assert.ok(more > 50, `${more}`);
});

test("a mayhem coin, a pool that pump did not create and another program end the chain", async (t) => {
  const path = sharedPath(t, "routes", "pump-routes.jsonl.gz");
  if (path === null) return;
  const [first] = await recordedRoutes(path);
  assert.ok(first !== undefined);
  const { pools } = first;
  const last = pools.at(-1);
  assert.ok(last !== undefined);
  assert.equal(chainedPools([last]), null);
  const { chain, ...foreign } = last;
  assert.ok(chain !== undefined);
  assert.equal(chainedPools([...pools.slice(0, -1), foreign]), null);
  const refusing = { ...last, chain: { ...chain, at: () => null } };
  assert.equal(chainedPools([...pools.slice(0, -1), refusing]), null);
});
