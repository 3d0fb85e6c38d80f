import assert from "node:assert/strict";
import { test } from "node:test";
import {
  namedAddress,
  type PlainState,
  plainPool,
  plainVenue,
} from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { Venue } from "#src/venues/venue.ts";
import {
  placeMint,
  placePool,
  placeToken,
  SOL,
  setReserves,
} from "#test/simulation/track/plain-market.ts";
import { createTracker } from "./tracker.ts";

const BROKEN = namedAddress("broken");
const SOUND = namedAddress("sound");
const FEE_OF_BROKEN_BPS = 31n;
const poolOf = (mint: Address) => plainPool(`${mint} main`, mint, WSOL);
const withSol = (sol: bigint) => ({ base: 500_000_000_000_000n, quote: sol * SOL });

test("a token whose measurement fails by a bug of ours stops no other token", async () => {
  const chain = new ScriptedChain();
  const sound = plainVenue();
  let isBroken = false;
  const failures: string[] = [];
  const venue: Venue<PlainState> = {
    ...sound,
    quoteExactIn: (state, sale) => {
      if (isBroken && state.feeBps === FEE_OF_BROKEN_BPS) throw new TypeError("a bug");
      return sound.quoteExactIn(state, sale);
    },
  };
  const tracker = createTracker({
    source: chain,
    venues: [venue],
    clock: { nowMs: () => chain.nowMs },
    database: null,
    onFailure: (what) => failures.push(what),
  });
  placeMint(chain, BROKEN);
  placePool(chain, poolOf(BROKEN), withSol(80n), { feeBps: Number(FEE_OF_BROKEN_BPS) });
  placeToken(chain, SOUND, 80);
  chain.advance(5);
  for (const mint of [BROKEN, SOUND]) await tracker.snapshot(mint);
  const depths: (bigint | undefined)[] = [];
  tracker.onSnapshot(({ assessment }) => {
    if (assessment.mint === SOUND) depths.push(assessment.measurement?.depthLamports);
  });
  isBroken = true;
  for (const sol of [70n, 60n]) {
    chain.advance(5);
    for (const mint of [BROKEN, SOUND]) {
      setReserves(chain, poolOf(mint), withSol(sol));
    }
    tracker.tick();
    assert.equal(depths.at(-1), sol * SOL);
  }
  assert.ok(failures.includes("measure a token"));
  await tracker.close();
});
