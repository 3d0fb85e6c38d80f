import assert from "node:assert/strict";
import { test } from "node:test";
import {
  derivedPool,
  namedAddress,
  PLAIN_PROGRAM,
  type PlainState,
  plainPool,
  plainPoolAccount,
  plainVenue,
} from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { Venue } from "#src/venues/venue.ts";
import { placeMint, placePool, SOL, setReserves } from "#test/simulation/track/plain-market.ts";
import type { MarketSnapshot } from "./market-snapshot.ts";
import { MAX_POOLS } from "./pools/choose-pools.ts";
import { Tracker } from "./tracker.ts";

const MINT = namedAddress("token");
const RESERVES = { base: 500_000_000_000_000n, quote: 1_000n * SOL };
const EMPTY = { base: 0n, quote: 0n };
const DUST = { base: 5_000_000_000n, quote: SOL / 125n };
const MINUTE_MS = 60_000;
const CURVE_FEE_BPS = 77;
const POOL_FEE_BPS = 30;

/** A venue that owns the plain pools of one fee, so that several share the plain program. */
function venueOfFee(id: string, feeBps: number): Venue<PlainState> {
  const venue = plainVenue(id);
  return {
    ...venue,
    search: (mint, pairedWith) => ({
      ...venue.search(mint, pairedWith),
      derived: [],
      filters: venue.search(mint, pairedWith).filters.map((filter) => ({
        ...filter,
        memcmp: [...filter.memcmp, { offset: 136, bytes: Uint8Array.of(feeBps, 0) }],
      })),
    }),
  };
}

/** A curve that a paused byte marks as migrated, and the pools that its launchpad puts beside it. */
function launchpad({ isReserved }: { readonly isReserved: boolean }): readonly Venue<PlainState>[] {
  const curve = venueOfFee("meteora-dbc", CURVE_FEE_BPS);
  const pools = venueOfFee("meteora-damm-v2", POOL_FEE_BPS);
  const addresses = () => [derivedPool(MINT, WSOL).address];
  return [
    {
      ...curve,
      kind: "curve",
      raised: () => 0n,
      family: "meteora",
      status: ({ isPaused }) => (isPaused ? "migrated" : "open"),
    },
    {
      ...pools,
      family: "meteora",
      search: (mint, pairedWith) => ({
        ...pools.search(mint, pairedWith),
        graduated: { addresses, isReserved },
      }),
    },
  ];
}

function track(chain: ScriptedChain, venues: readonly Venue<PlainState>[]) {
  return new Tracker({
    source: chain,
    venues,
    clock: { nowMs: () => chain.nowMs },
    database: null,
  });
}

/** Lets the chain go on, with a request for the token every two seconds. */
async function pass(chain: ScriptedChain, tracker: Tracker, ms: number): Promise<void> {
  const untilMs = chain.nowMs + ms;
  while (chain.nowMs < untilMs) {
    chain.advance(5);
    tracker.touch(MINT);
    tracker.tick();
    await tracker.idle();
  }
}

function assessed(snapshot: MarketSnapshot | null) {
  assert.equal(snapshot?.kind, "assessed");
  return snapshot.assessment;
}

test("case 2: forty empty pools, and forty at standard addresses, do not block a token", async () => {
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  const main = plainPool("main", MINT, WSOL);
  placePool(chain, main, RESERVES);
  const standard = Array.from({ length: 40 }, (_, index) =>
    plainPool(`standard ${index}`, MINT, WSOL),
  );
  for (const pool of standard) placePool(chain, pool, EMPTY);
  for (let index = 0; index < 40; index++) {
    placePool(chain, plainPool(`empty ${index}`, MINT, WSOL), EMPTY);
  }
  const venue = plainVenue();
  const tracker = track(chain, [
    {
      ...venue,
      search: (mint, pairedWith) => ({
        ...venue.search(mint, pairedWith),
        configured: () => standard.map(({ address }) => address),
      }),
    },
  ]);
  const { blocked, measurement } = assessed(await tracker.snapshot(MINT));
  assert.equal(blocked, null);
  assert.equal(measurement?.depthLamports, 1_000n * SOL);
  await tracker.close();
});

test("case 2: two thousand pools of the first program do not hide a pool of the last", async () => {
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  for (let index = 0; index < 2_000; index++) {
    const pool = plainPool(`junk ${index}`, MINT, WSOL);
    placePool(chain, pool, EMPTY, { feeBps: CURVE_FEE_BPS });
  }
  placePool(chain, plainPool("main", MINT, WSOL), RESERVES);
  const tracker = track(chain, [
    venueOfFee("orca-whirlpool", CURVE_FEE_BPS),
    venueOfFee("raydium-amm-v4", POOL_FEE_BPS),
  ]);
  const { blocked, measurement } = assessed(await tracker.snapshot(MINT));
  assert.equal(blocked, null);
  assert.equal(measurement?.depthLamports, 1_000n * SOL);
  await tracker.close();
});

test("case 2: a search that is incomplete and found only empty pools never answers that there is no exit", async () => {
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  placePool(chain, derivedPool(MINT, WSOL), EMPTY);
  chain.refusedPrograms.add(PLAIN_PROGRAM);
  const tracker = track(chain, [plainVenue()]);
  const { blocked, measurement } = assessed(await tracker.snapshot(MINT));
  assert.deepEqual([blocked, measurement], ["search-incomplete", null]);
  await tracker.close();
});

test("case 2: while pools are known that were never weighed, the search counts as incomplete", async () => {
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  for (let index = 0; index <= MAX_POOLS; index++) {
    placePool(chain, plainPool(`pool ${index}`, MINT, WSOL), RESERVES);
  }
  const tracker = track(chain, [plainVenue()]);
  const before = assessed(await tracker.snapshot(MINT));
  assert.ok(!before.findings.some(({ kind }) => kind === "search-incomplete"));
  chain.advance(1);
  const late = placePool(chain, plainPool("late", MINT, WSOL), {
    ...RESERVES,
    quote: 5_000n * SOL,
  });
  const during = assessed(tracker.latest(MINT));
  assert.ok(during.findings.some(({ kind }) => kind === "search-incomplete"));
  for (let step = 0; step < 3; step++) {
    chain.advance(10);
    tracker.tick();
    await tracker.idle();
  }
  const after = assessed(await tracker.snapshot(MINT));
  assert.ok(!after.findings.some(({ kind }) => kind === "search-incomplete"));
  assert.ok(after.measurement?.pools.some(({ address }) => address === late.address));
  await tracker.close();
});

for (const isReserved of [true, false]) {
  const where = isReserved
    ? "an address that is its launchpad's alone"
    : "an address open to anyone";
  test(`a curve that closes is migrating until its pool at ${where} is known, never empty`, async () => {
    const chain = new ScriptedChain();
    placeMint(chain, MINT);
    const curve = plainPool("curve", MINT, WSOL);
    placePool(chain, curve, RESERVES, { feeBps: CURVE_FEE_BPS });
    const tracker = track(chain, launchpad({ isReserved }));
    assert.equal(assessed(await tracker.snapshot(MINT)).phase, "on-curve");
    chain.advance(1);
    // Nothing announces the pool but the search.
    const parts = [curve.address, curve.vaultA, curve.vaultB];
    chain.delivery = ({ address }) => (parts.includes(address) ? "now" : "lost");
    placePool(chain, curve, EMPTY, { feeBps: CURVE_FEE_BPS, isPaused: true });
    setReserves(chain, curve, EMPTY);
    placePool(chain, derivedPool(MINT, WSOL), RESERVES, { feeBps: POOL_FEE_BPS });
    const closed = assessed(tracker.latest(MINT));
    assert.deepEqual(
      [closed.phase, closed.blocked, closed.measurement],
      ["migrating", "migrating", null],
    );
    chain.advance(3);
    tracker.tick();
    await tracker.idle();
    tracker.tick();
    await tracker.idle();
    const graduated = assessed(tracker.latest(MINT));
    assert.deepEqual([graduated.phase, graduated.blocked], ["migrated", null]);
    assert.equal(graduated.measurement?.depthLamports, 1_000n * SOL);
    await tracker.close();
  });
}

test("a token that graduated long ago is not taken for one that migrates", async () => {
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  placePool(chain, plainPool("curve", MINT, WSOL), EMPTY, {
    feeBps: CURVE_FEE_BPS,
    isPaused: true,
  });
  placePool(chain, plainPool("elsewhere", MINT, WSOL), RESERVES, { feeBps: POOL_FEE_BPS });
  chain.advance(1_000);
  const tracker = track(chain, launchpad({ isReserved: true }));
  assert.equal(assessed(await tracker.snapshot(MINT)).phase, "migrated");
  await tracker.close();
});

test("case 2: a refused search removes none of the pools that an earlier one chose", async () => {
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  placePool(chain, plainPool("main", MINT, WSOL), RESERVES);
  // The launchpad's own pool is followed beside the forty that hold the most.
  placePool(chain, derivedPool(MINT, WSOL), DUST);
  for (let index = 1; index < MAX_POOLS; index++) {
    placePool(chain, plainPool(`dust ${index}`, MINT, WSOL), { ...DUST, quote: 2n * DUST.quote });
  }
  const tracker = track(chain, [plainVenue()]);
  const before = assessed(await tracker.snapshot(MINT));
  assert.equal(before.measurement?.pools.length, MAX_POOLS + 1);
  const { length: searches } = chain.searches;
  chain.refusedPrograms.add(PLAIN_PROGRAM);
  await pass(chain, tracker, 11 * MINUTE_MS);
  assert.ok(chain.searches.length > searches);
  const after = assessed(await tracker.snapshot(MINT));
  assert.ok(after.findings.some(({ kind }) => kind === "search-incomplete"));
  assert.equal(after.measurement?.depthLamports, before.measurement?.depthLamports);
  await tracker.close();
});

for (const streamed of [false, true]) {
  const how = streamed ? "of whole programs" : "of the token's pools";
  test(`case 2: a pool that was left out costs few searches, and counts once it grows, in a stream ${how}`, async () => {
    const chain = new ScriptedChain();
    placeMint(chain, MINT);
    const pools = Array.from({ length: MAX_POOLS + 5 }, (_, index) =>
      placePool(chain, plainPool(`pool ${index}`, MINT, WSOL), {
        ...RESERVES,
        quote: BigInt(100 - index) * SOL,
      }),
    );
    const smallest = pools.at(-1);
    assert.ok(smallest !== undefined);
    const venues = [plainVenue()];
    const tracker = new Tracker({
      source: chain,
      venues,
      clock: { nowMs: () => chain.nowMs },
      database: null,
      ...(streamed ? { everything: { venues, transactions: null } } : {}),
    });
    assessed(await tracker.snapshot(MINT));
    await pass(chain, tracker, MINUTE_MS);
    const { length: searches } = chain.searches;
    for (let trade = 0; trade < 120; trade++) {
      const feeBps = POOL_FEE_BPS + (trade % 2);
      chain.set(smallest.address, plainPoolAccount(smallest, { feeBps }));
      await pass(chain, tracker, 2_000);
      const { findings } = assessed(tracker.latest(MINT));
      assert.ok(!findings.some(({ kind }) => kind === "search-incomplete"), `trade ${trade}`);
    }
    // Two filters a search: one a minute after the first trade, then none before ten minutes.
    assert.ok(chain.searches.length - searches <= 2);
    setReserves(chain, smallest, { ...RESERVES, quote: 5_000n * SOL });
    chain.set(smallest.address, plainPoolAccount(smallest, { feeBps: POOL_FEE_BPS + 2 }));
    await pass(chain, tracker, 10.5 * MINUTE_MS);
    const grown = assessed(tracker.latest(MINT)).measurement;
    assert.ok(grown?.pools.some(({ address }) => address === smallest.address));
    await tracker.close();
  });
}

test("case 2: a new pool that is created empty and funded later counts within a minute or two", async () => {
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  for (let index = 0; index < MAX_POOLS; index++)
    placePool(chain, plainPool(`pool ${index}`, MINT, WSOL), RESERVES);
  const tracker = track(chain, [plainVenue()]);
  assessed(await tracker.snapshot(MINT));
  await pass(chain, tracker, 2 * MINUTE_MS);
  const late = placePool(chain, plainPool("late", MINT, WSOL), DUST);
  await pass(chain, tracker, MINUTE_MS);
  setReserves(chain, late, { ...RESERVES, quote: 5_000n * SOL });
  chain.set(late.address, plainPoolAccount(late, { feeBps: POOL_FEE_BPS + 1 }));
  await pass(chain, tracker, 1.5 * MINUTE_MS);
  const { measurement, findings } = assessed(tracker.latest(MINT));
  assert.ok(measurement?.pools.some(({ address }) => address === late.address));
  assert.ok(!findings.some(({ kind }) => kind === "search-incomplete"));
  await tracker.close();
});

test("a search that fails is repeated within a minute, and answers name the gap if it fails on", async () => {
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  placePool(chain, plainPool("main", MINT, WSOL), RESERVES);
  chain.advance(5);
  const tracker = track(chain, [plainVenue()]);
  assessed(await tracker.snapshot(MINT));
  await pass(chain, tracker, MINUTE_MS);
  // Nothing announces the second pool but the search.
  const second = plainPool("second", MINT, WSOL);
  chain.delivery = ({ address }) => (address === second.address ? "lost" : "now");
  placePool(chain, second, RESERVES);
  await pass(chain, tracker, 8.9 * MINUTE_MS);
  const isIncomplete = (): boolean =>
    assessed(tracker.latest(MINT)).findings.some(({ kind }) => kind === "search-incomplete");
  const untilMs = chain.nowMs + 2 * MINUTE_MS;
  chain.isReachable = false;
  while (!isIncomplete()) {
    await pass(chain, tracker, 2_000);
    assert.ok(chain.nowMs < untilMs, "the gap is named");
  }
  chain.isReachable = true;
  await pass(chain, tracker, MINUTE_MS);
  const after = assessed(tracker.latest(MINT));
  assert.equal(isIncomplete(), false);
  assert.equal(after.measurement?.depthLamports, 2_000n * SOL);
  await tracker.close();
});
