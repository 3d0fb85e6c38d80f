import assert from "node:assert/strict";
import { suite, test } from "node:test";
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
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { placeMint, placePool, SOL } from "#test/simulation/track/plain-market.ts";
import { loadMarket } from "../pools/load-market.ts";
import { Tracker } from "../tracker.ts";

const MINT = namedAddress("token");
const QUOTE = namedAddress("quote");
const FURTHER = namedAddress("further");
const FULL = { base: 500_000_000_000_000n, quote: 80n * SOL };

/** A chain that serves no searches for the pools of one mint. */
class RefusingChain extends ScriptedChain {
  refuses: Address | null = QUOTE;

  override searchAccounts(filter: Parameters<ChainSource["searchAccounts"]>[0]) {
    if (!filter.memcmp.some(({ bytes }) => bytes === this.refuses))
      return super.searchAccounts(filter);
    return Promise.resolve({ kind: "refused", reason: "disabled" } as const);
  }
}

/** The token pays in the quote mint, of which one pool is derived, and another is found by a search. */
function chainOf(holdings: {
  /** What the token's pool holds of the quote mint. */
  readonly tokenPool: bigint;
  /** What the derived pool of the quote mint holds of SOL. */
  readonly derivedQuotePool?: bigint;
  readonly otherQuotePool?: bigint;
  /** A pool of the token that pays SOL, and is empty. */
  readonly hasEmptySolPool?: boolean;
}): RefusingChain {
  const chain = new RefusingChain();
  for (const mint of [MINT, QUOTE]) placeMint(chain, mint);
  placePool(chain, plainPool("token", MINT, QUOTE), { ...FULL, quote: holdings.tokenPool });
  const quote = holdings.derivedQuotePool ?? 0n;
  placePool(chain, derivedPool(QUOTE, WSOL), { ...FULL, quote });
  if (holdings.hasEmptySolPool === true) {
    placePool(chain, plainPool("sol", MINT, WSOL), { ...FULL, quote: 0n });
  }
  if (holdings.otherQuotePool !== undefined) {
    placePool(chain, plainPool("quote", QUOTE, WSOL), { ...FULL, quote: holdings.otherQuotePool });
  }
  chain.refusedPrograms.add(QUOTE);
  return chain;
}

async function answersOf(chain: RefusingChain): Promise<readonly Assessment[]> {
  const deps = { source: chain, venues: [plainVenue()], clock: { nowMs: () => chain.nowMs } };
  const tracker = new Tracker({ ...deps, database: null });
  const [loaded] = await Promise.all([loadMarket(deps, MINT), tracker.snapshot(MINT)]);
  assert.ok(loaded.kind === "market");
  tracker.tick();
  await tracker.idle();
  const followed = await tracker.snapshot(MINT);
  await tracker.close();
  assert.ok(followed.kind === "assessed");
  return [assess(loaded.market), followed.assessment];
}

// Together, because each waits seconds for searches that are refused.
suite("hops that are not all searched", { concurrency: true }, () => {
  for (const derivedQuotePool of [0n, 9n])
    test(`while the pools of a quote mint are not all searched, one with ${derivedQuotePool} lamports is not taken for no way out`, async () => {
      const chain = chainOf({
        tokenPool: FULL.quote,
        derivedQuotePool,
        otherQuotePool: FULL.quote,
      });
      for (const { measurement, blocked, pricedWhileBlocked } of await answersOf(chain)) {
        assert.equal(measurement, null);
        assert.equal(blocked, "search-incomplete");
        assert.equal(pricedWhileBlocked?.c10Sol, 0); // An alert of a drain still comes.
      }
      chain.refuses = null;
      for (const { measurement } of await answersOf(chain)) {
        assert.ok((measurement?.depthLamports ?? 0n) > 0n);
      }
    });

  test("where the search of a quote mint's pools is complete and finds an empty one, there is no way out", async () => {
    const chain = chainOf({ tokenPool: FULL.quote });
    chain.refuses = null;
    for (const { measurement, blocked } of await answersOf(chain)) {
      assert.equal(blocked, null);
      assert.equal(measurement?.depthLamports, 0n);
    }
  });

  test("an empty pool that pays in an unsearched mint leads nowhere, however many pools that mint has", async () => {
    for (const { measurement, blocked } of await answersOf(chainOf({ tokenPool: 0n }))) {
      assert.equal(blocked, null);
      assert.equal(measurement?.depthLamports, 0n);
    }
  });

  test("a pool that anyone can create against an unsearched mint does not hide that the token's own pool is drained", async () => {
    const chain = chainOf({ tokenPool: FULL.quote, hasEmptySolPool: true });
    for (const { measurement, blocked } of await answersOf(chain)) {
      assert.equal(blocked, null);
      assert.equal(measurement?.depthLamports, 0n);
    }
  });

  test("what is left of a drained pool does not hide the drain while the found hop pays", async () => {
    const chain = chainOf({ tokenPool: 9n, derivedQuotePool: FULL.quote });
    for (const { measurement, blocked } of await answersOf(chain)) {
      assert.equal(blocked, null);
      assert.ok((measurement?.depthLamports ?? SOL) < 1_000n);
    }
  });

  test("a mint that is not all searched is found behind any pool that holds it, not on the chosen way alone", async () => {
    const chain = chainOf({ tokenPool: FULL.quote });
    chain.refuses = FURTHER;
    chain.refusedPrograms.clear();
    chain.refusedPrograms.add(FURTHER);
    placeMint(chain, FURTHER);
    placePool(chain, plainPool("further", QUOTE, FURTHER), FULL);
    placePool(chain, plainPool("last", FURTHER, WSOL), FULL);
    for (const { measurement, blocked } of await answersOf(chain)) {
      assert.equal(measurement, null);
      assert.equal(blocked, "search-incomplete");
    }
    chain.refuses = null;
    for (const { measurement } of await answersOf(chain))
      assert.ok((measurement?.depthLamports ?? 0n) > 0n);
  });
});
