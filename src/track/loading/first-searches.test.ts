import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { namedAddress, plainPool, plainVenue } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { placePool, placeToken, SOL } from "#test/simulation/track/plain-market.ts";
import { closeAfter } from "#test/support/ending.ts";
import { eventually } from "#test/support/eventually.ts";
import type { MarketSnapshot } from "../market-snapshot.ts";
import { Tracker } from "../tracker.ts";

const BASE = 500_000_000_000_000n;
const TOKENS = 20;
const MINTS = Array.from({ length: TOKENS }, (_, index) => namedAddress(`token ${index}`));
const [MINT] = MINTS as [Address];

/** Tokens that a stream named, each with a pool that did not trade, and searches that end on a word. */
async function streamed(t: TestContext, options: { readonly loopLoad?: number } = {}) {
  const chain = new ScriptedChain();
  const venues = [plainVenue()];
  const tracker = new Tracker({
    source: chain,
    venues,
    clock: { nowMs: () => chain.nowMs },
    database: null,
    everything: { venues, transactions: null },
    loopLoad: () => options.loopLoad ?? 0,
  });
  const ticks = async (count: number): Promise<void> => {
    for (let slot = 0; slot < count; slot++) {
      chain.advance(1);
      tracker.tick();
      for (let turn = 0; turn < 20; turn++) await nextTurn();
    }
  };
  for (const mint of MINTS) placePool(chain, quietPool(mint), { base: BASE, quote: 20n * SOL });
  await ticks(1);
  for (const mint of MINTS) placeToken(chain, mint, 80);
  await ticks(3);
  const searched = new Map<string, PromiseWithResolvers<void>>();
  const search = chain.searchAccounts.bind(chain);
  chain.searchAccounts = async (filter) => {
    const mint = MINTS.find((own) => filter.memcmp.some(({ bytes }) => bytes === own)) ?? "";
    const held = searched.get(mint) ?? Promise.withResolvers<void>();
    searched.set(mint, held);
    await held.promise;
    return await search(filter);
  };
  const end = (mint: string): void => searched.get(mint)?.resolve();
  closeAfter(t, async () => {
    chain.searchAccounts = search;
    for (const { resolve } of searched.values()) resolve();
    await tracker.close();
  });
  return { tracker, ticks, searched, end };
}

/** Its account is older than the stream. */
function quietPool(mint: Address) {
  return plainPool(`${mint} quiet`, mint, WSOL);
}

function told(snapshot: MarketSnapshot) {
  assert.ok(snapshot.kind === "assessed");
  const { measurement, findings } = snapshot.assessment;
  const isIncomplete = findings.some(({ kind }) => kind === "search-incomplete");
  return { depth: measurement?.depthLamports, isIncomplete };
}

test("an answer waits a second for the first search, says that it goes on, and has the rest later", async (t) => {
  const { tracker, ticks, searched, end } = await streamed(t);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const asked = tracker.snapshot(MINT);
  await ticks(1);
  assert.deepEqual([...searched.keys()], [MINT]);
  const early = await Promise.race([asked, nextTurn("waits")]);
  assert.equal(early, "waits");
  t.mock.timers.tick(1_000);
  assert.deepEqual(told(await asked), { depth: 80n * SOL, isIncomplete: true });
  assert.deepEqual(told(await tracker.snapshot(MINT)), { depth: 80n * SOL, isIncomplete: true });
  t.mock.timers.reset();
  end(MINT);
  await tracker.idle();
  assert.deepEqual(told(await tracker.snapshot(MINT)), { depth: 100n * SOL, isIncomplete: false });
});

test("at most eight tokens are searched at once, watched or asked for, and all of them in the end", async (t) => {
  const { tracker, ticks, searched, end } = await streamed(t);
  tracker.setWatched(MINTS.slice(0, 10));
  const asked = MINTS.slice(5).map((mint) => tracker.snapshot(mint));
  const ended = new Set<string>();
  while (ended.size < TOKENS) {
    const running = await eventually("a search", async () => {
      await ticks(2);
      const begun = [...searched.keys()].filter((mint) => !ended.has(mint));
      return begun.length > 0 ? begun : null;
    });
    assert.ok(running.length <= 8, `${running.length} at once`);
    for (const mint of running) {
      ended.add(mint);
      end(mint);
    }
  }
  await Promise.all(asked);
  await tracker.idle();
  assert.equal(tracker.health().waitingSearches, 0);
  for (const mint of MINTS)
    assert.deepEqual(told(await tracker.snapshot(mint)), {
      depth: 100n * SOL,
      isIncomplete: false,
    });
});

test("on a busy event loop few watched tokens are searched at once, what is asked for without a wait", async (t) => {
  const { tracker, ticks, searched } = await streamed(t, { loopLoad: 0.9 });
  tracker.setWatched(MINTS.slice(0, 10));
  await ticks(2);
  assert.equal(searched.size, 6);
  const asked = MINTS.slice(10, 12);
  for (const mint of asked) void tracker.snapshot(mint);
  await ticks(2);
  assert.equal(searched.size, 8);
  for (const mint of asked) assert.ok(searched.has(mint));
});

test("behind sixteen searches an answer does not wait for its own, which is made all the same", async (t) => {
  const { tracker, ticks, searched, end } = await streamed(t);
  const last = MINTS.at(-1) as Address;
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const waiting = MINTS.slice(0, 16).map((mint) => tracker.snapshot(mint));
  const late = await tracker.snapshot(last);
  assert.deepEqual(told(late), { depth: 80n * SOL, isIncomplete: true });
  assert.equal(await Promise.race([...waiting, nextTurn("waits")]), "waits");
  t.mock.timers.reset();
  while (tracker.health().waitingSearches > 0) {
    for (const mint of searched.keys()) end(mint);
    await ticks(1);
  }
  await Promise.all(waiting);
  assert.deepEqual(told(await tracker.snapshot(last)), { depth: 100n * SOL, isIncomplete: false });
});
