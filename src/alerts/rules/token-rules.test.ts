import assert from "node:assert/strict";
import { test } from "node:test";
import type { UserId } from "#src/store/user-id.ts";
import type { WatchedEntry } from "#src/store/watchlist.ts";
import { poolAddress } from "#test/support/pools/pools.ts";
import { applyEntries, type TokenRules } from "./token-rules.ts";

const [MINT, OTHER] = [poolAddress(1), poolAddress(2)];
const [ANA, EVA] = ["ana", "eva"] as unknown as readonly [UserId, UserId];
const NO_SIDES: ReadonlySet<bigint> = new Set();

function entry(id: bigint, change: Partial<WatchedEntry> = {}): WatchedEntry {
  const facts = { userId: ANA, mint: MINT, sizeLamports: 1n, createdAtMs: 0 };
  return { id, ...facts, isSlippageHigh: null, isBlockReported: null, ...change };
}

function read(
  tokens: ReadonlyMap<string, TokenRules>,
  entries: readonly WatchedEntry[],
  userId: UserId | null = null,
) {
  return applyEntries(tokens as ReadonlyMap<typeof MINT, TokenRules>, {
    ...{ userId, entries, newerSides: NO_SIDES },
  });
}

test("rules whose entries did not change stay the same objects, others are replaced", () => {
  const lists = [entry(1n), entry(2n, { userId: EVA }), entry(3n, { mint: OTHER })];
  const first = read(new Map(), lists);
  const again = read(first, lists);
  for (const mint of [MINT, OTHER]) assert.equal(again.get(mint), first.get(mint));
  const changes = [
    { sizeLamports: 2n },
    { isSlippageHigh: true },
    { isBlockReported: true },
    { createdAtMs: 1 },
  ];
  for (const change of changes) {
    const changed = read(first, [entry(1n, change), ...lists.slice(1)]);
    assert.notEqual(changed.get(MINT), first.get(MINT), JSON.stringify(Object.keys(change)));
    assert.equal(changed.get(MINT)?.entries[1], first.get(MINT)?.entries[1]);
    assert.equal(changed.get(OTHER), first.get(OTHER));
  }
});

test("an entry whose id was another token's before has that token's side no longer", () => {
  const first = read(new Map(), [entry(1n, { isSlippageHigh: true })]);
  const moved = read(first, [entry(1n, { mint: OTHER })]);
  assert.deepEqual([...moved.keys()], [OTHER]);
  assert.equal(moved.get(OTHER)?.entries[0]?.side, null);
});

test("the lists of one user replace that user's entries alone", () => {
  const first = read(new Map(), [entry(1n), entry(2n, { userId: EVA }), entry(3n)]);
  const after = read(first, [entry(4n)], ANA);
  assert.deepEqual(
    after.get(MINT)?.entries.map(({ id }) => id),
    [2n, 4n],
  );
  assert.deepEqual([...read(after, [], EVA).keys()], [MINT]);
  assert.deepEqual([...read(read(after, [], EVA), [], ANA).keys()], []);
});
