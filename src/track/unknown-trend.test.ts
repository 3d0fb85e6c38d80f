import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress, plainPool } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { isTrendUnknown } from "#src/measure/confidence/findings.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { placePool, placeToken, SOL } from "#test/simulation/track/plain-market.ts";
import { track } from "#test/simulation/track/tracker-on.ts";
import { sqliteDatabase } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";

const MINT = namedAddress("token");
const SECOND = plainPool("second", MINT, WSOL);
const SLOTS_PER_TICK = 5;
const TICKS_OF_SEVEN_MINUTES = 210;

test("from the first answer after a change of the trend's basis on, the trend is not known", async (t) => {
  const chain = new ScriptedChain();
  placeToken(chain, MINT, 80);
  placePool(chain, SECOND, { base: 500_000_000_000_000n, quote: 80n * SOL });
  const tracker = track(chain, await sqliteDatabase(t));
  closeAfter(t, () => tracker.close());
  const pass = async (ticks: number) => {
    for (let tick = 0; tick < ticks; tick++) {
      chain.advance(SLOTS_PER_TICK);
      tracker.tick();
      await tracker.idle();
    }
  };
  await tracker.snapshot(MINT);
  const answered: boolean[] = [];
  tracker.onSnapshot(({ assessment }) => answered.push(isTrendUnknown(assessment)));
  await pass(TICKS_OF_SEVEN_MINUTES);
  assert.equal(answered.at(-1), false);
  answered.length = 0;
  chain.set(SECOND.address, {
    owner: namedAddress("another program"),
    lamports: 1n,
    data: new Uint8Array(8),
  });
  await pass(10);
  assert.ok(answered.length > 0);
  assert.deepEqual(new Set(answered), new Set([true]));
});
