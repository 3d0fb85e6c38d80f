import { setTimeout as wait } from "node:timers/promises";
import { DemoMarket } from "#demo/market.ts";
import { MARKET_PROGRAMS } from "#demo/programs/all.ts";
import { createRpcSource } from "#src/chain/rpc/rpc-source.ts";
import { recordedSource, trackRecorded } from "#src/cli/record-follow.ts";
import { createLocalNode } from "#src/node/node.ts";
import { SLOT_MS } from "#src/node/slot-clock.ts";
import { UpdateFiles } from "#src/node/update-files.ts";
import { Tracker } from "#src/track/tracker.ts";
import { VENUES } from "#src/venues/all.ts";
import type { ReplayedAlert } from "./recorded.ts";

const START_MS = Date.UTC(2026, 10, 20, 12);
const SLOTS_PER_MINUTE = 60_000 / SLOT_MS;
const PATIENCE_MS = 20_000;
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

export type DemoRecording = {
  readonly folder: string;
  readonly minutes: number;
  readonly seed: number;
  /** Compressed bytes after which a new file is begun. */
  readonly fileBytes?: number;
  /** The demo market's names; absent: all of them. */
  readonly symbols?: readonly string[];
};

export type RecordedDemo = {
  readonly alerts: readonly ReplayedAlert[];
  readonly tokens: number;
  readonly bytes: number;
};

/**
 * Tracks the demo market over the local node's sockets as the service does, and records it as
 * `exitability record --follow` does. Only the clock is ours: a minute of the market takes seconds.
 */
export async function recordDemo(options: DemoRecording): Promise<RecordedDemo> {
  const { folder, minutes, seed, symbols, fileBytes = NO_LIMIT } = options;
  const market = new DemoMarket({
    seed,
    startMs: START_MS,
    programs: MARKET_PROGRAMS,
    venues: VENUES,
  });
  let nowMs = START_MS;
  const clock = { nowMs: () => nowMs };
  const node = createLocalNode({ ledger: market.ledger });
  const source = createRpcSource({
    ...(await node.listen()),
    origin: "live",
    clock: { nowMs: () => performance.now() },
    random: () => 0.5,
  });
  const files = new UpdateFiles({ folder, fileBytes, totalBytes: NO_LIMIT });
  await files.begin(nowMs);
  const tracker = new Tracker({
    source: recordedSource(source, files, clock),
    venues: VENUES,
    clock,
    database: null,
  });
  const alerts: ReplayedAlert[] = [];
  tracker.onReport(({ alertChange, chainMs }) => {
    if (alertChange === null) return;
    alerts.push({ mint: alertChange.mint, kind: alertChange.kind, chainMs });
  });
  const mints = market.namedTokens
    .filter(({ symbol }) => symbols === undefined || symbols.includes(symbol))
    .map(({ mint }) => mint);
  try {
    await trackRecorded(tracker, files, { mints, clock });
    for (let slot = 0; slot < minutes * SLOTS_PER_MINUTE; slot++) {
      nowMs += SLOT_MS;
      market.tick();
      await caughtUp(tracker, market.ledger.clock.slot);
    }
  } finally {
    await tracker.close();
    await files.close();
    await source.close();
    await node.close();
  }
  if (files.failure !== null) throw files.failure;
  return { alerts, tokens: files.tokens, bytes: files.bytes };
}

/** The node publishes a slot after all changes in it: a client that received the slot has received them. */
export async function caughtUp(tracker: Tracker, slot: bigint): Promise<void> {
  const givesUpAtMs = performance.now() + PATIENCE_MS;
  while ((tracker.health().headSlot ?? 0n) < slot) {
    if (performance.now() > givesUpAtMs) throw new Error(`slot ${slot} never arrived`);
    await wait(1);
  }
  tracker.tick();
  await tracker.idle();
  tracker.tick();
}
