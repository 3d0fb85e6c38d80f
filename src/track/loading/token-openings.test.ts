import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { namedAddress, plainPool, plainVenue } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import type { ChainSource } from "#src/chain/chain-source.ts";
import { AppError } from "#src/platform/app-error.ts";
import type { Database } from "#src/store/connection/database.ts";
import { STABLE_MINTS, WSOL } from "#src/units/known-addresses.ts";
import { placePool, placeToken, SOL } from "#test/simulation/track/plain-market.ts";
import { sqliteDatabase } from "#test/support/databases/databases.ts";
import { TokenArchive } from "../history/archive.ts";
import { gridOf } from "../history/history.ts";
import { Tracker } from "../tracker.ts";

const MINT = namedAddress("token");
const MINUTE_MS = 60_000;

/** A token with a pool in a stable: its accounts are not all read together. */
function placeWithHop(chain: ScriptedChain): void {
  const [usd] = STABLE_MINTS;
  assert.ok(usd);
  placeToken(chain, MINT, 80);
  const base = 10_000_000_000_000n;
  placePool(chain, plainPool("in dollars", MINT, usd), { base, quote: 10_000_000_000n });
  placePool(chain, plainPool("of dollars", usd, WSOL), { base, quote: 50_000n * SOL });
  chain.advance(5);
}

/** A tracker on this chain with one token, and the program subscriptions that are open. */
function trackOne(database: Database, chain: ScriptedChain) {
  placeWithHop(chain);
  const open = new Set<object>();
  const faults = { readsToFail: 0, subscriptionsToFail: 0 };
  const failures: string[] = [];
  const followProgram: ChainSource["followProgram"] = (filter, onUpdate) => {
    // The first subscription of the token succeeds, the second one fails.
    if (open.size > 0 && faults.subscriptionsToFail-- > 0) throw new Error("no more subscriptions");
    const subscription = chain.followProgram(filter, onUpdate);
    open.add(subscription);
    return {
      async close() {
        open.delete(subscription);
        await subscription.close();
      },
    };
  };
  const readAccounts: ChainSource["readAccounts"] = async (addresses) => {
    if (tracker.mints().includes(MINT) && faults.readsToFail-- > 0)
      throw new AppError("chain_unavailable", { publicMessage: "The node is down." });
    return await chain.readAccounts(addresses);
  };
  const replaced: Readonly<Record<string | symbol, unknown>> = { followProgram, readAccounts };
  const source = new Proxy(chain, {
    get(target, name) {
      const value: unknown = replaced[name] ?? Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const tracker: Tracker = new Tracker({
    source,
    venues: [plainVenue()],
    clock: { nowMs: () => chain.nowMs },
    database,
    onFailure: (what) => failures.push(what),
  });
  return { tracker, open, faults, failures };
}

async function pass(chain: ScriptedChain, tracker: Tracker, ms: number): Promise<void> {
  const untilMs = chain.nowMs + ms;
  while (chain.nowMs < untilMs) {
    chain.advance(5);
    tracker.touch(MINT);
    tracker.tick();
    await tracker.idle();
  }
}

async function hasHistory(chain: ScriptedChain, tracker: Tracker): Promise<boolean> {
  const times = { fromMs: chain.nowMs - 5 * MINUTE_MS, toMs: chain.nowMs, stepMs: MINUTE_MS };
  const points = await tracker.history(MINT, gridOf(times, chain.nowMs));
  return points.some(({ depthSol }) => depthSol !== null);
}

/** The subscriptions of a token that was loaded without a failure. */
async function usualSubscriptions(t: TestContext): Promise<number> {
  const chain = new ScriptedChain();
  const { tracker, open } = trackOne(await sqliteDatabase(t), chain);
  await tracker.snapshot(MINT);
  const count = open.size;
  await tracker.close();
  assert.ok(count > 1);
  return count;
}

test("a token whose first read fails has its record and its subscriptions for new pools", async (t) => {
  const chain = new ScriptedChain();
  const { tracker, open, faults } = trackOne(await sqliteDatabase(t), chain);
  faults.readsToFail = 1;
  assert.equal((await tracker.snapshot(MINT)).kind, "unavailable");
  await pass(chain, tracker, 10 * MINUTE_MS);
  assert.equal(tracker.latest(MINT)?.kind, "assessed");
  assert.equal(open.size, await usualSubscriptions(t));
  assert.ok(await hasHistory(chain, tracker));
  await tracker.close();
});

test("requests for a token that is being loaded share its first read and one opening of its record", async (t) => {
  const opened = t.mock.method(TokenArchive.prototype, "open");
  const chain = new ScriptedChain();
  const { tracker } = trackOne(await sqliteDatabase(t), chain);
  await Promise.all(Array.from({ length: 50 }, () => tracker.snapshot(MINT)));
  await tracker.idle();
  assert.equal(opened.mock.callCount(), 1);
  const read = chain.reads.filter((addresses) => addresses.includes(MINT)).length;
  assert.ok(read < 5, `read ${read} times`);
  await tracker.close();
});

test("a token whose subscription for new pools fails has a record, and is subscribed later, once", async (t) => {
  const chain = new ScriptedChain();
  const { tracker, open, faults, failures } = trackOne(await sqliteDatabase(t), chain);
  faults.subscriptionsToFail = 1;
  assert.equal((await tracker.snapshot(MINT)).kind, "assessed");
  assert.deepEqual(failures, ["subscribe to new pools"]);
  assert.equal(open.size, 0);
  await pass(chain, tracker, 10 * MINUTE_MS);
  assert.equal(open.size, await usualSubscriptions(t));
  assert.ok(await hasHistory(chain, tracker));
  await tracker.close();
  assert.equal(open.size, 0);
});
