import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { namedAddress, plainPool, plainVenue } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { placePool, placeToken, SOL } from "#test/simulation/track/plain-market.ts";
import { closeAfter } from "#test/support/ending.ts";
import { eventually } from "#test/support/eventually.ts";
import { addToken, noteAsked, removeToken, setWatched } from "../following/followed-tokens.ts";
import { createLiveState, type FollowedToken } from "../following/live-state.ts";
import { NO_NAMES } from "../pools/token-names.ts";
import { Tracker } from "../tracker.ts";
import { NewPoolFeed } from "./new-pool-feed.ts";

const PLACES = 40;
/** Longer than a token counts as in use after a request. */
const UNUSED_MS = 16 * 60_000;
const RESERVES = { base: 500_000_000_000_000n, quote: 20n * SOL };

/** A chain that shows which mints are subscribed for new pools, and can name an account without its bytes. */
function observedChain() {
  const chain = new ScriptedChain();
  const subscribed = new Map<symbol, Address>();
  const named = new Set<(address: Address) => void>();
  const follow = chain.followProgram.bind(chain);
  const followProgram: typeof follow = (filter, onUpdate, onNamed?: (address: Address) => void) => {
    const [memcmp] = filter.memcmp;
    assert.ok(memcmp !== undefined && typeof memcmp.bytes === "string");
    const key = Symbol();
    subscribed.set(key, memcmp.bytes);
    if (onNamed !== undefined) named.add(onNamed);
    const following = follow(filter, onUpdate);
    const close = async (): Promise<void> => {
      subscribed.delete(key);
      await following.close();
    };
    return { ...following, close };
  };
  Object.assign(chain, { followProgram });
  const mints = (): ReadonlySet<Address> => new Set(subscribed.values());
  return { chain, named, subscribed: mints };
}

function openFeed(t: TestContext, streamed: ReturnType<typeof plainVenue>[] = []) {
  const { chain, named, subscribed } = observedChain();
  const state = createLiveState();
  const failures: string[] = [];
  const feed = new NewPoolFeed({
    ...{ source: chain, state, venues: streamed.length > 0 ? streamed : [plainVenue()], streamed },
    clock: { nowMs: () => chain.nowMs },
    signal: new AbortController().signal,
    onFailure: (what) => failures.push(what),
  });
  closeAfter(t, () => feed.closeAll());
  const wait = (ms: number): void => chain.advance(Math.ceil(ms / 400));
  /** A token without pools that was just requested. */
  const request = (name: string): FollowedToken => {
    wait(400);
    const token = addToken(state, {
      ...{ mint: namedAddress(name), mintFacts: null, names: NO_NAMES, loaded: new Map() },
      found: {
        ...{ pools: [], vacant: [], leftOut: [], refusals: [], searchedSlot: chain.slot },
        ...{ isDerivedOnly: false, isSearchComplete: true },
      },
      ...{ isSearched: true, nowMs: chain.nowMs },
    });
    void feed.open(token);
    return token;
  };
  return { chain, named, subscribed, state, failures, feed, wait, request };
}

function requestAll(feed: ReturnType<typeof openFeed>, count: number): readonly FollowedToken[] {
  return Array.from({ length: count }, (_, index) => feed.request(`token ${index}`));
}

test("a new pool on either side of the pair is added to its token, and none after the token has closed", async (t) => {
  const { chain, feed, request } = openFeed(t);
  const token = request("token");
  const pools = [
    plainPool("first", token.mint, WSOL),
    plainPool("second", WSOL, token.mint),
    plainPool("of another", namedAddress("another"), WSOL),
  ];
  for (const pool of pools) placePool(chain, pool, RESERVES);
  const added = pools.slice(0, 2).map(({ address }) => address);
  assert.deepEqual([...token.group.pools.keys()], added);
  await feed.close(token.mint);
  placePool(chain, plainPool("third", token.mint, WSOL), RESERVES);
  assert.deepEqual([...token.group.pools.keys()], added);
});

test("an account that is named without its bytes is read once; after a read that failed, again", async (t) => {
  const { chain, named, failures, request } = openFeed(t);
  const token = request("token");
  chain.delivery = () => "lost";
  const { address } = placePool(chain, plainPool("pool", token.mint, WSOL), RESERVES);
  const other = placePool(chain, plainPool("other", namedAddress("x"), WSOL), RESERVES).address;
  const name = (it: Address): void => {
    for (const onNamed of named) onNamed(it);
  };
  chain.isReachable = false;
  name(address);
  await eventually("the read fails", () => failures[0] ?? null);
  chain.isReachable = true;
  for (const it of [address, other, address, other]) name(it);
  await eventually("the pool is added", () => token.group.pools.get(address) ?? null);
  for (const it of [other, address]) name(it);
  const last = placePool(chain, plainPool("last", token.mint, WSOL), RESERVES).address;
  name(last);
  await eventually("the last pool is added", () => token.group.pools.get(last) ?? null);
  assert.deepEqual(chain.reads, [[address, other], [last]]);
});

test("a token of venues whose whole programs are streamed is not subscribed", async (t) => {
  const { feed, subscribed, request } = openFeed(t, [plainVenue()]);
  request("token");
  await feed.assignPlaces();
  assert.equal(subscribed().size, 0);
});

test("a requested token without a place gets the first that is free, without another request", async (t) => {
  const feed = openFeed(t);
  const tokens = requestAll(feed, PLACES + 2);
  await feed.feed.assignPlaces();
  assert.deepEqual([...feed.subscribed()], mintsOf(tokens.slice(0, PLACES)));
  const [first, second] = tokens;
  assert.ok(first !== undefined && second !== undefined);
  removeToken(feed.state, first);
  await feed.feed.close(first.mint);
  await feed.feed.assignPlaces();
  assert.deepEqual([...feed.subscribed()], mintsOf(tokens.slice(1, PLACES + 1)));
});

test("a watched token gets the place of the requested token whose last request is oldest", async (t) => {
  const feed = openFeed(t);
  const tokens = requestAll(feed, PLACES);
  const [first, second] = tokens;
  assert.ok(first !== undefined && second !== undefined);
  noteAsked(feed.state, first, feed.chain.nowMs);
  const watched = feed.request("watched");
  setWatched(feed.state, watched, true);
  await feed.feed.assignPlaces();
  const kept = tokens.filter((token) => token !== second);
  assert.deepEqual([...feed.subscribed()], mintsOf([...kept, watched]));
});

test("a watched token keeps its place against other watched tokens, which get one once it is free", async (t) => {
  const feed = openFeed(t);
  const tokens = requestAll(feed, PLACES + 1);
  for (const token of tokens) setWatched(feed.state, token, true);
  const requested = feed.request("requested");
  await feed.feed.assignPlaces();
  assert.deepEqual([...feed.subscribed()], mintsOf(tokens.slice(0, PLACES)));
  const [first] = tokens;
  assert.ok(first !== undefined);
  setWatched(feed.state, first, false);
  await feed.feed.assignPlaces();
  assert.deepEqual([...feed.subscribed()], mintsOf(tokens.slice(1)));
  assert.ok(!feed.subscribed().has(requested.mint));
});

test("a token that is no longer in use gives up its place, and gets one again when it is requested", async (t) => {
  const { chain, feed, state, subscribed, wait, request } = openFeed(t);
  const token = request("token");
  wait(UNUSED_MS);
  await feed.assignPlaces();
  assert.equal(subscribed().size, 0);
  await feed.open(token);
  assert.equal(subscribed().size, 0);
  noteAsked(state, token, chain.nowMs);
  await feed.assignPlaces();
  assert.deepEqual([...subscribed()], [token.mint]);
});

function mintsOf(tokens: readonly FollowedToken[]): readonly Address[] {
  return tokens.map(({ mint }) => mint);
}

test("a watched token that finds all places taken learns of a new pool at once, without a search", async (t) => {
  const { chain, subscribed } = observedChain();
  const clock = { nowMs: () => chain.nowMs };
  const tracker = new Tracker({ source: chain, venues: [plainVenue()], clock, database: null });
  closeAfter(t, () => tracker.close());
  for (let index = 0; index < PLACES; index++) {
    const mint = namedAddress(`token ${index}`);
    placeToken(chain, mint, 50);
    await tracker.snapshot(mint);
  }
  const watched = namedAddress("watched");
  placeToken(chain, watched, 80);
  tracker.setWatched([watched]);
  const pass = async (): Promise<void> => {
    await tracker.idle();
    chain.advance(3);
    tracker.tick();
  };
  await pass();
  await pass();
  assert.equal(subscribed().size, PLACES);
  const searches = chain.searches.length;
  placePool(chain, plainPool("new", watched, WSOL), RESERVES);
  await pass();
  await pass();
  const snapshot = tracker.latest(watched);
  assert.ok(snapshot?.kind === "assessed");
  assert.equal(snapshot.assessment.measurement?.depthLamports, 100n * SOL);
  assert.equal(chain.searches.length, searches);
});
