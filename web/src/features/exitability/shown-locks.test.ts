import assert from "node:assert/strict";
import { test } from "node:test";
import { shownLocks } from "./shown-locks.ts";
import type { StressedLock } from "./use-token-data.ts";

function lockOf(owner: string): StressedLock {
  const undated = { opens_next: null, opens_fully: null, reason: "undecodable" } as const;
  return { locker: "streamflow", owner, share_pct: 1, ...undated };
}

test("the first five locks are shown, and the others counted, listed or not", () => {
  const locks = Array.from({ length: 8 }, (_, place) => lockOf(`${place}`));
  const { shown, more } = shownLocks({ locks, locks_not_listed: 4 });
  assert.deepEqual(shown, locks.slice(0, 5));
  assert.equal(more, 7);
});

test("a pool without known locks has none to show", () => {
  assert.deepEqual(shownLocks({ locks: null, locks_not_listed: null }), { shown: [], more: 0 });
});
