import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress } from "#bench/detection/plain-pool-venue.ts";
import { applyUpdate } from "./apply-update.ts";
import { addToken, searchSoon } from "./followed-tokens.ts";
import {
  createCompleteStream,
  createLiveState,
  type FollowedToken,
  type LiveState,
} from "./live-state.ts";
import { dueRereads, dueSearches } from "./schedule.ts";

const NOW_MS = 1_800_000_000_000;

function follow(state: LiveState, name: string, searchDueMs: number): FollowedToken {
  const token = addToken(state, {
    mint: namedAddress(name),
    mintFacts: null,
    names: { name: null, symbol: null },
    found: {
      ...{ pools: [], vacant: [], isDerivedOnly: true, leftOut: [], refusals: [] },
      isSearchComplete: true,
      searchedSlot: null,
    },
    loaded: new Map(),
    isSearched: true,
    nowMs: NOW_MS,
  });
  token.searchDueMs = searchDueMs;
  return token;
}

test("a token with evidence of a new pool is searched before those that are only due, then the longest due", () => {
  const state = createLiveState();
  const dueForMs = [10_000, 40_000, 0, 20_000, -1, 30_000];
  const tokens = dueForMs.map((ms, index) => follow(state, `${index}`, NOW_MS - ms));
  const fresh = follow(state, "fresh", NOW_MS + 60_000);
  searchSoon(fresh, NOW_MS);
  const searched: number[] = [];
  for (;;) {
    const due = dueSearches(state, NOW_MS);
    if (due.length === 0) break;
    assert.ok(due.length <= 2);
    searched.push(...due.map(({ token }) => tokens.indexOf(token)));
  }
  // -1: the token with evidence.
  assert.deepEqual(searched, [-1, 1, 5, 3, 0, 2]);
});

test("thousands of tokens that are due together are read over fifteen sweeps, and again within 20 s", () => {
  const state = createLiveState();
  const tokens = Array.from({ length: 15_000 }, (_, index) => follow(state, `${index}`, NOW_MS));
  const reads = new Map<string, number[]>();
  for (let sweep = 0; sweep < 40; sweep++) {
    const nowMs = NOW_MS + 1_000 * sweep;
    const due = dueRereads(state, nowMs, true);
    assert.ok(due.size <= 1_100, `${due.size} accounts in one sweep`);
    for (const mint of due) reads.set(mint, [...(reads.get(mint) ?? []), nowMs]);
  }
  assert.equal(reads.size, tokens.length);
  for (const [first = 0, second = 0] of reads.values()) {
    assert.ok(first <= NOW_MS + 15_000);
    assert.ok(second - first <= 21_000, `${second - first} ms`);
  }
  // The last call of a sweep is filled with tokens that are due soon.
  const count = [...reads.values()].reduce((sum, times) => sum + times.length, 0);
  assert.ok(count <= 2.2 * tokens.length, `${count} reads in two rounds`);
});

test("an account that was confirmed within three seconds is left out of a reread, one of four seconds is not", () => {
  for (const { agoMs, isDue } of [
    { agoMs: 2_999, isDue: false },
    { agoMs: 4_000, isDue: true },
  ]) {
    const state = createLiveState();
    const { mint } = follow(state, "token", NOW_MS);
    const confirmedMs = NOW_MS + 20_400 - agoMs;
    applyUpdate(state, { address: mint, account: null, slot: 1n }, confirmedMs);
    assert.equal(dueRereads(state, NOW_MS + 20_400, true).has(mint), isDue, `${agoMs} ms`);
  }
});

test("of thousands of tokens that a stream keeps current, one without an account is read within five sweeps, the others after two minutes", () => {
  const stream = createCompleteStream();
  const state = createLiveState(stream);
  const tokens = Array.from({ length: 2_000 }, (_, index) => follow(state, `${index}`, NOW_MS));
  const lacking = tokens[1_234]?.mint;
  for (const token of tokens) token.confirmedAfterGap = stream.gaps;
  for (const account of state.accounts.values())
    if (account.address !== lacking) account.content = null;
  const readAtMs = new Map<string, number>();
  for (let sweep = 0; sweep < 130; sweep++) {
    const atMs = 1_000 * sweep;
    for (const mint of dueRereads(state, NOW_MS + atMs, true))
      if (!readAtMs.has(mint)) readAtMs.set(mint, atMs);
  }
  assert.ok((readAtMs.get(lacking ?? "") ?? Infinity) < 5_000);
  readAtMs.delete(lacking ?? "");
  assert.equal(readAtMs.size, tokens.length - 1);
  assert.ok([...readAtMs.values()].every((atMs) => atMs >= 100_000 && atMs < 120_000));
});
