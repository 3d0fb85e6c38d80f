import { parseArgs } from "node:util";
import { exitabilityBody } from "#src/api/measuring/exitability-body.ts";
import { noticeOf } from "#src/api/notice.ts";
import { readConfig } from "#src/app/config.ts";
import { openChain } from "#src/app/open-chain.ts";
import {
  type Assessment,
  STANDARD_SIZE_LAMPORTS,
  STANDARD_SIZES,
} from "#src/measure/assessment.ts";
import { isTrendUnknown } from "#src/measure/confidence/findings.ts";
import { isSizeAllowed, slippageAtSize } from "#src/measure/ladder.ts";
import type { RequestedSize } from "#src/measure/questions/requested-size.ts";
import { systemClock } from "#src/platform/clock.ts";
import type { AlertChange } from "#src/track/market-report.ts";
import type { AssessedSnapshot } from "#src/track/snapshot-text.ts";
import { Tracker } from "#src/track/tracker.ts";
import type { Address } from "#src/units/address.ts";
import { lamportsToSol } from "#src/units/to-number.ts";
import { VENUES } from "#src/venues/all.ts";
import { formatAssessment } from "./assessment-report.ts";
import { failedWork } from "./failure-text.ts";
import { mintArgument } from "./mint-argument.ts";
import { type Output, type Paint, plain } from "./output.ts";
import { stopSignal } from "./stop-signal.ts";

const USAGE = "exitability watch MINT [--json]";
const ONE_SOL: RequestedSize = { requested: 1, used: "1" };

/** The dependencies of a watch; tests pass their own. */
export type WatchDeps = {
  readonly open: (onFailure: (what: string, cause: unknown) => void) => Promise<OpenTracker>;
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
  const opened = await deps.open((what, cause) => output.err(failedWork(what, cause)));
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
  const { paint = plain } = output;
  if (!isJson) output.out(`${formatAssessment(first.assessment, { paint })}\n\n${HEADING}`);
  let printed = "";
  const print = (snapshot: AssessedSnapshot): void => {
    if (snapshot.assessment.mint !== mint) return;
    const figures = figuresOf(snapshot, paint);
    if (figures === printed) return;
    printed = figures;
    output.out(isJson ? jsonLine(snapshot) : `${timeOf(snapshot)} ${figures}`);
  };
  print(first);
  tracker.setWatched([mint]);
  const ends = [
    tracker.onSnapshot(print),
    tracker.onReport(({ alertChange }) => {
      if (!isJson && alertChange?.mint === mint) output.out(alertLine(alertChange, paint));
    }),
  ];
  await stopped;
  for (const end of ends) end();
  return 0;
}

/** At most 80 columns, as each line below it. Confidence and causes are in the report above and in alerts. */
const HEADING = [
  "Slippage in percent by size in SOL, retail; -: no exit, x: not answered by rule",
  "time       depth SOL   C10 SOL    0.5      1      2      5     10     50  trend",
].join("\n");
const TRENDS = { improving: "up", stable: "stable", deteriorating: "down" } as const;

function figuresOf({ assessment, trend, isDeteriorating }: AssessedSnapshot, paint: Paint): string {
  const { measurement, blocked, family } = assessment;
  if (measurement === null) {
    const notice = noticeOf(assessment, "en");
    return ` not measured (${blocked}): ${notice ?? "unknown"}`;
  }
  const slippage = STANDARD_SIZES.map((size) => {
    if (!isSizeAllowed(family, STANDARD_SIZE_LAMPORTS[size])) return "x";
    return slippageAtSize(measurement.retail, size)?.toFixed(2) ?? "-";
  });
  return [
    lamportsToSol(measurement.depthLamports).toFixed(2).padStart(11),
    measurement.c10Sol.toFixed(2).padStart(9),
    ...slippage.map((text) => text.padStart(6)),
    isDeteriorating ? paint(" ALERT", "bad") : ` ${trendText(assessment, trend)}`,
  ].join(" ");
}

/** With a short history the trend is unknown, whatever its figure. */
function trendText(assessment: Assessment, trend: AssessedSnapshot["trend"]): string {
  return isTrendUnknown(assessment) ? "?" : TRENDS[trend];
}

function timeOf({ assessment }: AssessedSnapshot): string {
  return new Date(assessment.stateTimeMs).toISOString().slice(11, 19);
}

function alertLine({ kind, deterioration, slot }: AlertChange, paint: Paint): string {
  const { detector, cause, levelSol, c10Sol } = deterioration;
  const what = cause === null ? "cause unknown" : cause.kind;
  const fall = `C10 ${levelSol.toFixed(2)} -> ${c10Sol.toFixed(2)} SOL`;
  return kind === "on"
    ? paint(`ALERT at slot ${slot}: ${detector}, ${what}, ${fall}`, "bad")
    : `the alert (${detector}, ${what}) is over`;
}

function jsonLine(snapshot: AssessedSnapshot): string {
  const asked = { size: ONE_SOL, profile: "retail", language: "es" } as const;
  return JSON.stringify(exitabilityBody({ ...snapshot, ...asked }));
}

function liveDeps(): WatchDeps {
  return {
    open: async (onFailure) => {
      const clock = systemClock;
      const chain = await openChain(readConfig(process.env).chain, { clock, random: Math.random });
      const { source } = chain;
      const tracker = new Tracker({ source, venues: VENUES, clock, database: null, onFailure });
      tracker.start();
      const close = async () => {
        await tracker.close();
        await chain.close();
      };
      return { tracker, close };
    },
    stopped: stopSignal(),
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
