import type { ExitAt } from "#src/measure/exit-at.ts";
import type { StressedExit } from "#src/measure/stress.ts";
import { integerJson, parseIntegerJson } from "#src/platform/integer-json.ts";
import type { StoredAlert, TimeRange } from "#src/store/alerts.ts";
import type { HistoryPoint, HistoryQuery } from "#src/track/history.ts";
import type { MarketSnapshot } from "#src/track/market-snapshot.ts";
import type { Sale } from "#src/track/markets.ts";
import type { TrackerHealth } from "#src/track/tracker-health.ts";
import type { Address } from "#src/units/address.ts";

/**
 * What passes between the tracker and the processes that answer, through Redis. Channels are named
 * after the deployment and the version, so that others that share the server, and other versions,
 * are not heard.
 */
const VERSION = 3;

/** A beat is late after this: nothing more is asked of that tracker. */
export const TRACKER_SILENT_MS = 4_000;
export const BEAT_EVERY_MS = 1_000;

export type RelayChannels = {
  /** To whoever tracks. */
  readonly tracker: string;
  /** From the tracker to all: beats. */
  readonly beats: string;
  /** From the tracker to all: answers, each as `newsText` writes it. */
  readonly news: string;
  /** From the tracker to one. */
  readonly replica: (id: string) => string;
  /** A caller's use, where it is counted together. */
  readonly usage: (subject: string) => string;
};

export function relayChannels(deployment: string): RelayChannels {
  const root = `exitability:${deployment}:${VERSION}`;
  return {
    tracker: `${root}:tracker`,
    beats: `${root}:beats`,
    news: `${root}:news`,
    replica: (id) => `${root}:replica:${id}`,
    usage: (subject) => `${root}:usage:${subject}`,
  };
}

/** What the tracker answers one process. */
export type Questions = {
  readonly snapshot: {
    readonly asked: { readonly mint: Address };
    readonly answer: MarketSnapshot;
  };
  readonly exit: {
    readonly asked: { readonly mint: Address; readonly sale: Sale };
    readonly answer: ExitAt | null;
  };
  readonly stressed: {
    readonly asked: { readonly mint: Address };
    readonly answer: StressedExit | null;
  };
  readonly history: {
    readonly asked: { readonly mint: Address; readonly query: HistoryQuery };
    readonly answer: readonly HistoryPoint[];
  };
  /** Of another name than before it had a range: who knows but one of them says so by failing. */
  readonly alertsWithin: {
    readonly asked: { readonly mint: Address; readonly begun: TimeRange };
    readonly answer: readonly StoredAlert[];
  };
  readonly accuracy: { readonly asked: null; readonly answer: unknown };
};
export type QuestionKind = keyof Questions;

export type Ask = {
  [Kind in QuestionKind]: {
    readonly kind: Kind;
    readonly replica: string;
    readonly id: number;
    readonly asked: Questions[Kind]["asked"];
  };
}[QuestionKind];

export type ToTracker =
  | Ask
  /** Somebody asked for these just now: they are kept fresh, and told of. */
  | { readonly kind: "touched"; readonly mints: readonly Address[] }
  /** Somebody follows these: they are told of as before, but not measured for it. */
  | { readonly kind: "kept"; readonly mints: readonly Address[] }
  /** A user's watchlist is another one now. */
  | { readonly kind: "watchlist"; readonly userId: string };

export type Reply = {
  readonly term: bigint;
  readonly id: number;
  /** Absent where the tracker failed. */
  readonly answer?: unknown;
};

export type Beat<Facts> = {
  readonly term: bigint;
  /** How often the tracker's connection was made: with each, what was said meanwhile was lost. */
  readonly connections: number;
  readonly health: TrackerHealth;
  readonly facts: Facts;
};

export const messageText = (message: ToTracker | Reply | Beat<unknown>): string =>
  integerJson(message);

/** Our own writing, told by the channel it came through; null where it is no JSON object. */
export function parseMessage<Message extends ToTracker | Reply | Beat<unknown>>(
  text: string,
): Message | null {
  const parsed = parseIntegerJson(text);
  return typeof parsed === "object" && parsed !== null ? (parsed as Message) : null;
}

/** An answer for all, with what tells whether it is worth reading in front. */
export function newsText(news: {
  readonly term: bigint;
  readonly mint: Address;
  readonly snapshot: string;
}): string {
  return `${news.term} ${news.mint} ${news.snapshot}`;
}

export function parseNews(
  text: string,
): { readonly term: bigint; readonly mint: string; readonly snapshot: string } | null {
  const [, term, mint] = /^(\d+) (\S+) /.exec(text) ?? [];
  if (term === undefined || mint === undefined) return null;
  return { term: BigInt(term), mint, snapshot: text.slice(term.length + mint.length + 2) };
}
