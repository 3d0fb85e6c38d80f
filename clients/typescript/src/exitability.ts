import type {
  Accuracy,
  AccuracySwaps,
  Batch,
  ExitAt,
  Exitability,
  History,
  HoldersFirst,
  Operations,
  PastDay,
  Pools,
  StressedExit,
  Token,
  WatchlistItem,
} from "./api-types.ts";
import { ask, type Question } from "./ask.ts";
import type { Fetch, Service } from "./connection.ts";
import { follow, type StreamEvent, type StreamOptions } from "./event-stream.ts";
import { ExitabilityError } from "./exitability-error.ts";
import { patienceOf, type RetryOptions } from "./patience.ts";

// biome-ignore lint/performance/noBarrelFile: a package has one entry, and callers distinguish failures by their class
export { ExitabilityError, type LocalErrorCode } from "./exitability-error.ts";
export type { RetryOptions, StreamEvent, StreamOptions };

export type ExitabilityOptions = {
  /** The service's URL: `https://host`, with a path if it is behind one. */
  readonly baseUrl: string;
  /** Queries count against the key's user. Never in a browser. An empty text is none, as an empty variable is. */
  readonly apiKey?: string | undefined;
  /** A session's access token: the watchlist needs one. Never in a browser. */
  readonly accessToken?: string | undefined;
  /** Default: the platform's fetch. */
  readonly fetch?: Fetch | undefined;
  /** The language of `aviso`. Default: the service's, Spanish. */
  readonly language?: "es" | "en" | undefined;
  readonly retry?: RetryOptions | undefined;
  /**
   * Maximum duration of one attempt, from sending to the last byte, milliseconds. Default 30,000; of
   * `holdersFirst` 80,000, because the service may take more than a minute for it.
   */
  readonly timeoutMs?: number | undefined;
};

/** What the service reads of a number; the decimals of a token are unknown here. */
const DECIMALS = { sol: 9, usd: 6, percent: 4 } as const;
/** The service loads the token for a quarter of a minute, and then waits for its holders for a minute. */
const HOLDERS_TIMEOUT_MS = 80_000;

export type CallOptions = { readonly signal?: AbortSignal | undefined };
export type Measuring = Operations["getExitability"]["query"] & CallOptions;
/**
 * A number of SOL is rounded to the nearest lamport, of USD to the nearest millionth, and a `max_cost`
 * to the nearest ten-thousandth of a percent. A number of tokens is sent as it is: the service refuses
 * one that is finer than the token's smallest unit. Pass text if a number is not precise enough.
 */
export type ExitAtQuestion = Omit<Operations["getExitAt"]["query"], "size" | "max_cost"> &
  CallOptions &
  ({ readonly size: number | string } | { readonly max_cost: number | string });
export type HoldersFirstQuestion = Operations["getHoldersFirst"]["query"] & CallOptions;
export type StressedQuestion = Operations["getStressedExit"]["query"] & CallOptions;
export type SwapsAsked = Operations["getAccuracySwaps"]["query"] & CallOptions;
export type HistoryRange = Omit<Operations["getHistory"]["query"], "from" | "to"> &
  CallOptions & {
    readonly from?: Date | string | undefined;
    readonly to?: Date | string | undefined;
  };
export type BatchOptions = Omit<Operations["getExitabilityBatch"]["body"], "mints"> & CallOptions;

/** An Exitability service. Methods throw only ExitabilityError. */
export type ExitabilityClient = {
  /** Can a position be sold now, and at what slippage? Six standard sizes at once. */
  readonly exitability: (mint: string, options?: Measuring) => Promise<Exitability>;
  /** One sale of any size, or the largest within a cost, exact to the lamport, with its route. */
  readonly exitAt: (mint: string, question: ExitAtQuestion) => Promise<ExitAt>;
  /** The exits now, and after the largest withdrawal known to be possible. */
  readonly stressedExit: (mint: string, options?: StressedQuestion) => Promise<StressedExit>;
  /** The exits now, and after the largest 1, 3, 5, 10 and 20 holders have sold. */
  readonly holdersFirst: (mint: string, options?: HoldersFirstQuestion) => Promise<HoldersFirst>;
  /** How the exit changed while one waited, over the last day, and how the price came back after sells. */
  readonly pastDay: (mint: string, options?: CallOptions) => Promise<PastDay>;
  /** A token's name and supply, and the powers that its mint gives over holders. */
  readonly token: (mint: string, options?: CallOptions) => Promise<Token>;
  /** The pools that a token can be sold in. */
  readonly pools: (mint: string, options?: CallOptions) => Promise<Pools>;
  /** Exit capacity, depth, score and slippage over time, and the alerts. */
  readonly history: (mint: string, range?: HistoryRange) => Promise<History>;
  /** Up to a hundred tokens in one request, each with its own outcome. */
  readonly batch: (mints: readonly string[], options?: BatchOptions) => Promise<Batch>;
  /** The answers of up to a hundred tokens as they change, until the loop ends. */
  readonly stream: (
    mints: readonly string[],
    options?: StreamOptions,
  ) => AsyncGenerator<StreamEvent, void, undefined>;
  /** The model compared with executed swaps, by program. */
  readonly accuracy: (options?: CallOptions) => Promise<Accuracy>;
  /** The latest executed swaps, newest first, each with the model's result. */
  readonly accuracySwaps: (asked?: SwapsAsked) => Promise<AccuracySwaps>;
  /** The user's watchlist. Needs `accessToken`: API keys are not accepted. */
  readonly watchlist: {
    readonly list: (options?: CallOptions) => Promise<{ readonly items: readonly WatchlistItem[] }>;
    readonly add: (
      entry: Operations["addToWatchlist"]["body"],
      options?: CallOptions,
    ) => Promise<Operations["addToWatchlist"]["answers"][201]>;
    readonly change: (
      change: Operations["changeWatchlist"]["body"],
      options?: CallOptions,
    ) => Promise<Operations["changeWatchlist"]["answers"][200]>;
    readonly remove: (
      id: number,
      options?: CallOptions,
    ) => Promise<Operations["removeFromWatchlist"]["answers"][200]>;
  };
};

/**
 * A client of one service. Reads and batches are repeated after temporary refusals and network
 * failures. Writes are sent once.
 *
 * @throws ExitabilityError credentials_in_browser, invalid_options
 */
export function createExitability(options: ExitabilityOptions): ExitabilityClient {
  const service = serviceOf(options);
  const patience = patienceOf(options.retry);
  const send = <Body>(question: Question) => ask<Body>(service, patience, question);
  const get = <Body>(path: string, asked: CallOptions = {}, timeoutMs?: number) => {
    const { signal, ...query } = asked;
    const whole = path + queryText(query);
    return send<Body>({ method: "GET", path: whole, signal, isRepeatable: true, timeoutMs });
  };
  const about = (mint: string, rest = "") => `/api/token/${segmentOf(mint)}${rest}`;
  const watched = <Body>(method: string, body: object | undefined, asked: CallOptions, path = "") =>
    send<Body>({
      method,
      path: `/api/oracle/watchlist${path}`,
      body,
      signal: asked.signal,
      isRepeatable: method === "GET",
    });
  return {
    exitability: (mint, asked) => get(about(mint, "/exitability"), asked),
    exitAt: (mint, asked) => get(about(mint, "/exitability/at"), withSizeText(asked)),
    stressedExit: (mint, asked) => get(about(mint, "/exitability/stressed"), asked),
    holdersFirst: (mint, asked) =>
      get(about(mint, "/exitability/holders-first"), asked, HOLDERS_TIMEOUT_MS),
    pastDay: (mint, asked) => get(about(mint, "/exitability/past-day"), asked),
    token: (mint, asked) => get(about(mint), asked),
    pools: (mint, asked) => get(about(mint, "/pools"), asked),
    history: (mint, range = {}) => get(about(mint, "/history"), withTimeTexts(range)),
    batch: (mints, { signal, ...asked } = {}) =>
      send({
        method: "POST",
        path: "/api/exitability/batch",
        body: { mints, ...asked },
        signal,
        isRepeatable: true,
      }),
    stream: (mints, { signal, heartbeatTimeoutMs, ...asked } = {}) => {
      const path = `/api/stream${queryText({ mints: mints.join(","), ...asked })}`;
      return follow({ service, patience, path, heartbeatTimeoutMs, signal });
    },
    accuracy: (asked) => get("/api/accuracy", asked),
    accuracySwaps: (asked) => get("/api/accuracy/swaps", asked),
    watchlist: {
      list: (asked = {}) => watched("GET", undefined, asked),
      add: (entry, asked = {}) => watched("POST", entry, asked),
      change: (change, asked = {}) => watched("PATCH", change, asked),
      remove: (id, asked = {}) => watched("DELETE", undefined, asked, queryText({ id })),
    },
  };
}

function serviceOf(options: ExitabilityOptions): Service {
  const { language, timeoutMs } = options;
  const apiKey = options.apiKey || undefined;
  const accessToken = options.accessToken || undefined;
  const given =
    apiKey !== undefined ? "API key" : accessToken !== undefined ? "access token" : null;
  if (given !== null && isBrowser()) {
    throw new ExitabilityError(
      "credentials_in_browser",
      `An ${given} does not belong in browser code, where every visitor can read it. Omit it and query anonymously, or query through your own server.`,
    );
  }
  for (const [name, text] of Object.entries({ apiKey, accessToken })) {
    // The text is secret: it is not a part of the message.
    if (text !== undefined && !/^[\x21-\x7e]+$/.test(text))
      throw invalidOption(
        `${name} is malformed: it has a space, a line break or a letter outside ASCII. Copy it again, or omit it.`,
      );
  }
  return {
    baseUrl: baseUrlOf(options.baseUrl),
    headers: {
      accept: "application/json",
      ...(apiKey === undefined ? {} : { "x-api-key": apiKey }),
      ...(accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` }),
      ...(language === undefined ? {} : { "accept-language": language }),
    },
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    timeoutMs,
  };
}

function baseUrlOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain =
    url !== null &&
    ["http:", "https:"].includes(url.protocol) &&
    `${url.username}${url.password}${url.search}${url.hash}` === "";
  if (isPlain) return url.href.replace(/\/+$/, "");
  throw invalidOption(
    "baseUrl must be the URL of a service, such as https://exitability.example.com, without a user, a query or a fragment.",
  );
}

function invalidOption(message: string): ExitabilityError {
  return new ExitabilityError("invalid_options", message);
}

/** A page or a page's worker: only their user agent starts with Mozilla. */
function isBrowser(): boolean {
  if ("document" in globalThis) return true;
  return "navigator" in globalThis && /^Mozilla\//.test(globalThis.navigator.userAgent);
}

/**
 * Any text as one segment of a path. `.` and `..` get a space, because a URL resolves them even when they are
 * escaped; half of a surrogate pair is replaced, because a URL cannot hold it.
 */
function segmentOf(text: string): string {
  const wellFormed = String(text).replace(/\p{Surrogate}/gu, "\uFFFD");
  return encodeURIComponent(wellFormed.replace(/^\.{1,2}$/, "$& "));
}

function queryText(query: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

/** A computed number may have more digits than the service reads (0.1 + 0.2), or an exponent (1e-7). */
function withSizeText(question: ExitAtQuestion) {
  if ("max_cost" in question) {
    const { max_cost: cost, ...asked } = question;
    return { ...asked, max_cost: typeof cost === "number" ? cost.toFixed(DECIMALS.percent) : cost };
  }
  const { size, ...asked } = question;
  if (typeof size !== "number") return { ...asked, size };
  const { unit = "sol" } = asked;
  return { ...asked, size: unit === "token" ? plainDigits(size) : size.toFixed(DECIMALS[unit]) };
}

/** A small number without its exponent, exactly. */
function plainDigits(value: number): string {
  const text = String(value);
  const match = /^(\d)(?:\.(\d+))?e-(\d+)$/.exec(text);
  if (match === null) return text;
  const [, whole = "", fraction = "", zeros = ""] = match;
  return `0.${"0".repeat(Number(zeros) - 1)}${whole}${fraction}`;
}

/** An invalid date is sent as text: the service refuses it with a reason. */
function withTimeTexts({ from, to, ...range }: HistoryRange) {
  const text = (time: Date | string | undefined) =>
    time instanceof Date && !Number.isNaN(time.getTime()) ? time.toISOString() : time;
  return { ...range, from: text(from), to: text(to) };
}
