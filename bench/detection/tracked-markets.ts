import { Tracker } from "#src/track/tracker.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { namedAddress, type PlainPool, plainPool, plainVenue } from "./plain-pool-venue.ts";
import { accountsOf, mintFor, playToEnd } from "./played-readings.ts";
import { ScriptedChain } from "./scripted-chain.ts";
import type { Script } from "./scripts.ts";
import { type Feed, type Reading, SLOT_MS } from "./stage.ts";
import { type Alarm, emptyTally, noteAlarm, type Tally, tallyMarket } from "./tally.ts";

/** Plays markets of a script through the tracker itself: accounts in, alerts out, on a virtual clock. */
export async function trackScript(
  script: Script,
  options: { readonly seed: number; readonly markets: number },
): Promise<Tally> {
  const tally = emptyTally();
  for (let market = 0; market < options.markets; market++) {
    const { readings, drains, days } = playToEnd(script, options.seed, market);
    tallyMarket(tally, { drains, days, alarms: await trackMarket(readings) });
  }
  return tally;
}

async function trackMarket(readings: readonly Reading[]): Promise<readonly Alarm[]> {
  const [first] = readings;
  if (first === undefined) return [];
  const chain = new ScriptedChain({ nowMs: first.timeMs });
  const mint = namedAddress("tracked token");
  const pool = plainPool("tracked", mint, WSOL);
  chain.set(mint, mintFor());
  write(chain, pool, first);
  const tracker = new Tracker({
    source: chain,
    venues: [plainVenue()],
    clock: { nowMs: () => chain.nowMs },
    database: null,
  });
  const alarms: Alarm[] = [];
  tracker.onReport(({ alertChange }) => {
    if (alertChange !== null) noteAlarm(alarms, alertChange.kind, chain.nowMs);
  });
  await tracker.snapshot(mint);
  tracker.setWatched([mint]);
  await replay({ chain, tracker, pool }, readings);
  await tracker.close();
  return alarms;
}

type Scene = {
  readonly chain: ScriptedChain;
  readonly tracker: Tracker;
  readonly pool: PlainPool;
};

async function replay(
  { chain, tracker, pool }: Scene,
  readings: readonly Reading[],
): Promise<void> {
  let feed: Feed = "live";
  let brokenAtSlot = chain.slot;
  for (const reading of readings) {
    chain.advance(Math.max(0, Math.round((reading.timeMs - chain.nowMs) / SLOT_MS)));
    if (reading.feed !== feed) brokenAtSlot = chain.slot;
    breakFeed(chain, reading.feed, chain.slot - brokenAtSlot);
    write(chain, pool, reading);
    if (reading.feed === "empty") chain.pretendGone(pool.vaultB);
    if (reading.feed === "live" && feed !== "live") chain.gap();
    feed = reading.feed;
    tracker.tick();
    await tracker.idle();
  }
}

/** Blind: the node is gone. Frozen: it answers, with what it knew so many slots ago. */
function breakFeed(chain: ScriptedChain, feed: Feed, slotsAgo: bigint): void {
  chain.delivery = () => (feed === "live" || feed === "empty" ? "now" : "lost");
  chain.isReachable = feed !== "blind";
  chain.readLag = feed === "frozen" ? slotsAgo + 1n : 0n;
}

function write(chain: ScriptedChain, pool: PlainPool, reading: Reading): void {
  for (const [address, account] of accountsOf(pool, reading)) chain.set(address, account);
}
