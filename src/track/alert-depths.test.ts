import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress, plainPool, plainVenue } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { placeToken, SOL, setReserves } from "#test/simulation/track/plain-market.ts";
import type { AlertChange } from "./market-report.ts";
import { Tracker } from "./tracker.ts";

const MINT = namedAddress("token");
const BASE_PER_SOL = 6_000_000_000_000n;

for (const [how, steps, depthBeforeSol] of [
  ["at once", [20n], 80],
  ["in steps", [68n, 57n, 48n, 40n, 33n, 27n, 22n, 18n], null],
] as const) {
  test(`an alert after liquidity fell ${how} has the depth of the level before the fall, or none`, async () => {
    const chain = new ScriptedChain();
    const tracker = new Tracker({
      source: chain,
      venues: [plainVenue()],
      clock: { nowMs: () => chain.nowMs },
      database: null,
    });
    const changes: AlertChange[] = [];
    tracker.onReport(({ alertChange }) => alertChange !== null && changes.push(alertChange));
    const pass = async (slots: number) => {
      for (let slot = 0; slot < slots; slot += 5) {
        chain.advance(5);
        tracker.touch(MINT);
        tracker.tick();
        await tracker.idle();
      }
    };
    placeToken(chain, MINT, 80);
    await tracker.snapshot(MINT);
    await pass(1_500);
    for (const sol of steps) {
      const reserves = { base: sol * BASE_PER_SOL, quote: sol * SOL };
      setReserves(chain, plainPool(`${MINT} main`, MINT, WSOL), reserves);
      await pass(25);
    }
    const [alert] = changes;
    assert.equal(alert?.kind, "on");
    assert.equal(alert?.depthBeforeSol, depthBeforeSol);
    await tracker.close();
  });
}
