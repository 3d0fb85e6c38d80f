import { once } from "node:events";
import { parseArgs } from "node:util";
import { exitabilityBody } from "#src/api/measuring/exitability-body.ts";
import { noticeOf } from "#src/api/notice.ts";
import { readConfig } from "#src/app/config.ts";
import { openChain } from "#src/app/open-chain.ts";
import { STANDARD_SIZES } from "#src/measure/assessment.ts";
import { confidenceOf } from "#src/measure/findings.ts";
import type { RequestedSize } from "#src/measure/requested-size.ts";
import { systemClock } from "#src/platform/clock.ts";
import type { AlertChange } from "#src/track/market-report.ts";
import type { AssessedSnapshot } from "#src/track/snapshot-text.ts";
import { createTracker, type Tracker } from "#src/track/tracker.ts";
import type { Address } from "#src/units/address.ts";
import { lamportsToSol } from "#src/units/to-number.ts";
import { VENUES } from "#src/venues/all.ts";
import { formatAssessment } from "./assessment-report.ts";
import { mintArgument } from "./mint-argument.ts";
import type { Output } from "./output.ts";

const USAGE = "exitability watch MINT [--json]";
const ONE_SOL: RequestedSize = { requested: 1, used: "1" };

/** The dependencies of a watch; tests pass their own. */
export type WatchDeps = {
  readonly open: (onFailure: (what: string) => void) => Promise<OpenTracker>;
  /** Resolves when the watch should end. */
  readonly stopped: Promise<unknown>;
};

export type OpenTracker = { readonly tracker: Tracker; readonly close: () => Promise<void> };

/** Prints the first assessment as `measure` does, then a line for each change, until interrupted. */
export async function watch(
  args: readonly string[],
  output: Output,
  deps: WatchDeps = liveDeps(),
): Promise<number> {
  const { mint, isJson } = readArguments(args);
  const opened = await deps.open((what) => output.err(`failed to ${what}; trying again`));
  try {
    return await follow(opened.tracker, { mint, isJson, output, stopped: deps.stopped });
  } finally {
    await opened.close();
  }
}

type WatchArguments = {
  readonly mint: Address;
  readonly isJson: boolean;
  readonly output: Output;
  readonly stopped: Promise<unknown>;
};

async function follow(
  tracker: Tracker,
  { mint, isJson, output, stopped }: WatchArguments,
): Promise<number> {
  const first = await tracker.snapshot(mint);
  if (first.kind === "not-found") {
    output.err(`${mint} has no pool or curve on any program we model`);
    return 1;
  }
  if (first.kind === "unavailable") {
    output.err("the chain can't be reached");
    return 1;
  }
  if (!isJson) output.out(`${formatAssessment(first.assessment)}\n`);
  let told = "";
  const tell = (snapshot: AssessedSnapshot): void => {
    if (snapshot.assessment.mint !== mint) return;
    const figures = figuresOf(snapshot);
    if (figures === told) return;
    told = figures;
    output.out(isJson ? jsonLine(snapshot) : `${timeOf(snapshot)}  ${figures}`);
  };
  tell(first);
  tracker.setWatched([mint]);
  const ends = [
    tracker.onSnapshot(tell),
    tracker.onReport(({ alertChange }) => {
      if (!isJson && alertChange?.mint === mint) output.out(alertLine(alertChange));
    }),
  ];
  await stopped;
  for (const end of ends) end();
  return 0;
}

function figuresOf({ assessment, trend, isDeteriorating }: AssessedSnapshot): string {
  const { measurement, blocked, findings } = assessment;
  const notice = noticeOf(assessment, "en");
  if (measurement === null) return `not measured (${blocked}): ${notice ?? "unknown"}`;
  const slippage = STANDARD_SIZES.map((size) => {
    const pct = measurement.retail.slippagePct[size];
    return `${size}: ${pct === null ? "no exit" : `${pct.toFixed(2)} %`}`;
  });
  return [
    `depth ${lamportsToSol(measurement.depthLamports).toFixed(3)} SOL`,
    `C10 ${measurement.c10Sol.toFixed(3)} SOL`,
    slippage.join("  "),
    trend,
    `confidence ${confidenceOf(findings)}`,
    ...(isDeteriorating ? ["DETERIORATING"] : []),
  ].join("  ");
}

function timeOf({ assessment }: AssessedSnapshot): string {
  return `${new Date(assessment.stateTimeMs).toISOString().slice(11, 19)} slot ${assessment.slot}`;
}

function alertLine({ kind, deterioration, slot }: AlertChange): string {
  const { detector, cause, levelSol, c10Sol } = deterioration;
  const what = cause === null ? "cause unknown" : cause.kind;
  return kind === "on"
    ? `ALERT at slot ${slot}: ${detector}, ${what}, C10 ${levelSol.toFixed(3)} -> ${c10Sol.toFixed(3)} SOL`
    : `the alert (${detector}, ${what}) is over`;
}

function jsonLine({ assessment, trend, isDeteriorating }: AssessedSnapshot): string {
  return JSON.stringify(
    exitabilityBody({
      assessment,
      trend,
      isDeteriorating,
      size: ONE_SOL,
      profile: "retail",
      language: "es",
    }),
  );
}

function liveDeps(): WatchDeps {
  return {
    open: async (onFailure) => {
      const clock = systemClock;
      const chain = await openChain(readConfig(process.env).chain, { clock, random: Math.random });
      const { source } = chain;
      const tracker = createTracker({ source, venues: VENUES, clock, database: null, onFailure });
      tracker.start();
      const close = async () => {
        await tracker.close();
        await chain.close();
      };
      return { tracker, close };
    },
    stopped: Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]),
  };
}

function readArguments(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { json: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  return { mint: mintArgument(positionals, USAGE), isJson: values.json };
}
