import type { Collections, LoggedLine } from "./service-log.ts";
import type { ProbeFigures } from "./update-probes.ts";

/** What the bars are judged on. */
export type JudgedFigures = {
  readonly memory: { readonly peakMb: number };
  readonly updates: {
    readonly lagged: number;
    readonly lateSlots: number;
    readonly swapsPerSecond: number;
    readonly askedPerSecond: number;
  };
  readonly updateToAnswer: {
    readonly outsideBursts: ProbeFigures;
    readonly inBursts: ProbeFigures;
  };
  readonly alerts: {
    readonly causes: number;
    readonly email: Arrived;
    readonly webhook: Arrived;
  };
  readonly answers: {
    readonly p99Ms: number | null;
    readonly answers: Readonly<Record<string, number>>;
    /** Broken connections. */
    readonly errors: number;
    /** Requests that were due and never sent, because their users still waited for earlier answers. */
    readonly neverAsked: number;
    readonly unanswered: number;
  };
  readonly checks: { readonly results: Readonly<Record<string, number>>; readonly early: number };
  readonly tracked: { readonly tokens: number | null };
  readonly tokens: number;
  readonly collections: Collections | null;
  readonly log: readonly LoggedLine[];
};
type Arrived = { readonly missed: number; readonly p99Ms: number | null };

const MOST_MB = (4 * 2 ** 30) / 1e6;
const MOST_UPDATE_MS = 10;
const MOST_ALERT_MS = 2_000;
const MOST_ANSWER_MS = 50;
/** A pool whose own account no swap changes, as of PumpSwap without fees to share, does not appear in a stream. */
const LEAST_TRACKED = 0.98;

/** Answers whose state was found on the chain: fewer prove nothing. */
const LEAST_CHECKED = 100;
/** The chain must have played what was asked for. */
const LEAST_PLAYED = 0.95;

/** Each bar that was missed, in words; a figure that was not measured misses its bar. */
export function missedBars(figures: JudgedFigures): readonly string[] {
  const { memory, updateToAnswer, alerts, answers, checks, tracked, tokens, updates, log } =
    figures;
  const { outsideBursts } = updateToAnswer;
  const missed: string[] = [];
  const most = (what: string, value: number | null, bar: number): void => {
    if (value === null || value > bar) missed.push(`${what}: ${value}, bar ${bar}`);
  };
  most("peak resident memory, MB", memory.peakMb, MOST_MB);
  most("update to changed answer outside bursts, p50 ms", outsideBursts.p50Ms, MOST_UPDATE_MS);
  most("update to changed answer outside bursts, p99 ms", outsideBursts.p99Ms, MOST_UPDATE_MS);
  for (const kind of ["email", "webhook"] as const) {
    most(`alerts by ${kind}, p99 ms`, alerts[kind].p99Ms, MOST_ALERT_MS);
    most(`alerts by ${kind} that did not arrive`, alerts[kind].missed, 0);
  }
  most("answers, p99 ms", answers.p99Ms, MOST_ANSWER_MS);
  for (const [status, count] of Object.entries(answers.answers))
    if (status !== "200") most(`answers with status ${status}`, count, 0);
  most("requests whose connection broke", answers.errors, 0);
  most("requests that were due and not sent", answers.neverAsked, 0);
  most("requests without an answer", answers.unanswered, 0);
  const least = (what: string, value: number, bar: number): void => {
    if (!(value >= bar)) missed.push(`${what}: ${value}, at least ${bar}`);
  };
  least("answers equal to the chain's state", checks.results["equal"] ?? 0, LEAST_CHECKED);
  least("swaps a second", updates.swapsPerSecond, LEAST_PLAYED * updates.askedPerSecond);
  most("answers older than they claim", checks.results["older"] ?? 0, 0);
  most("answers that no recent slot explains", checks.results["different"] ?? 0, 0);
  most("answers of a later time than their slot", checks.early, 0);
  const isLogged = log.some(({ text }) => text.includes("gRPC"));
  if (updates.lagged > 0 && !isLogged) missed.push("updates were dropped without a log line");
  if ((tracked.tokens ?? 0) < LEAST_TRACKED * tokens)
    missed.push(`tokens followed at the end: ${tracked.tokens} of ${tokens}`);
  return missed;
}
