import type { ExitQuery } from "#src/measure/questions/exit-at.ts";
import type { AppError } from "#src/platform/app-error.ts";
import { integerJson, parseIntegerJson } from "#src/platform/integer-json.ts";
import type { Markets } from "#src/track/markets.ts";
import {
  type AssessedSnapshot,
  parseSnapshot,
  type Renewal,
  snapshotText,
} from "#src/track/snapshot-text.ts";
import type { TrackerHealth } from "#src/track/tracker-health.ts";
import type { Address } from "#src/units/address.ts";

/**
 * Messages between the tracker and the processes or the thread that serve requests. Topic names contain
 * the deployment and the version, so that other deployments and versions on the same server are ignored.
 */
const VERSION = 12; // Increased with the version of a snapshot's text too.

/** Without a heartbeat for so long the tracker counts as absent and gets no requests. */
export const TRACKER_SILENT_MS = 4_000;
export const HEARTBEAT_EVERY_MS = 1_000;

export type RelayTopics = {
  /** From all to the tracker. */
  readonly tracker: string;
  /** From the tracker to all. */
  readonly heartbeats: string;
  /** From the tracker to the processes that hold the token: messages in the format of `newsText`. Sharded. */
  readonly news: (mint: Address) => string;
  /** From the tracker to one process. */
  readonly replica: (id: string) => string;
  /** The key of a caller's shared usage count. */
  readonly usage: (subject: string) => string;
};

export function relayTopics(deployment: string): RelayTopics {
  const root = `exitability:${deployment}:${VERSION}`;
  return {
    tracker: `${root}:tracker`,
    heartbeats: `${root}:beats`,
    news: (mint) => `${root}:news:${mint}`,
    replica: (id) => `${root}:replica:${id}`,
    usage: (subject) => `${root}:usage:${subject}`,
  };
}

/** What is asked of the tracker: a request has the arguments of one of these, and its reply has the result. */
export type TrackerQuestions = Pick<
  Markets,
  | "snapshot"
  | "exit"
  | "answerExit"
  | "curve"
  | "holdersFirst"
  | "stressed"
  | "history"
  | "pastDay"
  | "alerts"
> & {
  readonly accuracyReport: () => unknown;
  readonly proof: (mint: Address, sale: ExitQuery) => unknown;
};
export type TrackerRequestKind = keyof TrackerQuestions;
export type AskedOf<Kind extends TrackerRequestKind> = Parameters<TrackerQuestions[Kind]>;
export type AnswerOf<Kind extends TrackerRequestKind> = Awaited<ReturnType<TrackerQuestions[Kind]>>;

export type TrackerRequest = {
  [Kind in TrackerRequestKind]: {
    readonly kind: Kind;
    readonly replica: string;
    readonly id: number;
    readonly asked: AskedOf<Kind>;
  };
}[TrackerRequestKind];

export type TrackerMessage =
  | TrackerRequest
  /** Requested just now: the tracker keeps these tokens fresh and publishes them. */
  | { readonly kind: "touched"; readonly mints: readonly Address[] }
  /** Subscribed: the tracker goes on publishing these tokens, but does not measure them for it. */
  | { readonly kind: "kept"; readonly mints: readonly Address[] }
  /** Subscribed, but messages were lost, or another edition is held: the tracker publishes these tokens whole. */
  | { readonly kind: "missed"; readonly mints: readonly Address[] }
  /** A user's watchlist was changed. */
  | { readonly kind: "watchlist"; readonly userId: string };

export type TrackerReply = {
  readonly term: bigint;
  readonly id: number;
  /** Absent: the tracker refused the request, or failed. */
  readonly answer?: unknown;
  /** The AppError that a caller in the tracker's own process would get. */
  readonly refusal?: Pick<AppError, "code" | "publicMessage">;
  /** Absent: no failure, or a failure whose cause is outside the tracker. */
  readonly isOwnBug?: true;
};

export type Heartbeat<Facts> = {
  readonly term: bigint;
  /** How many connections to Redis the tracker has made: messages between two of them were lost. */
  readonly connections: number;
  readonly health: TrackerHealth;
  readonly facts: Facts;
};

export const messageText = (message: TrackerMessage | TrackerReply | Heartbeat<unknown>): string =>
  integerJson(message);

/** A message of our own format, whose type the topic determines; null: not a JSON object. */
export function parseMessage<Message extends TrackerMessage | TrackerReply | Heartbeat<unknown>>(
  text: string,
): Message | null {
  const parsed = parseIntegerJson(text);
  return typeof parsed === "object" && parsed !== null ? (parsed as Message) : null;
}

/**
 * A message on the topic of a token. An edition is a snapshot and its renewals, numbered by its tracker: a renewal
 * is of use only to those who hold the snapshot of its edition.
 */
export type News = { readonly term: bigint; readonly edition: number } & (
  | { readonly kind: "snapshot"; readonly snapshot: AssessedSnapshot }
  | { readonly kind: "renewal"; readonly renewal: Renewal }
);

/** The term comes first, so that a late message is ignored without parsing it. */
export function newsText(news: News): string {
  const { term, edition, kind } = news;
  const text = news.kind === "snapshot" ? snapshotText(news.snapshot) : integerJson(news.renewal);
  return `${term} ${edition} ${kind} ${text}`;
}

/** The news; null where news of that term are of no use, or the text is not of this version. */
export function parseNews(text: string, isOfUse: (term: bigint) => boolean): News | null {
  const [prefix, term, edition, kind] = /^(\d+) (\d+) (snapshot|renewal) /.exec(text) ?? [];
  if (prefix === undefined || term === undefined || !isOfUse(BigInt(term))) return null;
  const head = { term: BigInt(term), edition: Number(edition) };
  const body = text.slice(prefix.length);
  if (kind === "snapshot") {
    const snapshot = parseSnapshot(body);
    return snapshot === null ? null : { ...head, kind, snapshot };
  }
  const renewal = parseIntegerJson(body);
  const isObject = typeof renewal === "object" && renewal !== null;
  return isObject ? { ...head, kind: "renewal", renewal: renewal as Renewal } : null;
}
