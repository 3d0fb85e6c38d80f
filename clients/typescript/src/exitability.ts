import type {
  Accuracy,
  AccuracySwaps,
  Batch,
  ExitAt,
  Exitability,
  History,
  Operations,
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

// biome-ignore lint/performance/noBarrelFile: a package has one entry, and callers tell failures by the class
export { ExitabilityError, type LocalErrorCode } from "./exitability-error.ts";
export type { RetryOptions, StreamEvent, StreamOptions };

export type ExitabilityOptions = {
  /** Where the service is: `https://host`, or with a path where it stands behind one. */
  readonly baseUrl: string;
  /** Counts against the key's account. Never in a browser. */
  readonly apiKey?: string | undefined;
  /** A session's access token: the watchlist needs one. Never in a browser. */
  readonly accessToken?: string | undefined;
  /** Default: the platform's own. */
  readonly fetch?: Fetch | undefined;
  /** The language of `aviso`. Default: the service's, Spanish. */
  readonly language?: "es" | "en" | undefined;
  readonly retry?: RetryOptions | undefined;
  /** Milliseconds that one try may take, from sending to the last byte. Default 30,000. */
  readonly timeoutMs?: number | undefined;
};

const SOL_DECIMALS = 9;

export type CallOptions = { readonly signal?: AbortSignal | undefined };
export type Measuring = Operations["getExitability"]["query"] & CallOptions;
/**
 * A number of SOL is asked for to the nearest lamport. `size` as a text where a number has not the
 * digits for it.
 */
export type ExitAtQuestion = Omit<Operations["getExitAt"]["query"], "size"> &
  CallOptions & { readonly size: number | string };
export type StressedQuestion = Operations["getStressedExit"]["query"] & CallOptions;
export type SwapsAsked = Operations["getAccuracySwaps"]["query"] & CallOptions;
export type HistoryRange = Omit<Operations["getHistory"]["query"], "from" | "to"> &
  CallOptions & {
    readonly from?: Date | string | undefined;
    readonly to?: Date | string | undefined;
  };
export type BatchOptions = Omit<Operations["getExitabilityBatch"]["body"], "mints"> & CallOptions;

/** An Exitability service. Every method throws ExitabilityError, and nothing else. */
export type ExitabilityClient = {
  /** Can a position be sold now, and at what slippage? Six standard sizes at once. */
  readonly exitability: (mint: string, options?: Measuring) => Promise<Exitability>;
  /** One sale of any size, exact to the lamport, with its route. */
  readonly exitAt: (mint: string, question: ExitAtQuestion) => Promise<ExitAt>;
  /** The exits now, and after the largest withdrawal that is known to be possible. */
  readonly stressedExit: (mint: string, options?: StressedQuestion) => Promise<StressedExit>;
  /** A token's name and supply, and what its mint lets somebody do to holders. */
  readonly token: (mint: string, options?: CallOptions) => Promise<Token>;
  /** The pools that a token can be sold in. */
  readonly pools: (mint: string, options?: CallOptions) => Promise<Pools>;
  /** Exit capacity, depth, score and slippage over time, and the alerts. */
  readonly history: (mint: string, range?: HistoryRange) => Promise<History>;
  /** Up to a hundred tokens in one request, each with its own outcome. */
  readonly batch: (mints: readonly string[], options?: BatchOptions) => Promise<Batch>;
  /** The answers of up to a hundred tokens, each whenever it changes, until the loop is left. */
  readonly stream: (
    mints: readonly string[],
    options?: StreamOptions,
  ) => AsyncGenerator<StreamEvent, void, undefined>;
  /** How the model compares with what was executed, by program. */
  readonly accuracy: (options?: CallOptions) => Promise<Accuracy>;
  /** The last executed swaps one by one, each beside what the model says, the last one first. */
  readonly accuracySwaps: (asked?: SwapsAsked) => Promise<AccuracySwaps>;
  /** The tokens that the account watches. Needs `accessToken`: API keys are not accepted there. */
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
 * A client of one service. What may be asked again is asked again while there is hope: reading and
 * batches, after refusals that pass and failures of the network. Writes are sent once.
 *
 * @throws ExitabilityError credentials_in_browser
 * @throws TypeError where `baseUrl` is no URL
 */
export function createExitability(options: ExitabilityOptions): ExitabilityClient {
  const service = serviceOf(options);
  const patience = patienceOf(options.retry);
  const send = <Body>(question: Question) => ask<Body>(service, patience, question);
  const get = <Body>(path: string, { signal, ...query }: CallOptions = {}) =>
    send<Body>({ method: "GET", path: path + queryText(query), signal, isRepeatable: true });
  const about = (mint: string, rest = "") => `/api/token/${encodeURIComponent(mint)}${rest}`;
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
  const { apiKey, accessToken, language, timeoutMs = 30_000 } = options;
  const given =
    apiKey !== undefined ? "API key" : accessToken !== undefined ? "access token" : null;
  if (given !== null && isBrowser()) {
    throw new ExitabilityError(
      "credentials_in_browser",
      `An ${given} does not belong in browser code, where everybody who opens the page can read it. Leave it out and ask anonymously, or ask through a server of your own.`,
    );
  }
  return {
    baseUrl: new URL(options.baseUrl).href.replace(/\/+$/, ""),
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

/** A page, or a worker of one: they alone call themselves Mozilla. */
function isBrowser(): boolean {
  if ("document" in globalThis) return true;
  return "navigator" in globalThis && /^Mozilla\//.test(globalThis.navigator.userAgent);
}

function queryText(query: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

/** What was computed has more digits than there are lamports: 0.1 + 0.2 is a size too. */
function withSizeText({ size, ...asked }: ExitAtQuestion) {
  const { unit = "sol" } = asked;
  const isOfSol = typeof size === "number" && unit === "sol";
  return { ...asked, size: isOfSol ? size.toFixed(SOL_DECIMALS) : size };
}

/** A date that is none is sent as its text: the service says what is wrong with it. */
function withTimeTexts({ from, to, ...range }: HistoryRange) {
  const text = (time: Date | string | undefined) =>
    time instanceof Date && !Number.isNaN(time.getTime()) ? time.toISOString() : time;
  return { ...range, from: text(from), to: text(to) };
}
