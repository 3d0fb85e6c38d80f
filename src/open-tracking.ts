import { randomInt } from "node:crypto";
import type { Logger } from "pino";
import { type Accuracy, createAccuracy } from "./accuracy/accuracy.ts";
import type { Config } from "./config.ts";
import { type OpenChain, openChain } from "./open-chain.ts";
import { systemNowMs } from "./platform/clock.ts";
import type { Database } from "./store/database.ts";
import { createTracker, type Tracker } from "./track/tracker.ts";
import { VENUES } from "./venues/all.ts";

/** What follows the chain: one process at a time does. */
export type Tracking = {
  readonly chain: OpenChain;
  readonly tracker: Tracker;
  readonly accuracy: Accuracy;
  /** Stops following, and writes what is not on disk yet. */
  readonly close: () => Promise<void>;
};

export async function openTracking(
  config: Pick<Config, "chain" | "geyser" | "stateDays">,
  { database, logger }: { readonly database: Database; readonly logger: Logger },
): Promise<Tracking> {
  const nowMs = systemNowMs;
  const { geyser } = config;
  const chain = await openChain(config.chain, { nowMs, random: cryptoRandom, logger, geyser });
  const accuracy = createAccuracy({
    source: chain.source,
    starts: chain.starts,
    transactions: chain.transactions,
    nowMs,
    database,
    log: logger,
  });
  const tracker = createTracker({
    source: accuracy.source,
    everything: chain.everything,
    venues: VENUES,
    nowMs,
    database,
    stateDays: config.stateDays,
    exactPctByVenue: () => accuracy.exactPctByVenue(),
    onFailure: (what, cause) => logger.warn({ err: cause }, `tracking failed to ${what}`),
  });
  const close = async () => {
    await accuracy.close();
    await tracker.close();
    await chain.close();
  };
  try {
    tracker.start();
    await accuracy.start(tracker);
  } catch (error) {
    await close();
    throw error;
  }
  return { chain, tracker, accuracy, close };
}

export function cryptoRandom(): number {
  return randomInt(2 ** 32) / 2 ** 32;
}
