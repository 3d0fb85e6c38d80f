import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address } from "#src/units/address.ts";
import { raydiumLaunchLab } from "#src/venues/raydium-launchlab/adapter.ts";
import { COIN, launchFixture } from "#test/support/pools/pump-pools.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import { openPool } from "../pools/open-pool.ts";
import { noteCurveStage } from "./graduation.ts";
import { createLiveState, type FollowedPool } from "./live-state.ts";

const QUOTE = testAddress(99);

/** A launch of the coin, paid for with another token, as the pool of one of the two. */
function launchOf(mint: Address, status: number): FollowedPool {
  const { pool: address, accounts } = launchFixture({ status, quoteMint: QUOTE });
  const ref = { venue: raydiumLaunchLab, address, mint, isReserved: false };
  return { open: openPool(ref, mint, accounts), curve: null } as FollowedPool;
}

test("a launch that fills up may have a new pool of its coin, and none of the token that it pays in", () => {
  for (const [mint, graduates] of [
    [COIN, true],
    [QUOTE, false],
  ] as const) {
    const selling = launchOf(mint, 0);
    const state = createLiveState();
    assert.equal(noteCurveStage(state, selling), false);
    const full = { ...launchOf(mint, 1), curve: selling.curve };
    assert.equal(noteCurveStage(state, full), graduates);
    assert.equal(full.curve !== null, graduates);
  }
});
