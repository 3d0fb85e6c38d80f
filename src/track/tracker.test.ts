import assert from "node:assert/strict";
import { test } from "node:test";
import {
  derivedPool,
  namedAddress,
  PLAIN_PROGRAM,
  plainPool,
  plainVenue,
} from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { CLOCK_SYSVAR, USDC, WSOL } from "#src/units/known-addresses.ts";
import {
  placeMint,
  placePool,
  placeToken,
  SOL,
  setReserves,
} from "#test/simulation/track/plain-market.ts";
import { closeAfter } from "#test/support/ending.ts";
import type { MarketSnapshot } from "./market-snapshot.ts";
import { Tracker } from "./tracker.ts";

const MINT = namedAddress("token");
const BASE = 500_000_000_000_000n;

function track(chain: ScriptedChain) {
  const failures: string[] = [];
  const tracker = new Tracker({
    source: chain,
    venues: [plainVenue()],
    clock: { nowMs: () => chain.nowMs },
    database: null,
    onFailure: (what) => failures.push(what),
  });
  return { tracker, failures };
}

function assessed(snapshot: MarketSnapshot | null) {
  assert.equal(snapshot?.kind, "assessed");
  return snapshot.assessment;
}

function depthOf(snapshot: MarketSnapshot | null): bigint | undefined {
  return assessed(snapshot).measurement?.depthLamports;
}

test("the first request loads a token, the next is answered from memory", async () => {
  const chain = new ScriptedChain();
  placeToken(chain, MINT, 80);
  const { tracker } = track(chain);
  assert.equal(tracker.latest(MINT), null);
  assert.equal(depthOf(await tracker.snapshot(MINT)), 80n * SOL);
  const reads = chain.reads.length;
  assert.equal(depthOf(await tracker.snapshot(MINT)), 80n * SOL);
  assert.equal(depthOf(tracker.latest(MINT)), 80n * SOL);
  assert.equal(chain.reads.length, reads);
  await tracker.close();
});

test("a first answer needs no further read where one call had every account of the token", async (t) => {
  const chain = new ScriptedChain();
  const { address, vaultA, vaultB } = placeToken(chain, MINT, 80);
  const { tracker } = track(chain);
  closeAfter(t, () => tracker.close());
  const { slot } = assessed(await tracker.snapshot(MINT));
  assert.equal(slot, chain.slot);
  const whole = chain.reads.filter((read) => read.includes(vaultB));
  assert.equal(whole.length, 1);
  for (const needed of [MINT, address, vaultA, vaultB, CLOCK_SYSVAR])
    assert.ok(whole[0]?.includes(needed));
  assert.equal(whole[0], chain.reads.at(-1));
});

test("a first answer uses one read of all accounts if calls are too small, or a pool leads through another token", async (t) => {
  const small = Object.assign(new ScriptedChain(), { accountsPerCall: () => 3 });
  const led = new ScriptedChain();
  const hop = plainPool("hop", USDC, WSOL);
  for (const chain of [small, led]) placeMint(chain, MINT);
  const pools = [
    [small, placePool(small, plainPool("token", MINT, WSOL), { base: BASE, quote: 80n * SOL })],
    [led, placePool(led, plainPool("token", MINT, USDC), { base: BASE, quote: 80n * SOL })],
  ] as const;
  placePool(led, hop, { base: BASE, quote: 80n * SOL });
  for (const [chain, pool] of pools) {
    const { tracker } = track(chain);
    closeAfter(t, () => tracker.close());
    // Each read has another slot: a state combined from several reads would never have existed.
    const read = chain.readAccounts.bind(chain);
    chain.readAccounts = async (addresses) => {
      chain.advance(1);
      return await read(addresses);
    };
    assessed(await tracker.snapshot(MINT));
    const ofOneSlot = [pool, ...(chain === led ? [hop] : [])].flatMap((of) => [
      of.address,
      of.vaultA,
      of.vaultB,
    ]);
    const last = chain.reads.at(-1) ?? [];
    for (const needed of [MINT, ...ofOneSlot]) assert.ok(last.includes(needed));
  }
});

test("concurrent requests share one load", async () => {
  const chain = new ScriptedChain();
  placeToken(chain, MINT, 80);
  const { tracker } = track(chain);
  const answers = await Promise.all(Array.from({ length: 20 }, () => tracker.snapshot(MINT)));
  for (const answer of answers) assert.deepEqual(answer, answers[0]);
  assert.equal(chain.searches.length, 2);
  await tracker.close();
});

test("an update is in the next answer", async () => {
  const chain = new ScriptedChain();
  const pool = placeToken(chain, MINT, 80);
  const { tracker } = track(chain);
  await tracker.snapshot(MINT);
  chain.advance(1);
  setReserves(chain, pool, { base: BASE, quote: 40n * SOL });
  assert.equal(depthOf(tracker.latest(MINT)), 40n * SOL);
  await tracker.close();
});

test("listeners receive a change at the next tick", async () => {
  const chain = new ScriptedChain();
  const pool = placeToken(chain, MINT, 80);
  const { tracker } = track(chain);
  await tracker.snapshot(MINT);
  tracker.tick();
  const heard: (bigint | undefined)[] = [];
  const stop = tracker.onSnapshot((snapshot) => heard.push(depthOf(snapshot)));
  chain.advance(1);
  setReserves(chain, pool, { base: BASE, quote: 40n * SOL });
  tracker.tick();
  stop();
  setReserves(chain, pool, { base: BASE, quote: 30n * SOL });
  tracker.tick();
  assert.deepEqual(heard, [40n * SOL]);
  await tracker.close();
});

test("a missing token is not found, and a repeated request soon after costs no search", async () => {
  const chain = new ScriptedChain();
  const { tracker } = track(chain);
  assert.deepEqual(await tracker.snapshot(MINT), { kind: "not-found", mint: MINT });
  const reads = chain.reads.length;
  assert.deepEqual(await tracker.snapshot(MINT), { kind: "not-found", mint: MINT });
  assert.equal(chain.reads.length, reads);
  placeToken(chain, MINT, 80);
  chain.advance(50);
  assert.equal(depthOf(await tracker.snapshot(MINT)), 80n * SOL);
  await tracker.close();
});

test("S3: a token that is missing again and again is searched ever more rarely, up to hourly", async () => {
  const chain = new ScriptedChain();
  const { tracker } = track(chain);
  let loads = 0;
  for (let minute = 0; minute < 12 * 60; minute++) {
    const reads = chain.reads.length;
    await tracker.snapshot(MINT);
    if (chain.reads.length > reads) loads++;
    chain.advance(150);
  }
  assert.ok(loads <= 24, `${loads} loads in twelve hours`);
  await tracker.close();
});

test("SOL itself is not measured", async () => {
  const chain = new ScriptedChain();
  const { tracker } = track(chain);
  assert.deepEqual(await tracker.snapshot(WSOL), { kind: "not-found", mint: WSOL });
  assert.equal(chain.reads.length, 0);
  await tracker.close();
});

test("a token that was never loaded is unavailable while the node is down", async () => {
  const chain = new ScriptedChain();
  placeToken(chain, MINT, 80);
  chain.isReachable = false;
  const { tracker, failures } = track(chain);
  assert.deepEqual(await tracker.snapshot(MINT), { kind: "unavailable", mint: MINT });
  assert.ok(failures.includes("load a token"));
  chain.isReachable = true;
  assert.equal(depthOf(await tracker.snapshot(MINT)), 80n * SOL);
  await tracker.close();
});

test("a question waits at most eight seconds for the first load, which goes on for the next", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const chain = new ScriptedChain();
  placeToken(chain, MINT, 80);
  const slow = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  const read = chain.readAccounts.bind(chain);
  chain.readAccounts = async (addresses) => {
    began.resolve();
    await slow.promise;
    return read(addresses);
  };
  const { tracker } = track(chain);
  const asked = tracker.snapshot(MINT);
  await began.promise;
  t.mock.timers.tick(7_999);
  const early = await Promise.race([asked, new Promise((resolve) => setImmediate(resolve))]);
  assert.equal(early, undefined);
  t.mock.timers.tick(1);
  assert.deepEqual(await asked, { kind: "unavailable", mint: MINT });
  t.mock.timers.reset();
  slow.resolve();
  assert.equal(depthOf(await tracker.snapshot(MINT)), 80n * SOL);
  await tracker.close();
});

test("a new pool at a derived address is noticed through its own account", async () => {
  const chain = new ScriptedChain();
  placeToken(chain, MINT, 80);
  const { tracker } = track(chain);
  await tracker.snapshot(MINT);
  chain.advance(1);
  placePool(chain, derivedPool(MINT, WSOL), { base: BASE, quote: 20n * SOL });
  tracker.tick();
  await tracker.idle();
  tracker.tick();
  assert.equal(depthOf(tracker.latest(MINT)), 100n * SOL);
  await tracker.close();
});

test("a new pool of another creator is noticed without a request", async () => {
  const chain = new ScriptedChain();
  placeToken(chain, MINT, 80);
  const { tracker } = track(chain);
  await tracker.snapshot(MINT);
  chain.advance(1);
  placePool(chain, plainPool("late", WSOL, MINT), { base: 20n * SOL, quote: BASE });
  tracker.tick();
  await tracker.idle();
  tracker.tick();
  assert.equal(depthOf(tracker.latest(MINT)), 100n * SOL);
  await tracker.close();
});

test("a new pool without a notification is found by the next search", async () => {
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  const { tracker } = track(chain);
  chain.refusedPrograms.add(PLAIN_PROGRAM);
  assert.equal(assessed(await tracker.snapshot(MINT)).blocked, "search-incomplete");
  chain.delivery = () => "lost";
  placePool(chain, plainPool("unheard", MINT, WSOL), { base: BASE, quote: 20n * SOL });
  chain.refusedPrograms.clear();
  chain.advance(400);
  tracker.tick();
  await tracker.idle();
  tracker.tick();
  assert.equal(depthOf(tracker.latest(MINT)), 20n * SOL);
  await tracker.close();
});

test("a lost update is found by the reread", async () => {
  const chain = new ScriptedChain();
  const pool = placeToken(chain, MINT, 80);
  const { tracker } = track(chain);
  await tracker.snapshot(MINT);
  chain.delivery = () => "lost";
  setReserves(chain, pool, { base: BASE, quote: 40n * SOL });
  chain.advance(51);
  tracker.tick();
  await tracker.idle();
  assert.equal(depthOf(tracker.latest(MINT)), 40n * SOL);
  await tracker.close();
});

test("after a gap everything is read again at once", async () => {
  const chain = new ScriptedChain();
  const pool = placeToken(chain, MINT, 80);
  const { tracker } = track(chain);
  await tracker.snapshot(MINT);
  tracker.tick();
  chain.delivery = () => "lost";
  setReserves(chain, pool, { base: BASE, quote: 40n * SOL });
  chain.advance(3);
  chain.gap();
  tracker.tick();
  await tracker.idle();
  assert.equal(depthOf(tracker.latest(MINT)), 40n * SOL);
  await tracker.close();
});

test("a node that stops advancing makes answers stale", async () => {
  const chain = new ScriptedChain();
  placeToken(chain, MINT, 80);
  const { tracker } = track(chain);
  await tracker.snapshot(MINT);
  chain.isReachable = false;
  chain.nowMs += 90_000;
  tracker.tick();
  await tracker.idle();
  const stale = assessed(tracker.latest(MINT));
  assert.deepEqual(
    stale.findings.map(({ kind }) => kind),
    ["stale", "short-history"],
  );
  chain.nowMs += 600_000;
  assert.equal(assessed(tracker.latest(MINT)).blocked, "stale");
  assert.ok((tracker.health().chainAgeMs ?? 0) >= 690_000);
  await tracker.close();
});

test("a quiet pool is not stale", async () => {
  const chain = new ScriptedChain();
  placeToken(chain, MINT, 80);
  const { tracker } = track(chain);
  await tracker.snapshot(MINT);
  for (let second = 0; second < 330; second += 2) {
    chain.advance(5);
    tracker.tick();
    await tracker.idle();
  }
  assert.deepEqual(assessed(tracker.latest(MINT)).findings, []);
  await tracker.close();
});

test("an account reported as gone is accepted only after a second report", async () => {
  const chain = new ScriptedChain();
  const pool = placeToken(chain, MINT, 80);
  const { tracker } = track(chain);
  await tracker.snapshot(MINT);
  chain.advance(1);
  chain.set(pool.vaultB, null);
  assert.equal(depthOf(tracker.latest(MINT)), 80n * SOL);
  for (let slot = 0; slot < 3; slot++) {
    chain.advance(1);
    tracker.tick();
    await tracker.idle();
  }
  assert.notEqual(depthOf(tracker.latest(MINT)), 80n * SOL);
  await tracker.close();
});

test("tokens that are not requested are dropped with their subscriptions, watched ones never", async () => {
  const chain = new ScriptedChain();
  const watched = namedAddress("watched");
  placeToken(chain, MINT, 80);
  placeToken(chain, watched, 80);
  const { tracker } = track(chain);
  tracker.setWatched([watched]);
  await tracker.snapshot(MINT);
  await tracker.idle();
  const { tokens, pools } = tracker.health();
  assert.deepEqual({ tokens, pools }, { tokens: 2, pools: 2 });
  chain.advance(2_500);
  tracker.tick();
  await tracker.idle();
  tracker.tick();
  const left = tracker.health();
  assert.deepEqual({ tokens: left.tokens, pools: left.pools }, { tokens: 1, pools: 1 });
  assert.ok(!chain.followed().has(MINT));
  assert.ok(chain.followed().has(watched));
  await tracker.close();
});

test("a token that is touched counts as asked for, without being measured", async () => {
  const chain = new ScriptedChain();
  const other = namedAddress("other");
  placeToken(chain, MINT, 80);
  placeToken(chain, other, 80);
  const { tracker } = track(chain);
  assert.equal(tracker.touch(MINT), false);
  await tracker.snapshot(MINT);
  await tracker.snapshot(other);
  let told = 0;
  const stop = tracker.onSnapshot(() => told++);
  chain.advance(2_000);
  assert.equal(tracker.touch(MINT), true);
  assert.equal(told, 0);
  stop();
  chain.advance(500);
  tracker.tick();
  await tracker.idle();
  assert.equal(tracker.health().tokens, 1);
  assert.ok(chain.followed().has(MINT));
  await tracker.close();
});

test("a provider that lags does not replace newer data", async () => {
  const chain = new ScriptedChain();
  const pool = placeToken(chain, MINT, 80);
  const { tracker } = track(chain);
  chain.advance(5);
  await tracker.snapshot(MINT);
  setReserves(chain, pool, { base: BASE, quote: 40n * SOL });
  chain.advance(60);
  chain.readLag = 62n;
  tracker.tick();
  await tracker.idle();
  assert.equal(depthOf(tracker.latest(MINT)), 40n * SOL);
  await tracker.close();
});
