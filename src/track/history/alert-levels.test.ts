import assert from "node:assert/strict";
import { test } from "node:test";
import {
  namedAddress,
  plainPool,
  plainPoolAccount,
  plainVenue,
  vaultAccount,
} from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import type { Database } from "#src/store/connection/database.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { placeToken, SOL } from "#test/simulation/track/plain-market.ts";
import { eachDatabase } from "#test/support/databases/databases.ts";
import type { AlertChange } from "../market-report.ts";
import { Tracker } from "../tracker.ts";

const MINT = namedAddress("token");
const MINUTE_SLOTS = 150;

type Watched = { readonly tracker: Tracker; readonly changes: AlertChange[] };

async function watch(
  chain: ScriptedChain,
  database: Database | null,
  clockErrorMs = 0,
): Promise<Watched> {
  const tracker = new Tracker({
    source: chain,
    venues: [plainVenue()],
    clock: { nowMs: () => chain.nowMs + clockErrorMs },
    database,
  });
  const changes: AlertChange[] = [];
  tracker.onReport(({ alertChange }) => {
    if (alertChange !== null) changes.push(alertChange);
  });
  await tracker.snapshot(MINT);
  tracker.setWatched([MINT]);
  return { tracker, changes };
}

async function pass(chain: ScriptedChain, tracker: Tracker, slots: number): Promise<void> {
  for (let slot = 0; slot < slots; slot += 5) {
    chain.advance(5);
    tracker.tick();
    await tracker.idle();
  }
}

test("levels survive a restart: a drain while no process ran is an alert", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    for (const [left, expected] of [
      [60, []],
      [20, ["gap"]],
    ] as const) {
      const chain = new ScriptedChain();
      placeToken(chain, MINT, 80);
      const first = await watch(chain, database);
      await pass(chain, first.tracker, 10 * MINUTE_SLOTS);
      await first.tracker.close();
      chain.advance(10 * MINUTE_SLOTS);
      placeToken(chain, MINT, left);
      const second = await watch(chain, database);
      await pass(chain, second.tracker, MINUTE_SLOTS);
      assert.deepEqual(
        second.changes.map(({ deterioration }) => deterioration.detector),
        expected,
      );
      await second.tracker.close();
    }
  });
});

test("case 3: a drain alerts while an unpriced pool holds more than what is left", async () => {
  const chain = new ScriptedChain();
  placeToken(chain, MINT, 100);
  const { tracker, changes } = await watch(chain, null);
  await pass(chain, tracker, 6 * MINUTE_SLOTS);
  const decoy = plainPool("decoy", MINT, WSOL);
  // Without its vault of the token it can't be priced, and its quote can be weighed.
  chain.set(decoy.address, plainPoolAccount(decoy));
  chain.set(decoy.vaultB, vaultAccount(WSOL, (12n * SOL) / 10n));
  await pass(chain, tracker, 4 * MINUTE_SLOTS);
  assert.equal(changes.length, 0);
  placeToken(chain, MINT, 1);
  await pass(chain, tracker, 10);
  const snapshot = await tracker.snapshot(MINT);
  assert.equal(snapshot.kind, "assessed");
  assert.equal(snapshot.assessment.blocked, "unpriced-majority");
  assert.equal(snapshot.assessment.measurement, null);
  assert.deepEqual(
    changes.map(({ kind, deterioration }) => [kind, deterioration.cause?.kind]),
    [["on", "withdrawn"]],
  );
  await tracker.close();
});

test("an error of an hour in the local clock changes no alert", async () => {
  const alertsWith = async (clockErrorMs: number) => {
    const chain = new ScriptedChain();
    placeToken(chain, MINT, 80);
    const { tracker, changes } = await watch(chain, null, clockErrorMs);
    await pass(chain, tracker, 10 * MINUTE_SLOTS);
    placeToken(chain, MINT, 8);
    await pass(chain, tracker, 40 * MINUTE_SLOTS);
    await tracker.close();
    return changes.map(({ kind, atMs, deterioration }) => ({ kind, atMs, deterioration }));
  };
  const right = await alertsWith(0);
  assert.deepEqual(
    right.map(({ kind }) => kind),
    ["on", "off"],
  );
  assert.deepEqual(await alertsWith(3_600_000), right);
  assert.deepEqual(await alertsWith(-3_600_000), right);
});
