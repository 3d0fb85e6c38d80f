import assert from "node:assert/strict";
import { test } from "node:test";
import type { PoolRef } from "#src/track/pools/open-pool.ts";
import { VENUES } from "#src/venues/all.ts";
import { testAddress } from "#test/support/pools/test-accounts.ts";
import { sampledPools } from "./sampled-pools.ts";

const MINUTE_MS = 60_000;

function poolsOf(venueIndex: number, count: number): readonly PoolRef[] {
  const venue = VENUES[venueIndex];
  assert.ok(venue !== undefined);
  return Array.from({ length: count }, (_, index) => ({
    venue,
    address: testAddress(1_000 * venueIndex + index),
    mint: testAddress(1),
    isReserved: false,
  }));
}

test("two pools of each venue are sampled at a time, and each of them within its turns", () => {
  const pools = [...poolsOf(0, 9), ...poolsOf(1, 1)];
  const seen = new Set<string>();
  for (let minute = 0; minute < 60; minute += 5) {
    const sampled = sampledPools(pools, minute * MINUTE_MS);
    assert.equal(new Set(sampled.map(({ address }) => address)).size, 3);
    assert.deepEqual(sampledPools(pools, (minute + 4) * MINUTE_MS), sampled, "during one turn");
    for (const { address } of sampled) seen.add(address);
  }
  assert.equal(seen.size, pools.length);
});
