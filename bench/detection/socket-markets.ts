import { createRpcSource } from "#src/chain/rpc/rpc-source.ts";
import { Ledger } from "#src/node/ledger.ts";
import { createLocalNode } from "#src/node/node.ts";
import { clockAt } from "#src/node/slot-clock.ts";
import { Tracker } from "#src/track/tracker.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { caughtUp } from "./demo-recording.ts";
import { namedAddress, type PlainPool, plainPool, plainVenue } from "./plain-pool-venue.ts";
import { accountsOf, mintFor, type PlayedMarket, playToEnd } from "./played-readings.ts";
import type { Script } from "./scripts.ts";
import { type Alarm, emptyTally, noteAlarm, type Tally, tallyMarket } from "./tally.ts";

/** The chain moves on by so much at once: readings in between share a slot. */
const STRIDE_MS = 4_000;

type Played = PlayedMarket & {
  readonly script: Script;
  readonly mint: Address;
  readonly pool: PlainPool;
  readonly alarms: Alarm[];
  /** The next reading to play. */
  next: number;
};

/**
 * Plays markets of several scripts at the same time over the local node's own HTTP and WebSocket,
 * with the product's own RPC source and tracker behind them. Only the clock is ours.
 */
export async function playOverSockets(
  scripts: readonly Script[],
  options: { readonly seed: number; readonly markets: number },
): Promise<ReadonlyMap<Script, Tally>> {
  const played = scripts.flatMap((script) =>
    Array.from({ length: options.markets }, (_, market): Played => {
      const mint = namedAddress(`${script.name} ${market}`);
      const pool = plainPool(`${script.name} ${market}`, mint, WSOL);
      const { readings, drains, days } = playToEnd(script, options.seed, market);
      return { script, mint, pool, readings, drains, days, alarms: [], next: 0 };
    }),
  );
  let nowMs = played[0]?.readings[0]?.timeMs ?? 0;
  const ledger = new Ledger(clockAt(nowMs));
  for (const { mint } of played) ledger.apply(new Map([[mint, { ...mintFor(), slot: 0n }]]));
  writeUntil(ledger, played, nowMs);
  const node = createLocalNode({ ledger });
  const source = createRpcSource({
    ...(await node.listen()),
    origin: "live",
    clock: { nowMs: () => performance.now() },
    random: () => 0.5,
  });
  const tracker = new Tracker({
    source,
    venues: [plainVenue()],
    clock: { nowMs: () => nowMs },
    database: null,
  });
  tracker.onReport(({ alertChange }) => {
    if (alertChange === null) return;
    const market = played.find((candidate) => candidate.mint === alertChange.mint);
    if (market !== undefined) noteAlarm(market.alarms, alertChange.kind, nowMs);
  });
  try {
    for (const { mint } of played) await tracker.snapshot(mint);
    tracker.setWatched(played.map(({ mint }) => mint));
    while (played.some(({ next, readings }) => next < readings.length)) {
      nowMs += STRIDE_MS;
      writeUntil(ledger, played, nowMs);
      ledger.advance(clockAt(nowMs));
      await caughtUp(tracker, ledger.clock.slot);
    }
  } finally {
    await tracker.close();
    await source.close();
    await node.close();
  }
  return tallied(played);
}

/** Writes each market's newest reading; a market that has ended keeps its last one. */
function writeUntil(ledger: Ledger, played: readonly Played[], nowMs: number): void {
  for (const market of played) {
    let newest = null;
    for (;;) {
      const reading = market.readings[market.next];
      if (reading === undefined || reading.timeMs > nowMs) break;
      newest = reading;
      market.next++;
    }
    if (newest === null) continue;
    for (const [address, account] of accountsOf(market.pool, newest)) {
      ledger.apply(new Map([[address, { ...account, slot: 0n }]]));
    }
  }
}

function tallied(played: readonly Played[]): ReadonlyMap<Script, Tally> {
  const tallies = new Map<Script, Tally>();
  for (const market of played) {
    const tally = tallies.get(market.script) ?? emptyTally();
    tallyMarket(tally, market);
    tallies.set(market.script, tally);
  }
  return tallies;
}
