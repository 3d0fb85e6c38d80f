import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress, plainPool, plainVenue } from "#bench/detection/plain-pool-venue.ts";
import { assess } from "#src/measure/assess.ts";
import type { Assessment } from "#src/measure/assessment.ts";
import { AppError } from "#src/platform/app-error.ts";
import { BackgroundWork } from "#src/platform/background-work.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { marketOf, poolOfSol } from "#test/support/markets/markets.ts";
import { followPlainToken } from "#test/support/pools/plain-token.ts";
import { removeToken } from "../following/followed-tokens.ts";
import { createLiveState, type FollowedToken, type LiveState } from "../following/live-state.ts";
import { recordClock } from "../following/slot-times.ts";
import { ExecutedAnswers } from "./executed-answers.ts";

const NOW_MS = 1_790_000_000_000;
const MARKET = marketOf([poolOfSol(100)]);
const VENUE = plainVenue();
const GROUND = {
  ...{ market: MARKET, accounts: new Map() },
  clock: { slot: 1n, unixTimestamp: 1n, epoch: 0n },
};

function follow(state: LiveState, mint: Address): FollowedToken {
  return followPlainToken(state, plainPool(mint, mint, WSOL));
}

/** Answers by execution of a venue that fails; the test ends each execution. */
function executing() {
  const state = createLiveState();
  const venues = new Set([VENUE.id]);
  const laidOut: Address[] = [];
  const runs: PromiseWithResolvers<Assessment>[] = [];
  const failures: unknown[] = [];
  let nowMs = NOW_MS;
  const answers = new ExecutedAnswers({
    state,
    byExecution: {
      venues: () => venues,
      run: async <Answer>(): Promise<Answer> => {
        const run = Promise.withResolvers<Assessment>();
        runs.push(run);
        return (await run.promise) as Answer;
      },
    },
    groundOf: ({ mint }) => {
      laidOut.push(mint);
      return GROUND;
    },
    clock: { nowMs: () => nowMs },
    background: new BackgroundWork((_, cause) => failures.push(cause)),
  });
  const pump = (afterMs = 10_000): void => {
    nowMs += afterMs;
    answers.pump();
  };
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const end = async (): Promise<void> => {
    runs.at(-1)?.resolve(assess(MARKET));
    await settled();
  };
  const fail = async (code: "overloaded" | "chain_unavailable"): Promise<void> => {
    runs.at(-1)?.reject(new AppError(code, { publicMessage: "Not now." }));
    await settled();
  };
  return { state, answers, pump, end, fail, laidOut, failures };
}

test("a token that is dropped while it waits is not executed, and does not wait any more", async () => {
  const { state, answers, pump, end, laidOut, failures } = executing();
  const kept = follow(state, namedAddress("kept"));
  const dropped = follow(state, namedAddress("dropped"));
  answers.of(dropped, MARKET);
  answers.of(kept, MARKET);
  removeToken(state, dropped);
  for (let turn = 0; turn < 3; turn++) {
    pump();
    await end();
  }
  assert.deepEqual(laidOut, [kept.mint]);
  assert.deepEqual(failures, []);
});

test("a token that is dropped while it is executed is not measured again", async () => {
  const { state, answers, pump, end } = executing();
  const token = follow(state, namedAddress("token"));
  answers.of(token, MARKET);
  pump();
  removeToken(state, token);
  await end();
  assert.equal(state.dirtyTokens.has(token), false);
});

test("a token whose sales can't be executed keeps no other token waiting, a node that is away keeps all", async () => {
  const { state, answers, pump, end, fail, laidOut } = executing();
  const odd = follow(state, namedAddress("odd"));
  const other = follow(state, namedAddress("other"));
  const ask = (): void => {
    for (const token of [odd, other]) answers.of(token, MARKET);
  };
  ask();
  pump();
  await fail("overloaded");
  ask();
  pump(100);
  assert.deepEqual(laidOut, [odd.mint, other.mint]);
  await fail("chain_unavailable");
  ask();
  pump(100);
  assert.equal(laidOut.length, 2);
  pump(5_000);
  await end();
  pump(5_000);
  await end();
  assert.deepEqual(laidOut.slice(2).toSorted(), [odd.mint, other.mint].toSorted());
});

test("an executed answer holds at later slots of its epoch, and at none of the next, whose transfer fees may differ", async () => {
  const { state, answers, pump, end, laidOut } = executing();
  const token = follow(state, namedAddress("token"));
  const reach = (slots: bigint, epoch: bigint): bigint | undefined => {
    const slot = MARKET.slot + slots;
    recordClock(state.times, { slot, unixTimestamp: 1_790_000_000n, epoch }, NOW_MS);
    return answers.of(token, { ...MARKET, slot })?.slot;
  };
  reach(0n, 800n);
  pump();
  await end();
  assert.equal(reach(10n, 800n), MARKET.slot + 10n);
  assert.equal(reach(20n, 801n), MARKET.slot);
  pump();
  await end();
  assert.equal(laidOut.length, 2);
  assert.equal(reach(30n, 801n), MARKET.slot + 30n);
});
