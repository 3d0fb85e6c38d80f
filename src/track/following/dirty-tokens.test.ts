import assert from "node:assert/strict";
import { test } from "node:test";
import { DirtyTokens } from "./dirty-tokens.ts";
import type { FollowedToken } from "./live-state.ts";

function tokenOf(mint: string, use: { isWatched?: boolean; askedAtMs?: number } = {}) {
  const { isWatched = false, askedAtMs = Number.NEGATIVE_INFINITY } = use;
  return { mint, isWatched, askedAtMs } as FollowedToken;
}

function mintsIn(tokens: DirtyTokens): readonly string[] {
  return Array.from(tokens, ({ mint }) => mint);
}

test("tokens in use come before others, each in the order of the changes", () => {
  const tokens = new DirtyTokens();
  const quiet = ["a", "b"].map((mint) => tokenOf(mint));
  const used = [tokenOf("c", { isWatched: true }), tokenOf("d", { askedAtMs: 5 })];
  for (const token of [...quiet, ...used]) tokens.add(token);
  assert.deepEqual(mintsIn(tokens), ["c", "d", "a", "b"]);
  assert.equal(tokens.size, 4);
});

test("a token that is requested while it waits moves to the front, and is held once", () => {
  const tokens = new DirtyTokens();
  const [first, second] = [tokenOf("a"), tokenOf("b")];
  tokens.add(first);
  tokens.add(second);
  second.askedAtMs = 5;
  tokens.add(second);
  assert.deepEqual(mintsIn(tokens), ["b", "a"]);
  second.askedAtMs = Number.NEGATIVE_INFINITY;
  tokens.add(second);
  assert.deepEqual(mintsIn(tokens), ["b", "a"]);
  tokens.delete(second);
  assert.equal(tokens.has(second), false);
  assert.equal(tokens.size, 1);
});

test("tokens that were measured can be deleted while the others are visited", () => {
  const tokens = new DirtyTokens();
  for (const mint of ["a", "b", "c"]) tokens.add(tokenOf(mint, { isWatched: mint === "c" }));
  const visited: string[] = [];
  for (const token of tokens) {
    visited.push(token.mint);
    tokens.delete(token);
  }
  assert.deepEqual(visited, ["c", "a", "b"]);
  assert.equal(tokens.size, 0);
});

test("tokens in use are left until the last one is deleted; the others do not count", () => {
  const tokens = new DirtyTokens();
  const used = tokenOf("a", { isWatched: true });
  tokens.add(tokenOf("b"));
  assert.ok(!tokens.hasInUse);
  tokens.add(used);
  assert.ok(tokens.hasInUse);
  tokens.delete(used);
  assert.ok(!tokens.hasInUse);
});
