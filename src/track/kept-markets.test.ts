import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { raydiumClmmProgram } from "#demo/programs/raydium-clmm.ts";
import { exitAt } from "#src/measure/exit-at.ts";
import type { Market } from "#src/measure/market.ts";
import { LAMPORTS_PER_SOL } from "#src/units/amounts.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { raydiumClmm } from "#src/venues/raydium-clmm/adapter.ts";
import type { Venue } from "#src/venues/venue.ts";
import { closeAfter } from "#test/support/ending.ts";
import { MARKET_CLOCK } from "#test/support/played-market.ts";
import { LOW_MINT, openTickPool } from "#test/support/played-tick-pool.ts";
import { createTracker } from "./tracker.ts";

const TURNS_BEFORE_TRADE = 4;

/** A tracker of one CLMM pool, whose quotes in doubles follow its accounts. */
async function tracked(t: TestContext) {
  const program = raydiumClmmProgram;
  const { market: played, pool } = openTickPool({ venue: raydiumClmm, program }, LOW_MINT);
  const chain = new ScriptedChain();
  for (const [address, account] of played.accounts) chain.set(address, account);
  const venues = [raydiumClmm as Venue<unknown>];
  const clock = { nowMs: () => chain.nowMs };
  const tracker = createTracker({ source: chain, venues, clock, database: null });
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
