import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress, plainVenue } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { placeToken } from "#test/simulation/track/plain-market.ts";
import { breakable } from "#test/support/databases/breakable-database.ts";
import { sqliteDatabase } from "#test/support/databases/databases.ts";
import { gridOf } from "./history/history.ts";
import { Tracker } from "./tracker.ts";

const MINT = namedAddress("token");
const MINUTE_MS = 60_000;

test("a token that is loaded while the database is away has a history once the database is back", async (t) => {
  const { database, power } = breakable(await sqliteDatabase(t));
  const chain = new ScriptedChain();
  const failures: string[] = [];
  const tracker = new Tracker({
    source: chain,
    venues: [plainVenue()],
    clock: { nowMs: () => chain.nowMs },
    database,
    onFailure: (what) => failures.push(what),
  });
  const pass = async (ms: number) => {
    const untilMs = chain.nowMs + ms;
    while (chain.nowMs < untilMs) {
      chain.advance(5);
      tracker.touch(MINT);
      tracker.tick();
      await tracker.idle();
    }
  };
  placeToken(chain, MINT, 80);
  chain.advance(5);
  power.isOff = true;
  assert.equal((await tracker.snapshot(MINT)).kind, "assessed");
  await pass(MINUTE_MS);
  assert.ok(failures.includes("open a token's record"));
  power.isOff = false;
  await pass(10 * MINUTE_MS);
  const toMs = chain.nowMs;
  const times = { fromMs: toMs - 8 * MINUTE_MS, toMs, stepMs: MINUTE_MS };
  const points = await tracker.history(MINT, gridOf(times, toMs));
  assert.ok(points.length > 0);
  assert.deepEqual(
    points.filter(({ depthSol }) => depthSol === null),
    [],
  );
  await tracker.close();
});
