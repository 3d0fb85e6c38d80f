import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { raydiumClmmProgram } from "#demo/programs/raydium-clmm.ts";
import { mintAccount, tokenAccount } from "#demo/token-accounts.ts";
import type { Market } from "#src/measure/market/market.ts";
import { exitAt } from "#src/measure/questions/exit-at.ts";
import { LAMPORTS_PER_SOL } from "#src/units/amounts.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { raydiumClmm } from "#src/venues/raydium-clmm/adapter.ts";
import type { Venue } from "#src/venues/venue.ts";
import { closeAfter } from "#test/support/ending.ts";
import { SOMEBODY } from "#test/support/markets/markets.ts";
import { MARKET_CLOCK } from "#test/support/markets/played-market.ts";
import { LOW_MINT, openTickPool } from "#test/support/markets/played-tick-pool.ts";
import { poolAddress } from "#test/support/pools/pools.ts";
import { Tracker } from "./tracker.ts";

const TURNS_BEFORE_TRADE = 4;
/** Base units that the one holder sells. */
const HELD = 1_000_000_000n;
/** Base units in the vault of the pool that `openTickPool` opens. */
const IN_POOL = 200_000_000_000_000n;

/** A tracker of one CLMM pool, whose quotes in doubles follow its accounts. */
async function tracked(t: TestContext) {
  const program = raydiumClmmProgram;
  const { market: played, pool } = openTickPool({ venue: raydiumClmm, program }, LOW_MINT);
  const chain = new ScriptedChain();
  for (const [address, account] of played.accounts) chain.set(address, account);
  chain.set(
    LOW_MINT,
    mintAccount({ supply: IN_POOL + HELD, decimals: 6, slot: MARKET_CLOCK.slot }),
  );
  const held = { mint: LOW_MINT, owner: SOMEBODY, amount: HELD, slot: MARKET_CLOCK.slot };
  chain.set(poolAddress(1), tokenAccount(held));
  const venues = [raydiumClmm as Venue<unknown>];
  const clock = { nowMs: () => chain.nowMs };
  const tracker = new Tracker({ source: chain, venues, clock, database: null });
  closeAfter(t, () => tracker.close());
  assert.equal((await tracker.snapshot(LOW_MINT)).kind, "assessed");
  tracker.tick();
  /** A trader buys for 200 SOL, and the answer changes. */
  const trade = (): void => {
    chain.advance(1);
    const traded = program.swap(played.accounts, {
      ...{ inputMint: WSOL, outputMint: LOW_MINT, amountIn: 200_000_000_000n },
      ...{ pool, user: pool, clock: MARKET_CLOCK },
    });
    assert.ok(traded.kind === "done");
    for (const [address, account] of traded.changes) chain.set(address, account);
    tracker.tick();
    tracker.latest(LOW_MINT);
  };
  return { tracker, trade };
}

test("a curve is of one market also where its pool trades while it is measured", async (t) => {
  const { tracker, trade } = await tracked(t);
  const before = await tracker.curve(LOW_MINT);
  const measuring = tracker.curve(LOW_MINT);
  for (let turn = 0; turn < TURNS_BEFORE_TRADE; turn++) await nextTurn();
  trade();
  assert.deepEqual(await measuring, before);
  assert.notDeepEqual(await tracker.curve(LOW_MINT), before);
});

test("exits after the holders are of one market also where its pool trades while they are measured", async (t) => {
  const { tracker, trade } = await tracked(t);
  const before = await tracker.holdersFirst(LOW_MINT);

  assert.equal(before?.steps?.[0]?.soldBaseUnits, HELD);
  const measuring = tracker.holdersFirst(LOW_MINT);
  await nextTurn();
  trade();
  assert.deepEqual(await measuring, before);
  assert.notDeepEqual(await tracker.holdersFirst(LOW_MINT), before);
});

test("a market that is kept, as for the judgement of an alert, pays the same after a trade", async (t) => {
  const { tracker, trade } = await tracked(t);
  const market = tracker.market(LOW_MINT);
  assert.ok(market !== null);
  const sizes = [LAMPORTS_PER_SOL, 3n * LAMPORTS_PER_SOL, 10n * LAMPORTS_PER_SOL];
  const exitsOf = (of: Market) => sizes.map((size) => exitAt(of, size, "retail"));
  const before = exitsOf(market);
  trade();
  assert.deepEqual(exitsOf(market), before);
});
