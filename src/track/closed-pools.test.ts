import assert from "node:assert/strict";
import { test } from "node:test";
import {
  namedAddress,
  type PlainAccount,
  type PlainPool,
} from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { SYSTEM_PROGRAM } from "#src/units/known-addresses.ts";
import { placeToken, SOL } from "#test/simulation/track/plain-market.ts";
import { track } from "#test/simulation/track/tracker-on.ts";
import { sqliteDatabase } from "#test/support/databases/databases.ts";
import type { Tracker } from "./tracker.ts";

const MINT = namedAddress("token");
const STEP_SLOTS = 25;
const FIVE_MINUTES = 30;
const LONGER_THAN_UNASKED = 100;

async function pass(chain: ScriptedChain, tracker: Tracker, steps: number): Promise<void> {
  for (let step = 0; step < steps; step++) {
    chain.advance(STEP_SLOTS);
    tracker.tick();
    await tracker.idle();
  }
}

/** The addresses of closed accounts: without one, or with lamports that anyone can send to them. */
const REMAINS = new Map<string, PlainAccount | null>([
  ["closed", null],
  [
    "closed and sent lamports",
    { owner: SYSTEM_PROGRAM, lamports: 1_000_000n, data: new Uint8Array(0) },
  ],
]);

function close(
  chain: ScriptedChain,
  { address, vaultA, vaultB }: PlainPool,
  remains: PlainAccount | null = null,
): void {
  for (const account of [address, vaultA, vaultB]) chain.set(account, remains);
}

/** The causes of the alerts that begin from now on. */
function alertsOf(tracker: Tracker): readonly (string | undefined)[] {
  const causes: (string | undefined)[] = [];
  tracker.onReport(({ alertChange }) => {
    if (alertChange?.kind === "on") causes.push(alertChange.deterioration.cause?.kind);
  });
  return causes;
}

async function depthOf(tracker: Tracker): Promise<bigint | null> {
  const snapshot = await tracker.snapshot(MINT);
  assert.ok(snapshot.kind === "assessed", snapshot.kind);
  assert.equal(snapshot.assessment.blocked, null);
  return snapshot.assessment.measurement?.depthLamports ?? null;
}

for (const [how, remains] of REMAINS) {
  test(`a token whose pool is ${how} has no way out, and its watchers are alerted`, async (t) => {
    const database = await sqliteDatabase(t);
    const chain = new ScriptedChain();
    const pool = placeToken(chain, MINT, 80);
    const tracker = track(chain, database);
    const causes = alertsOf(tracker);
    assert.equal(await depthOf(tracker), 80n * SOL);
    await pass(chain, tracker, FIVE_MINUTES);
    close(chain, pool, remains);
    await pass(chain, tracker, FIVE_MINUTES);
    assert.equal(await depthOf(tracker), 0n);
    assert.deepEqual(causes, ["withdrawn"]);
    await tracker.close();
  });

  test(`a token whose pool was ${how} while no process ran has no way out, and its watchers are alerted`, async (t) => {
    const database = await sqliteDatabase(t);
    const chain = new ScriptedChain();
    const pool = placeToken(chain, MINT, 80);
    const first = track(chain, database);
    assert.equal(await depthOf(first), 80n * SOL);
    await pass(chain, first, FIVE_MINUTES);
    await first.close();
    close(chain, pool, remains);
    const tracker = track(chain, database);
    const causes = alertsOf(tracker);
    tracker.setWatched([MINT]);
    await tracker.restore();
    await pass(chain, tracker, FIVE_MINUTES);
    assert.equal(await depthOf(tracker), 0n);
    assert.deepEqual(causes, ["withdrawn"]);
    await tracker.close();
  });
}

test("a token that was dropped before its pool was closed is found when it is requested again", async (t) => {
  const database = await sqliteDatabase(t);
  const chain = new ScriptedChain();
  const pool = placeToken(chain, MINT, 80);
  const tracker = track(chain, database);
  await depthOf(tracker);
  await pass(chain, tracker, LONGER_THAN_UNASKED);
  assert.deepEqual(tracker.mints(), []);
  close(chain, pool);
  assert.equal(await depthOf(tracker), 0n);
  await tracker.close();
});

test("a token with closed pools is found again however often it is dropped", async (t) => {
  const database = await sqliteDatabase(t);
  const chain = new ScriptedChain();
  const pool = placeToken(chain, MINT, 80);
  const tracker = track(chain, database);
  await depthOf(tracker);
  for (let time = 0; time < 14; time++) {
    await pass(chain, tracker, LONGER_THAN_UNASKED);
    assert.deepEqual(tracker.mints(), []);
    if (time === 0) close(chain, pool);
    assert.equal(await depthOf(tracker), 0n, `${time}`);
  }
  await tracker.close();
});

test("a pool that one slot's reads deny while a process starts is not taken for closed, and raises no alert", async (t) => {
  const database = await sqliteDatabase(t);
  const chain = new ScriptedChain();
  const pool = placeToken(chain, MINT, 80);
  const first = track(chain, database);
  assert.equal(await depthOf(first), 80n * SOL);
  await pass(chain, first, FIVE_MINUTES);
  await first.close();
  chain.advance(STEP_SLOTS);
  chain.pretendGone(pool.address);
  const tracker = track(chain, database);
  const causes = alertsOf(tracker);
  const depths = new Set<bigint | undefined>();
  tracker.onReport(({ snapshot }) => {
    depths.add(snapshot.assessment.measurement?.depthLamports);
  });
  await tracker.restore();
  tracker.setWatched([MINT]);
  for (let tick = 0; tick < 3; tick++) {
    tracker.tick();
    await tracker.idle();
  }
  await pass(chain, tracker, FIVE_MINUTES);
  assert.deepEqual([...depths], [undefined, 80n * SOL]);
  assert.deepEqual(causes, []);
  await tracker.close();
});
