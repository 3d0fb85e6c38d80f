import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress, plainVenue } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { placeToken, SOL } from "#test/simulation/track/plain-market.ts";
import { closeAfter } from "#test/support/ending.ts";
import { Tracker } from "./tracker.ts";

const MINT = namedAddress("watched");
const CALLERS = 9;
const LOADS_EACH = 60;

test("a watched token is loaded although callers fill the queue of loads", async (t) => {
  const chain = new ScriptedChain();
  placeToken(chain, MINT, 80);
  const node = Promise.withResolvers<void>();
  const read = chain.readAccounts.bind(chain);
  chain.readAccounts = (addresses) => node.promise.then(() => read(addresses));
  const failures: string[] = [];
  const tracker = new Tracker({
    ...{ source: chain, venues: [plainVenue()], clock: { nowMs: () => chain.nowMs } },
    database: null,
    onFailure: (what) => failures.push(what),
  });
  closeAfter(t, () => tracker.close());
  const flood = Array.from({ length: CALLERS * LOADS_EACH }, (_, index) =>
    tracker.snapshot(namedAddress(`flood ${index}`), `caller ${index % CALLERS}`),
  );
  tracker.setWatched([MINT]);
  node.resolve();
  await Promise.allSettled(flood);
  await tracker.idle();
  assert.deepEqual(failures, []);
  const snapshot = tracker.latest(MINT);
  assert.ok(snapshot?.kind === "assessed");
  assert.equal(snapshot.assessment.measurement?.depthLamports, 80n * SOL);
});
