import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { MarketSnapshot } from "#src/track/market-snapshot.ts";
import type { AssessedSnapshot } from "#src/track/snapshot-text.ts";
import type { Address } from "#src/units/address.ts";
import { slipping } from "#test/support/api/exitability-streams.ts";
import { closeAfter } from "#test/support/ending.ts";
import { warningsTo } from "#test/support/failure-loggers.ts";
import { SOME_MINT, someMarkets } from "#test/support/markets/assessments.ts";
import { poolAddress } from "#test/support/pools/pools.ts";
import { type SubscribedQuestion, Subscriptions } from "./subscriptions.ts";

const ROUND_MS = 10_000;

/** Markets that load a token with `load`, and hold those in `held`. */
function subscribed(t: TestContext, load: (mint: Address) => MarketSnapshot) {
  t.mock.timers.enable({ apis: ["setInterval", "Date"] });
  const held = new Map<Address, AssessedSnapshot>();
  const loads: Address[] = [];
  const markets = someMarkets(
    (mint) => {
      loads.push(mint);
      return load(mint);
    },
    {
      latest: (mint) => held.get(mint) ?? null,
      touch: (mint) => held.has(mint),
      onSnapshot: () => () => {},
    },
  );
  const failures: unknown[] = [];
  const clock = { nowMs: () => Date.now() };
  const log = warningsTo((context) => failures.push(context));
  const subscriptions = new Subscriptions({ markets, clock, log });
  closeAfter(t, () => subscriptions.close());
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    ...{ subscriptions, held, loads, failures },
    /** The tokens that were loaded in a round. */
    async round() {
      loads.length = 0;
      t.mock.timers.tick(ROUND_MS);
      await settle();
      return [...loads];
    },
  };
}

function questionOf(mint: Address): SubscribedQuestion {
  return { mint, profile: "retail", size: { requested: 1, used: "1" }, language: "en" };
}

test("a followed token that is not held is loaded until it is, also after a stored answer", async (t) => {
  const stored = slipping(1);
  let isReachable = false;
  const { subscriptions, held, round } = subscribed(t, () => {
    if (!isReachable) return stored;
    const live = slipping(2);
    held.set(SOME_MINT, live);
    return live;
  });
  const received: (number | null | undefined)[] = [];
  subscriptions.follow(questionOf(SOME_MINT), ({ body }) =>
    received.push(body?.slippage?.all["1"]),
  );
  assert.deepEqual(await round(), [SOME_MINT]);
  assert.deepEqual(await round(), [SOME_MINT]);
  isReachable = true;
  assert.deepEqual(await round(), [SOME_MINT]);
  assert.deepEqual(received, [1, 2]);
  assert.deepEqual(await round(), []);
  held.delete(SOME_MINT);
  assert.deepEqual(await round(), [], "noticed in this round");
  assert.deepEqual(await round(), [SOME_MINT], "let go by the tracker");
});

test("a followed token that does not exist is not searched again", async (t) => {
  const { subscriptions, round } = subscribed(t, (mint) => ({ kind: "not-found", mint }));
  subscriptions.follow(questionOf(SOME_MINT), () => {});
  subscriptions.follow(questionOf(poolAddress(1)), () => {}, { isMissing: true });
  assert.deepEqual(await round(), [SOME_MINT]);
  assert.deepEqual(await round(), []);
});

test("while no load succeeds, few followed tokens are tried in each round, all in turn", async (t) => {
  const mints = Array.from({ length: 100 }, (_, place) => poolAddress(place));
  const { subscriptions, round } = subscribed(t, (mint) => ({ kind: "unavailable", mint }));
  for (const mint of mints) subscriptions.follow(questionOf(mint), () => {});
  const tried = new Set<Address>();
  for (let rounds = 0; rounds < 5; rounds++) {
    const loads = await round();
    assert.ok(loads.length < 25, `${loads.length} loads`);
    for (const mint of loads) tried.add(mint);
  }
  assert.deepEqual(tried, new Set(mints));
});

test("a follower that throws is logged, and stops neither the other followers nor later loads", async (t) => {
  let slippage = 1;
  const { subscriptions, failures, round } = subscribed(t, () => slipping(slippage++));
  const received: (number | null | undefined)[] = [];
  subscriptions.follow(questionOf(SOME_MINT), () => {
    throw new TypeError("a bug");
  });
  subscriptions.follow(questionOf(SOME_MINT), ({ body }) =>
    received.push(body?.slippage?.all["1"]),
  );
  assert.deepEqual(await round(), [SOME_MINT]);
  assert.deepEqual(await round(), [SOME_MINT]);
  assert.deepEqual(received, [1, 2]);
  assert.equal(failures.length, 1);
});
