import { createReadStream, existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { type Output, UsageError } from "#src/cli/output.ts";
import {
  applySample,
  type Deterioration,
  type DeteriorationChange,
  initialDeterioration,
} from "#src/measure/series/deterioration.ts";
import { addLosses, type Cause, type Losses, NO_LOSSES } from "#src/measure/series/losses.ts";

/** A series from a file, in the format of issue 4: one JSON object a line. */
export type Series = {
  readonly id: string;
  readonly stepSeconds: number;
  readonly c10: readonly (number | null)[];
  readonly events: readonly SeriesEvent[];
  readonly drainAt: number | null;
};

const EVENT_KINDS = ["withdrawal", "sell", "fee", "migration", "gap"] as const;

export type SeriesEvent = {
  /** Seconds from the first sample. */
  readonly t: number;
  readonly kind: (typeof EVENT_KINDS)[number];
  /** Share of C10 that it removed; 0 if not given. */
  readonly share: number;
};

export type SeriesAlert = {
  /** Seconds from the first sample; `to` is null where the alert was on at the end. */
  readonly from: number;
  readonly to: number | null;
  readonly detector: Deterioration["detector"];
  readonly cause: Cause | null;
  readonly causeShare: number | null;
  readonly levelSol: number;
  readonly c10Sol: number;
  readonly why: string;
};

export type JudgedSeries = {
  readonly id: string;
  readonly on: readonly SeriesAlert[];
  readonly drainAt: number | null;
  /** From the first alert to the drain; null where there was no drain, or no alert. */
  readonly leadSeconds: number | null;
};

/** Judges every series of a file by the tracker's own detector, and prints when its alert was on. */
export async function judgeSeriesFile(
  path: string,
  isJson: boolean,
  output: Output,
): Promise<number> {
  if (!existsSync(path)) throw new UsageError(`there is no file ${path}`);
  let number = 0;
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity });
  for await (const line of lines) {
    number++;
    if (line.trim() === "") continue;
    const judged = judgeSeries(parseSeries(line, number));
    output.out(isJson ? JSON.stringify(judged) : describe(judged));
  }
  return 0;
}

/** When the alert was on, and why. A sample that is missing is a gap; so is one before and after a migration. */
export function judgeSeries(series: Series): JudgedSeries {
  const { stepSeconds, events } = series;
  const state = initialDeterioration();
  const on: SeriesAlert[] = [];
  let pending: Pending = { losses: NO_LOSSES, sinceIndex: 0 };
  for (const [index, c10Sol] of series.c10.entries()) {
    const second = index * stepSeconds;
    const fresh = events.filter(({ t }) => t > second - stepSeconds && t <= second);
    pending = freshLosses(pending, fresh, index);
    const before = state.statistics?.log ?? null;
    const change = applySample(state, {
      timeMs: START_MS + second * 1_000,
      c10Sol,
      basis: basisAt(events, second, stepSeconds),
      losses: pending.losses === NO_LOSSES ? null : scaledTo(pending.losses, before, c10Sol),
    });
    const hasFallen = before !== null && c10Sol !== null && Math.log(c10Sol) < before;
    if (hasFallen) pending = { losses: NO_LOSSES, sinceIndex: index };
    if (change !== null) note(on, change, second);
  }
  const first = on[0];
  const hasLead = first !== undefined && series.drainAt !== null;
  const leadSeconds = hasLead ? (series.drainAt ?? 0) - first.from : null;
  return { id: series.id, on, drainAt: series.drainAt, leadSeconds };
}

const START_MS = 1_790_000_000_000;

type Pending = { readonly losses: Losses; readonly sinceIndex: number };

/**
 * Losses of this step's events. An event at a sample's very second may show in that sample or in the
 * next one: what no fall has used is kept for one step.
 */
function freshLosses(pending: Pending, events: readonly SeriesEvent[], index: number): Pending {
  const kept = index - pending.sinceIndex > 1 ? NO_LOSSES : pending.losses;
  const caused = events.filter(({ kind }) => kind !== "migration" && kind !== "gap");
  if (caused.length === 0) return { losses: kept, sinceIndex: pending.sinceIndex };
  const lossOf = (cause: SeriesEvent["kind"]): number =>
    caused.reduce(
      (sum, { kind, share }) => (kind === cause ? sum - Math.log1p(-Math.min(share, 0.9999)) : sum),
      0,
    );
  const losses = addLosses(kept, {
    withdrawn: lossOf("withdrawal"),
    sold: lossOf("sell"),
    fees: lossOf("fee"),
    paused: 0,
  });
  return { losses, sinceIndex: index };
}

/** Causes explain at most the fall that there was. */
function scaledTo(losses: Losses, before: number | null, c10Sol: number | null): Losses | null {
  if (before === null || c10Sol === null) return null;
  const fall = before - Math.log(Math.max(c10Sol, 0.01));
  if (fall <= 0) return NO_LOSSES;
  const all = losses.withdrawn + losses.sold + losses.fees + losses.paused;
  const scale = all > fall ? fall / all : 1;
  return {
    withdrawn: losses.withdrawn * scale,
    sold: losses.sold * scale,
    fees: losses.fees * scale,
    paused: losses.paused * scale,
  };
}

/** Number of migrations and gaps so far: the step that contains one, and the next, start a new series. */
function basisAt(events: readonly SeriesEvent[], second: number, stepSeconds: number): number {
  let basis = 1;
  for (const { kind, t } of events) {
    if (kind !== "migration" && kind !== "gap") continue;
    if (t <= second) basis++;
    if (t <= second - stepSeconds) basis++;
  }
  return basis;
}

function note(on: SeriesAlert[], change: DeteriorationChange, second: number): void {
  const { detector, cause, levelSol, c10Sol } = change.deterioration;
  if (change.kind === "off") {
    const open = on.pop();
    if (open !== undefined) on.push({ ...open, to: second });
    return;
  }
  on.push({
    from: second,
    to: null,
    detector,
    cause: cause?.kind ?? null,
    causeShare: cause === null ? null : Math.round(cause.share * 1_000) / 1_000,
    levelSol: rounded(levelSol),
    c10Sol: rounded(c10Sol),
    why: reasonFor(change.deterioration),
  });
}

const CAUSE_WORDS: Readonly<Record<Cause, string>> = {
  withdrawn: "liquidity withdrawn",
  sold: "sells",
  fees: "fees raised",
  paused: "trading paused",
};

function reasonFor({ detector, cause, levelSol, c10Sol }: Deterioration): string {
  const by = cause === null ? "cause not given" : CAUSE_WORDS[cause.kind];
  return `${detector}: C10 from ${rounded(levelSol)} to ${rounded(c10Sol)} SOL, ${by}`;
}

function rounded(sol: number): number {
  return Number(sol.toPrecision(4));
}

function describe({ id, on }: JudgedSeries): string {
  if (on.length === 0) return `${id}: never on`;
  return on
    .map(
      ({ from, to, why }) =>
        `${id}: on from ${from} s to ${to ?? "the end"}${to === null ? "" : " s"} (${why})`,
    )
    .join("\n");
}

/** @throws UsageError if the line is not a series; the message contains the line number and the error */
export function parseSeries(line: string, number: number): Series {
  const fail = (what: string): never => {
    throw new UsageError(`line ${number}: ${what}`);
  };
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch (cause) {
    throw new UsageError(`line ${number}: not JSON`, { cause });
  }
  if (typeof parsed !== "object" || parsed === null) return fail("not an object");
  const field = (name: string): unknown => Reflect.get(parsed, name);
  const id = field("id");
  const stepSeconds = field("stepSeconds");
  const c10 = field("c10");
  const drainAt = field("drainAt") ?? null;
  const events = field("events") ?? [];
  if (typeof id !== "string" && typeof id !== "number") return fail("id is missing");
  if (!isNumber(stepSeconds) || stepSeconds <= 0) return fail("stepSeconds must be above 0");
  if (!Array.isArray(c10) || !c10.every(isCapacity)) {
    return fail("c10 must be a list of numbers from 0 on, or null");
  }
  if (drainAt !== null && !isNumber(drainAt)) return fail("drainAt must be seconds or null");
  if (!Array.isArray(events)) return fail("events must be a list");
  const parsedEvents = events.map((event: unknown) => parseEvent(event) ?? fail("unknown event"));
  return { id: String(id), stepSeconds, c10, events: parsedEvents, drainAt };
}

function parseEvent(event: unknown): SeriesEvent | null {
  if (typeof event !== "object" || event === null) return null;
  const t: unknown = Reflect.get(event, "t");
  const share: unknown = Reflect.get(event, "share") ?? 0;
  const kind = EVENT_KINDS.find((known) => known === Reflect.get(event, "kind"));
  if (!isNumber(t) || !isNumber(share) || share < 0 || share > 1 || kind === undefined) return null;
  return { t, kind, share };
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isCapacity(value: unknown): value is number | null {
  return value === null || (isNumber(value) && value >= 0);
}
