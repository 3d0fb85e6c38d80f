import assert from "node:assert/strict";
import { test } from "node:test";
import {
  derivedPool,
  namedAddress,
  plainPool,
  plainVenue,
} from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import type { ChainSource } from "#src/chain/chain-source.ts";
import { assess } from "#src/measure/assess.ts";
import type { Assessment } from "#src/measure/assessment.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { placeMint, placePool, SOL } from "#test/simulation/track/plain-market.ts";
import { loadMarket } from "./load-market.ts";
import { createTracker } from "./tracker.ts";

const MINT = namedAddress("token");
const QUOTE = namedAddress("quote");
const FULL = { base: 500_000_000_000_000n, quote: 80n * SOL };

/** A chain that finds the quote mint's pools only if it serves searches for them. */
class RefusingChain extends ScriptedChain {
  refuses = true;

  override searchAccounts(filter: Parameters<ChainSource["searchAccounts"]>[0]) {
    const isRefused = this.refuses && filter.memcmp.some(({ bytes }) => bytes === QUOTE);
    if (!isRefused) return super.searchAccounts(filter);
    return Promise.resolve({ kind: "refused", reason: "disabled" } as const);
  }
}

/** The token pays in the quote mint, whose derived pool is empty; its other pool is found by a search. */
function chainOf({ hasOther }: { readonly hasOther: boolean }): RefusingChain {
  const chain = new RefusingChain();
  for (const mint of [MINT, QUOTE]) placeMint(chain, mint);
  placePool(chain, plainPool("token", MINT, QUOTE), FULL);
  placePool(chain, derivedPool(QUOTE, WSOL), { ...FULL, quote: 0n });
  if (hasOther) placePool(chain, plainPool("quote", QUOTE, WSOL), FULL);
  chain.refusedPrograms.add(QUOTE);
  return chain;
}

async function answersOf(chain: RefusingChain): Promise<readonly Assessment[]> {
  const deps = { source: chain, venues: [plainVenue()], clock: { nowMs: () => chain.nowMs } };
  const loaded = await loadMarket(deps, MINT);
  assert.ok(loaded.kind === "market");
  const tracker = createTracker({ ...deps, database: null });
  await tracker.snapshot(MINT);
  tracker.tick();
  await tracker.idle();
  const followed = await tracker.snapshot(MINT);
  await tracker.close();
  assert.ok(followed.kind === "assessed");
  return [assess(loaded.market), followed.assessment];
}

test("while the pools of a quote mint are not all searched, an empty one is not taken for no way out", async () => {
  const chain = chainOf({ hasOther: true });
  for (const { measurement, blocked } of await answersOf(chain)) {
    assert.equal(measurement, null);
    assert.equal(blocked, "search-incomplete");
  }
  chain.refuses = false;
  for (const { measurement } of await answersOf(chain)) {
    assert.ok((measurement?.depthLamports ?? 0n) > 0n);
  }
});

test("where the search of a quote mint's pools is complete and finds an empty one, there is no way out", async () => {
  const chain = chainOf({ hasOther: false });
  chain.refuses = false;
  for (const { measurement, blocked } of await answersOf(chain)) {
    assert.equal(blocked, null);
    assert.equal(measurement?.depthLamports, 0n);
  }
});
