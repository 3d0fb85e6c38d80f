import { randomInt } from "node:crypto";
import type { Logger } from "pino";
import { Accuracy } from "#src/accuracy/accuracy.ts";
import { AccuracyRecord } from "#src/accuracy/accuracy-record.ts";
import { recordingSource } from "#src/accuracy/recording-source.ts";
import type { PublishedAccuracy } from "#src/api/service/get-accuracy.ts";
import type { ExitQuery } from "#src/measure/questions/exit-at.ts";
import { systemClock } from "#src/platform/clock.ts";
import { failureReporter } from "#src/platform/failure-reporter.ts";
import { LoopLoad } from "#src/platform/loop-load.ts";
import { ExecutionRecord } from "#src/proof/execution-record.ts";
import { ProofSampler } from "#src/proof/proof-sampler.ts";
import { NO_CODE_IN_DEMO, Proofs, unavailable } from "#src/proof/proofs.ts";
import type { ExitProof } from "#src/proof/prove-exit.ts";
import type { Database } from "#src/store/connection/database.ts";
import { Tracker } from "#src/track/tracker.ts";
import type { Address } from "#src/units/address.ts";
import { VENUES } from "#src/venues/all.ts";
import { VENUE_SALES } from "#src/venues/all-sales.ts";
import type { VenueId } from "#src/venues/venue.ts";
import { Closers } from "./closers.ts";
import type { Config } from "./config.ts";
import { type OpenChain, openChain } from "./open-chain.ts";

export type ProofOf = (mint: Address, sale: ExitQuery) => Promise<ExitProof>;

const FAILING_TEXT =
  "the program of this venue does not pay what the model says; its answers are executed, with medium confidence, until the model is fixed";

/** About 86,000 calls a month, whatever the number of tokens. */
const SAMPLED_READS_PER_MINUTE = 2;

/** The parts that follow the chain. One process of a service at a time runs them. */
export type Tracking = {
  readonly chain: OpenChain;
  readonly tracker: Tracker;
  readonly accuracy: Accuracy;
  /** The record of replays, and that of executions. */
  readonly accuracyReport: () => PublishedAccuracy;
  /** The token's exit, executed by the deployed programs. @throws AppError proof_unavailable */
  readonly proofOf: ProofOf;
  /** Begins to follow the chain. The recorder of alerts subscribes before this. */
  readonly start: () => Promise<void>;
  /** Stops following, and saves what is not on disk yet. @throws if that fails, once the chain is left */
  readonly close: () => Promise<void>;
};

export async function openTracking(
  config: Pick<
    Config,
    | "chain"
    | "geyser"
    | "commitment"
    | "historyDays"
    | "stateDays"
    | "accuracy"
    | "proof"
    | "dataDir"
  >,
  { database, logger }: { readonly database: Database; readonly logger: Logger },
): Promise<Tracking> {
  const clock = systemClock;
  const { geyser, commitment } = config;
  const chain = await openChain(config.chain, {
    clock,
    random: cryptoRandom,
    logger,
    geyser,
    commitment,
  });
  const source = recordingSource(chain.source);
  const record = new AccuracyRecord();
  const executions = new ExecutionRecord((venue, isFailing) => {
    if (isFailing) logger.error({ venue }, FAILING_TEXT);
    else
      logger.info({ venue }, "the program of this venue pays as modelled; the model answers again");
  });
  const unprovable = unprovableBecause(config.proof, source.origin);
  const proofs =
    unprovable !== null
      ? null
      : new Proofs({
          chain: { ...source, readAccountSlice: chain.slices.readAccountSlice },
          dataDir: config.dataDir,
          clock,
          onFailure: failureReporter(logger),
        });
  const tracker = new Tracker({
    source,
    everything: chain.everything,
    venues: VENUES,
    clock,
    database,
    historyDays: config.historyDays,
    stateDays: config.stateDays,
    exactPctByVenue: () =>
      new Map([...record.exactPctByVenue(clock.nowMs()), ...executions.equalPctByVenue()]),
    newDeployments: () => executions.newDeployments(),
    byExecution: proofs?.measureByExecution(() => executions.failing()) ?? null,
    loopLoad: new LoopLoad().share,
    onFailure: failureReporter(logger),
  });
  const accuracy = new Accuracy({
    ...{ source, tracker, record, clock, database },
    starts: chain.starts,
    transactions:
      config.accuracy === "sample"
        ? { ...chain.transactions, sample: { readsPerMinute: SAMPLED_READS_PER_MINUTE } }
        : chain.transactions,
    isOff: config.accuracy === "off",
    onUpgrade: (venue, deployedSlot) => {
      executions.deployed(venue);
      const [own, ...called] = programsOf(venue);
      if (own !== undefined) proofs?.recheck(own, deployedSlot);
      for (const programId of called) proofs?.recheck(programId);
    },
    log: logger,
  });
  const sampler =
    proofs === null || config.proof === "off"
      ? null
      : new ProofSampler({
          prover: proofs.prover,
          record: executions,
          mints: () => tracker.mints(),
          groundOf: (mint) => tracker.saleGround(mint),
          mode: config.proof,
          random: cryptoRandom,
          onFailure: failureReporter(logger),
        });
  const closers = new Closers();
  closers.push(chain.close);
  closers.push(() => proofs?.close());
  // An answer that is being executed needs the VM to its end.
  closers.push(() => tracker.close());
  closers.push(() => accuracy.close());
  closers.push(() => sampler?.close());
  const close = () => closers.close();
  const start = async () => {
    tracker.start();
    await accuracy.start();
    sampler?.start();
  };
  const accuracyReport = () => ({ ...accuracy.report(), executions: executions.report() });
  return {
    ...{ chain, tracker, accuracy, accuracyReport, start, close },
    proofOf: proofOf(tracker, proofs, unprovable),
  };
}

function programsOf(venue: VenueId): readonly Address[] {
  return VENUE_SALES.find((sale) => sale.venue === venue)?.programs ?? [];
}

function unprovableBecause(
  mode: Config["proof"],
  origin: OpenChain["source"]["origin"],
): string | null {
  if (mode === "off") return "the operator has proofs switched off";
  return origin === "demo" ? NO_CODE_IN_DEMO : null;
}

/** @param unprovable why there are no proofs */
function proofOf(tracker: Tracker, proofs: Proofs | null, unprovable: string | null): ProofOf {
  return async (mint, sale) => {
    if (proofs === null) throw unavailable(unprovable ?? "no program can be executed here");
    const ground = tracker.saleGround(mint);
    if (ground === null) throw unavailable("the token is not tracked yet");
    return proofs.prove(ground, sale);
  };
}

export function cryptoRandom(): number {
  return randomInt(2 ** 32) / 2 ** 32;
}
