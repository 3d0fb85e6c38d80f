import assert from "node:assert/strict";
import { test } from "node:test";
import { ChainMarket } from "#bench/whole-chain/chain-market.ts";
import { assess } from "#src/measure/assess.ts";
import { decodeMint } from "#src/venues/shared/token/mint.ts";
import type { VenueId } from "#src/venues/venue.ts";
import { applyRead } from "../following/account-reads.ts";
import { addToken } from "../following/followed-tokens.ts";
import { createCompleteStream, createLiveState } from "../following/live-state.ts";
import { refreshPools } from "../following/refresh-pools.ts";
import { recordClock } from "../following/slot-times.ts";
import { NO_NAMES } from "../pools/token-names.ts";
import { type AssessDeps, assessToken, marketOf } from "./assess-token.ts";

const START_MS = 1_790_000_000_000;
const SLOT = 1_000n;
const EPOCH = 700n;
const TOKENS = 60;

type Facts = { historySeconds: number; exactPct: number };

/** Tokens of every venue that a whole stream keeps, measured once. */
function measuredTokens() {
  const market = new ChainMarket({
    ...{ seed: 3, tokens: TOKENS, startMs: START_MS, swapsPerSecond: 1 },
    ...{ compression: 1, probes: 0 },
  });
  const stream = createCompleteStream();
  const state = createLiveState(stream);
  const nothing = { vacant: [], isDerivedOnly: true, leftOut: [], refusals: [] };
  for (const { mint, venue, pool } of market.tokens) {
    const token = addToken(state, {
      ...{ mint, mintFacts: decodeMint(market.accounts.get(mint)), names: NO_NAMES },
      found: {
        ...{ ...nothing, pools: [{ venue, address: pool, mint, isReserved: false }] },
        ...{ isSearchComplete: true, searchedSlot: SLOT },
      },
      ...{ loaded: market.accounts, isSearched: true, nowMs: START_MS },
    });
    token.confirmedAfterGap = stream.gaps;
  }
  const facts: Facts = { historySeconds: 1_000, exactPct: 100 };
  const deps: AssessDeps = {
    ...{ isFrozen: false, isProcessed: false },
    historySeconds: () => facts.historySeconds,
    exactPctByVenue: () => new Map<VenueId, number>([["pump-curve", facts.exactPct]]),
  };
  /** Seconds after the start, in which slots went on and no account changed. */
  const passTo = (seconds: number, { epoch = EPOCH } = {}): number => {
    const slot = SLOT + (BigInt(seconds) * 5n) / 2n;
    const unixTimestamp = BigInt(START_MS / 1_000 + seconds);
    recordClock(state.times, { slot: slot + 1n, unixTimestamp, epoch }, START_MS + seconds * 1_000);
    return START_MS + seconds * 1_000;
  };
  passTo(0);
  for (let round = 0; round < 4; round++) {
    const asked = [...state.accounts.keys()];
    const accounts = new Map(asked.map((it) => [it, market.accounts.get(it) ?? null]));
    applyRead(state, asked, { slot: SLOT, accounts }, START_MS);
    refreshPools(state, START_MS + round * 1_000);
  }
  const tokens = [...state.tokens.values()];
  const measure = (nowMs: number) =>
    tokens.map((token) => {
      const before = token.assessed?.assessment.token;
      const assessment = assessToken(state, token, deps, { nowMs, maxAgeMs: 0 });
      assert.ok(assessment !== null && assessment.token !== null);
      const venue = market.tokens.find(({ mint }) => mint === token.mint)?.venue.id;
      return { venue, assessment, isCarried: assessment.token === before };
    });
  measure(START_MS);
  /** What a measurement of every token gives now. */
  const measuredAgain = (nowMs: number) =>
    tokens.map((token) => {
      const now = marketOf(state, token, deps, { nowMs, isLasting: false });
      assert.ok(now !== null);
      return assess(now);
    });
  return { tokens, facts, passTo, measure, measuredAgain };
}

test("an assessment that is carried on is what measuring again gives, in every venue", () => {
  const { passTo, measure, measuredAgain } = measuredTokens();
  const carried = new Set<VenueId | undefined>();
  for (const seconds of [1, 7, 60, 3_600]) {
    const nowMs = passTo(seconds);
    const measured = measure(nowMs);
    assert.deepEqual(
      measured.map(({ assessment }) => assessment),
      measuredAgain(nowMs),
    );
    for (const { isCarried, venue } of measured) if (isCarried) carried.add(venue);
  }
  for (const venue of ["pump-curve", "pumpswap", "raydium-launchlab"]) {
    assert.ok(carried.has(venue), `${venue} does not depend on the time`);
  }
  assert.ok(!carried.has("meteora-dlmm"), "its fee falls with the time");
});

test("nothing is carried on where something else than an account decides the answer", () => {
  const { facts, passTo, measure, measuredAgain } = measuredTokens();
  const expectMeasured = (what: string, nowMs: number): void => {
    const measured = measure(nowMs);
    const assessments = measured.map(({ assessment }) => assessment);
    assert.deepEqual(assessments, measuredAgain(nowMs), what);
    const curves = measured.filter(({ venue }) => venue === "pump-curve");
    assert.ok(curves.length > 0);
    for (const { isCarried } of curves) assert.equal(isCarried, false, what);
  };
  facts.exactPct = 90;
  expectMeasured("the model failed on recent swaps", passTo(1));
  expectMeasured("another epoch: transfer fees may change", passTo(3, { epoch: EPOCH + 1n }));
  facts.historySeconds = 298;
  expectMeasured("the history has a gap", passTo(5, { epoch: EPOCH + 1n }));
  facts.historySeconds = 299;
  const nowMs = passTo(6, { epoch: EPOCH + 1n });
  const stillShort = measure(nowMs);
  assert.deepEqual(
    stillShort.map(({ assessment }) => assessment),
    measuredAgain(nowMs),
  );
  assert.ok(
    stillShort.some(({ isCarried }) => isCarried),
    "its seconds are counted on",
  );
  facts.historySeconds = 300;
  expectMeasured("the history is long enough again", passTo(7, { epoch: EPOCH + 1n }));
  expectMeasured("the chain's clock stopped", passTo(7, { epoch: EPOCH + 1n }) + 31_000);
});
