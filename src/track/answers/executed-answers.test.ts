import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { namedAddress, plainVenue, vaultAccount } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { MeasureByExecution } from "#src/proof/measure-by-execution.ts";
import { LAMPORTS_PER_SOL } from "#src/units/amounts.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { VENUES } from "#src/venues/all.ts";
import type { VenueId } from "#src/venues/venue.ts";
import { placeToken, SOL } from "#test/simulation/track/plain-market.ts";
import { startProofChain } from "#test/support/chain/proof-chain.ts";
import { closeAfter } from "#test/support/ending.ts";
import { Tracker } from "../tracker.ts";
import type { ByExecution } from "./executed-answers.ts";

const QUERY = { profile: "retail", sizeLamports: LAMPORTS_PER_SOL } as const;

/** A tracker of one recorded coin, whose venue's model the test declares wrong. */
async function startTracking(t: TestContext) {
  const chain = await startProofChain(t);
  if (chain === null) return null;
  const { source, execution } = chain;
  const { prover } = chain.openProofs(null);
  let venues: ReadonlySet<VenueId> = new Set();
  let fails = false;
  let runs = 0;
  const measuring = new MeasureByExecution({ prover, venues: () => venues });
  const byExecution: ByExecution = {
    venues: () => venues,
    run: (ground, measure) => {
      runs++;
      return fails ? Promise.reject(new Error("away")) : measuring.run(ground, measure);
    },
  };
  let nowMs = chain.clock.nowMs();
  const failures: string[] = [];
  const tracker = new Tracker({
    ...{ source, venues: VENUES, clock: { nowMs: () => nowMs }, database: null, byExecution },
    onFailure: (what) => failures.push(what),
  });
  closeAfter(t, () => tracker.close());
  const answer = async () => {
    const snapshot = await tracker.snapshot(execution.inputMint);
    assert.ok(snapshot.kind === "assessed");
    return snapshot.assessment;
  };
  /** The answer after so much time, and after what was executed for it. */
  const after = async (ms: number) => {
    nowMs += ms;
    await answer();
    tracker.tick();
    await tracker.idle();
    return answer();
  };
  const setFailing = (failing: boolean) => {
    venues = new Set(failing ? ["pump-curve"] : []);
  };
  return {
    ...{ tracker, answer, after, setFailing, failures, mint: execution.inputMint },
    runs: () => runs,
    setAway: (isAway: boolean) => {
      fails = isAway;
    },
  };
}

test("while a venue fails, every answer is executed and aviso names it; afterwards the model answers again", async (t) => {
  const opened = await startTracking(t);
  if (opened === null) return;
  const { tracker, mint, answer, after, setFailing } = opened;
  const modelled = await answer();
  const exit = await tracker.exit(mint, QUERY);
  setFailing(true);
  const executed = await after(2_000);
  assert.deepEqual(executed.measurement, modelled.measurement);
  assert.ok(executed.findings.some(({ kind }) => kind === "executed"));
  assert.deepEqual(await tracker.exit(mint, QUERY), exit);
  assert.equal(tracker.market(mint), null, "no model prices its sales");
  setFailing(false);
  const again = await after(2_000);
  assert.deepEqual(again.measurement, modelled.measurement);
  assert.ok(again.findings.every(({ kind }) => kind !== "executed"));
});

test("an unchanged market is executed once a minute, and its answer does not grow old meanwhile", async (t) => {
  const opened = await startTracking(t);
  if (opened === null) return;
  const { answer, after, setFailing, runs } = opened;
  await answer();
  setFailing(true);
  await after(2_000);
  // The search that the first answer did not wait for ends, and its finding disappears.
  await after(30_000);
  await after(1_000);
  const first = runs();
  for (let second = 0; second < 30; second++) await after(1_000);
  assert.equal(runs(), first);
  await after(60_000);
  assert.equal(runs(), first + 1);
});

test("where execution fails the model answers again after two minutes, and a question is refused until then", async (t) => {
  const opened = await startTracking(t);
  if (opened === null) return;
  const { tracker, mint, answer, after, setFailing, setAway, failures } = opened;
  await answer();
  setFailing(true);
  await after(2_000);
  setAway(true);
  await assert.rejects(tracker.exit(mint, QUERY), /away/);
  const late = await after(121_000);
  assert.ok((await tracker.exit(mint, QUERY)) !== null);
  assert.ok(late.findings.every(({ kind }) => kind !== "executed"));
  assert.deepEqual([...new Set(failures)], ["execute an answer"]);
});

test("a question is refused, and not answered as blocked, while accounts are newer than the executed market", async (t) => {
  const chain = new ScriptedChain();
  const mint = namedAddress("token");
  const { vaultA, vaultB } = placeToken(chain, mint, 80);
  const venue = plainVenue();
  const tracker = new Tracker({
    ...{ source: chain, venues: [venue], clock: { nowMs: () => chain.nowMs }, database: null },
    byExecution: {
      venues: () => new Set([venue.id]),
      run: async ({ market }, measure) => measure(market),
    },
  });
  closeAfter(t, () => tracker.close());
  await tracker.snapshot(mint);
  for (let second = 0; second < 10; second++) {
    chain.advance(3);
    tracker.tick();
    await tracker.idle();
  }
  const sold = await tracker.exit(mint, QUERY);
  assert.equal(sold?.kind, "sold");
  chain.advance(1);
  chain.set(vaultB, vaultAccount(WSOL, 70n * SOL));
  await assert.rejects(tracker.exit(mint, QUERY), { code: "overloaded" });
  chain.set(vaultA, vaultAccount(mint, 600_000_000_000_000n));
  assert.equal((await tracker.exit(mint, QUERY))?.kind, "sold");
  assert.equal(await tracker.exit(namedAddress("another"), QUERY), null);
});
