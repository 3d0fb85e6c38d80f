import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { namedAddress } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import type { RecordedExecution } from "#src/accuracy/recorded-execution.ts";
import { exitOfBaseUnits } from "#src/measure/questions/exit-at.ts";
import { mapSome } from "#src/platform/map-some.ts";
import { type Address, bytesOf } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { VENUES } from "#src/venues/all.ts";
import { BONDING_CURVE } from "#src/venues/pump-curve/layout.ts";
import { firstExecution, readExecutions, sharedPath } from "#test/support/pools/executions.ts";
import type { LoadedAccounts } from "./gather-accounts.ts";
import { loadChain, MAX_CHAIN_HOPS } from "./load-chain.ts";
import { loadMarket } from "./load-market.ts";

const PROGRAMS = VENUES.map(({ programId }) => programId);
/** A load waits for further pools in real time: several chains are loaded at once, to wait only once. */
const LOADS_AT_ONCE = 32;

/** The recorded accounts on a chain that answers no program query: only derived addresses are found. */
function chainOf(accounts: RecordedExecution["accounts"]): ScriptedChain {
  const chain = new ScriptedChain();
  if (!(accounts instanceof Map)) throw new Error("recorded accounts are a map");
  for (const [address, account] of accounts) chain.set(address, account);
  for (const programId of PROGRAMS) chain.refusedPrograms.add(programId);
  return chain;
}

test("a coin quoted in pump coins is answered over its chain, without a program query", async (t) => {
  const path = sharedPath(t, "routes", "pump-routes.jsonl.gz");
  if (path === null) return;
  const kinds = new Map<string, number>();
  await mapSome(await readExecutions(path), LOADS_AT_ONCE, async ({ line, execution }) => {
    const { route, inputMint, outputMint, amountIn, amountOut, accounts } = execution;
    if (route === undefined || outputMint !== WSOL || amountOut === null) return;
    const chain = chainOf(accounts);
    const deps = { source: chain, venues: VENUES, clock: { nowMs: () => chain.nowMs } };
    const loaded = await loadMarket(deps, inputMint);
    assert.ok(loaded.kind === "market", `line ${line}`);
    const sold = exitOfBaseUnits(loaded.market, amountIn, "retail");
    if (sold.kind === "unsellable") {
      assert.ok(sold.reason === "too-small" || sold.reason === "exceeds-supply", sold.reason);
      return;
    }
    assert.equal(sold.paidLamports, amountOut, `line ${line}`);
    assert.deepEqual(
      sold.routes[0]?.legs.map(({ pool }) => pool),
      route.map(({ pool }) => pool),
    );
    const kind = route.map(({ venue }) => venue).join(" > ");
    kinds.set(kind, Math.max(kinds.get(kind) ?? 0, chain.reads.length));
  });
  t.diagnostic(`batched reads by kind of chain: ${JSON.stringify(Object.fromEntries(kinds))}`);
  assert.ok(kinds.size >= 4);
});

test("the coins behind a token are read in one read each, together with what is derived, without a search", async (t) => {
  const path = sharedPath(t, "routes", "pump-routes.jsonl.gz");
  if (path === null) return;
  const reads = new Map<string, number>();
  for (const { line, execution } of await readExecutions(path)) {
    const [first, ...hops] = execution.route ?? [];
    if (first === undefined || hops.length === 0) continue;
    const chain = chainOf(execution.accounts);
    const known: LoadedAccounts = new Map();
    const { coins, ends } = await loadChain(
      { source: chain, venues: VENUES, clock: { nowMs: () => chain.nowMs } },
      { mints: [first.outputMint], hops: MAX_CHAIN_HOPS, isKnown: (it) => it === first.inputMint },
      known,
    );
    for (const { pool, inputMint } of hops) {
      const found = coins.get(inputMint)?.pools.map(({ address }) => address) ?? [];
      assert.ok(found.includes(pool), `line ${line}`);
    }
    assert.deepEqual(ends, execution.outputMint === WSOL ? [] : [execution.outputMint]);
    assert.equal(chain.searches.length, 0);
    assert.equal(chain.holderSearches.length, 0);
    const kind = [first, ...hops].map(({ venue }) => venue).join(" > ");
    reads.set(kind, Math.max(reads.get(kind) ?? 0, chain.reads.length));
    assert.ok(chain.reads.length <= hops.length, `line ${line}: ${chain.reads.length} reads`);
  }
  t.diagnostic(`reads beyond the token's own: ${JSON.stringify(Object.fromEntries(reads))}`);
  assert.ok(reads.size >= 4);
});

/** A curve account of today's length, quoted in the mint. */
function quotedIn(account: Account, quoteMint: Address): Account {
  const data = account.data.slice();
  data.set(bytesOf(quoteMint), BONDING_CURVE.quote_mint);
  return { ...account, data };
}

async function threeCurves(t: TestContext) {
  const path = sharedPath(t, "routes", "pump-routes.jsonl.gz");
  if (path === null) return null;
  const found = await firstExecution(
    path,
    ({ route, outputMint, amountOut }) =>
      outputMint === WSOL &&
      (amountOut ?? 0n) > 1_000_000n &&
      route?.length === 3 &&
      route.every(({ venue }) => venue === "pump-curve"),
  );
  const [first, second, third] = found?.execution.route ?? [];
  assert.ok(found !== undefined && first && second && third);
  return { execution: found.execution, first, second, third };
}

test("a chain that loops, or ends in an unknown coin, is known, not priced, and ends the search", async (t) => {
  const recorded = await threeCurves(t);
  if (recorded === null) return;
  const { execution, first, third } = recorded;
  const quotes = [first.inputMint, third.inputMint, namedAddress("unknown coin")];
  await mapSome(quotes, LOADS_AT_ONCE, async (quoteMint) => {
    const chain = chainOf(execution.accounts);
    const curve = execution.accounts.get(third.pool);
    assert.ok(curve);
    chain.set(third.pool, quotedIn(curve, quoteMint));
    const deps = { source: chain, venues: VENUES, clock: { nowMs: () => chain.nowMs } };
    const loaded = await loadMarket(deps, first.inputMint);
    assert.ok(loaded.kind === "market", quoteMint);
    assert.ok(loaded.market.pools.length + loaded.market.unpriced.length > 0);
    const sold = exitOfBaseUnits(loaded.market, 10n ** 9n, "retail");
    assert.equal(sold.kind, "unsellable");
    assert.ok(chain.reads.length <= 40, `${chain.reads.length} reads`);
  });
});

test("a full curve and a mayhem coin in the chain are never an unknown token", async (t) => {
  const recorded = await threeCurves(t);
  if (recorded === null) return;
  const { execution, first, second } = recorded;
  for (const [offset, isSold] of [
    [BONDING_CURVE.complete, false],
    [BONDING_CURVE.is_mayhem_mode, true],
  ] as const) {
    const chain = chainOf(execution.accounts);
    const curve = execution.accounts.get(second.pool);
    assert.ok(curve);
    const data = curve.data.slice();
    data[offset] = 1;
    chain.set(second.pool, { ...curve, data });
    const deps = { source: chain, venues: VENUES, clock: { nowMs: () => chain.nowMs } };
    const loaded = await loadMarket(deps, first.inputMint);
    assert.ok(loaded.kind === "market");
    const sold = exitOfBaseUnits(loaded.market, execution.amountIn, "retail");
    if (!isSold) assert.equal(sold.kind, "unsellable");
    // multi_hop_swap refuses mayhem curves: the coins are sold one by one, at every hop's whole fees.
    else assert.ok(sold.kind === "sold" && sold.paidLamports < (execution.amountOut ?? 0n));
  }
});
