import assert from "node:assert/strict";
import { test } from "node:test";
import { WSOL } from "#src/units/known-addresses.ts";
import type { VenueId } from "#src/venues/venue.ts";
import type { JudgedSwap } from "./judged-swap.ts";
import { RecentSwaps } from "./recent-swaps.ts";

function swap(slot: bigint, venue: VenueId): JudgedSwap {
  const outcome = { kind: "skipped", reason: "exact-out" } as const;
  return { atMs: 0, venue, pool: WSOL, slot, signature: `${venue}${slot}`, signer: null, outcome };
}

test("each venue's newest swaps are kept up to the limit, and taken once in slot order", () => {
  const recent = new RecentSwaps(3);
  recent.add(swap(5n, "orca-whirlpool"));
  for (let slot = 1n; slot <= 20n; slot++) recent.add(swap(slot, "pumpswap"));
  recent.add(swap(21n, "orca-whirlpool"));
  assert.deepEqual(
    recent.take().map(({ slot }) => slot),
    [5n, 18n, 19n, 20n, 21n],
  );
  assert.deepEqual(recent.take(), []);
});
