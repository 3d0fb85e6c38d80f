import { randomInt } from "node:crypto";
import type { Logger } from "pino";
import { Accuracy } from "#src/accuracy/accuracy.ts";
import { AccuracyRecord } from "#src/accuracy/accuracy-record.ts";
import { recordingSource } from "#src/accuracy/recording-source.ts";
import { systemClock } from "#src/platform/clock.ts";
import { failureReporter } from "#src/platform/failure-reporter.ts";
import type { Database } from "#src/store/database.ts";
import { createTracker, type Tracker } from "#src/track/tracker.ts";
import { VENUES } from "#src/venues/all.ts";
import type { Config } from "./config.ts";
import { type OpenChain, openChain } from "./open-chain.ts";

/** About 86,000 calls a month, whatever the number of tokens. */
const SAMPLED_READS_PER_MINUTE = 2;

/** The parts that follow the chain. One process of a service at a time runs them. */
export type Tracking = {
  readonly chain: OpenChain;
  readonly tracker: Tracker;
  readonly accuracy: Accuracy;
  /** Begins to follow the chain. The recorder of alerts subscribes before this. */
  readonly start: () => Promise<void>;
  /** Stops following, and saves what is not on disk yet. */
  readonly close: () => Promise<void>;
};

export async function openTracking(
  config: Pick<Config, "chain" | "geyser" | "stateDays" | "accuracy">,
  { database, logger }: { readonly database: Database; readonly logger: Logger },
): Promise<Tracking> {
  const clock = systemClock;
  const { geyser } = config;
  const chain = await openChain(config.chain, { clock, random: cryptoRandom, logger, geyser });
  const source = recordingSource(chain.source);
  const record = new AccuracyRecord();
  const tracker = createTracker({
    source,
    everything: chain.everything,
    venues: VENUES,
    clock,
    database,
    stateDays: config.stateDays,
    exactPctByVenue: () => record.exactPctByVenue(clock.nowMs()),
    onFailure: failureReporter(logger),
  });
  const accuracy = new Accuracy({
    ...{ source, tracker, record, clock, database },
    starts: chain.starts,
    transactions:
      config.accuracy === "sample"
        ? { ...chain.transactions, readsPerMinute: SAMPLED_READS_PER_MINUTE }
        : chain.transactions,
    isOff: config.accuracy === "off",
    log: logger,
  });
  const close = async () => {
    await accuracy.close();
    await tracker.close();
    await chain.close();
  };
  const start = async () => {
    tracker.start();
    await accuracy.start();
  };
  return { chain, tracker, accuracy, start, close };
}

export function cryptoRandom(): number {
  return randomInt(2 ** 32) / 2 ** 32;
}
