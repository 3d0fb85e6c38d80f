import type { IncomingMessage, ServerResponse } from "node:http";
import type { Assessment, Profile } from "#src/measure/assessment.ts";
import type { NowMs } from "#src/platform/clock.ts";
import type { MarketSnapshot, MarketSource } from "#src/track/market-snapshot.ts";
import { type Address, parseAddress } from "#src/units/address.ts";
import type { ApiKeys, KnownKey } from "#src/users/api-keys.ts";
import type { Quotas, Standing } from "#src/users/quotas.ts";
import { exitabilityBody, type RequestedSize } from "#src/wire/exitability.ts";
import { type Language, preferredLanguage } from "#src/wire/notice.ts";
import { parseSize } from "#src/wire/size.ts";
import type { Admission } from "./admission.ts";
import { MEASURED_CACHING, namesState, tagOf, VARY } from "./plugins/conditional.ts";
import { OPEN_HEADERS } from "./plugins/cors.ts";
import { RETRY_AFTER_SECONDS } from "./plugins/errors.ts";
import { REFUSAL_MESSAGES } from "./plugins/refusing.ts";
import { headerLine, ReadyAnswers } from "./ready-answer.ts";
import type { RequestCounts } from "./request-counts.ts";

const PREFIX = "/api/token/";
const SUFFIX = "/exitability";
const ROUTE = `${PREFIX}:id${SUFFIX}`;
const REMEMBERED_TARGETS = 20_000;
/** For a page of another origin, as plugins/cors.ts has it. */
const CROSS_ORIGIN = linesOf(OPEN_HEADERS);
const MEASURED = linesOf({ "cache-control": MEASURED_CACHING, vary: VARY });
const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };
const DEMO = linesOf({ "x-chain": "demo" });
const OVERLOADED = JSON.stringify({ error: "overloaded", message: REFUSAL_MESSAGES.overloaded });
const OVERLOADED_LINES = linesOf({
  ...JSON_TYPE,
  "content-length": String(OVERLOADED.length),
  "retry-after": String(RETRY_AFTER_SECONDS.overloaded),
});

export type HotRouteDeps = {
  readonly markets: Pick<MarketSource, "latest">;
  readonly apiKeys: Pick<ApiKeys, "recall" | "noteUse">;
  readonly quotas: Pick<Quotas, "spendAtOnce" | "peekAtOnce">;
  readonly nowMs: NowMs;
  readonly admission: Pick<Admission, "isStopping" | "isLate" | "refusalOf">;
  readonly isDemo: boolean;
  readonly keepAliveMs: number;
  readonly nextRequestId: () => string;
  readonly requests: RequestCounts;
};

/** What a request target asks for; remembered by its text, so that it is parsed once. */
type Target = { readonly mint: Address; readonly profile: Profile; readonly size: RequestedSize };

/** Answers the request, or says that it did not: then nothing was counted and nothing written. */
export type HotRoute = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * The one hot answer, in front of the framework: a warm token, asked for with an API key that was
 * checked before, by a caller without a daily gate. Whatever is not exactly that is left to
 * routes/exitability.ts, whose answers these equal to the byte (hot-route.test.ts).
 */
export function createHotRoute(deps: HotRouteDeps): HotRoute {
  const { markets, apiKeys, quotas, nowMs, admission, isDemo, nextRequestId } = deps;
  const targets = new Map<string, Target>();
  const bodies = new BodyCache();
  const counts = deps.requests.of("GET", ROUTE);
  const answers = new ReadyAnswers(deps.keepAliveMs);
  const everywhere = isDemo ? MEASURED + DEMO : MEASURED;

  function linesFor(standing: Standing, { now, hasOrigin }: Moment): string {
    const id = headerLine("x-request-id", nextRequestId());
    const lines = limitLines(standing, now) + id + everywhere;
    return hasOrigin ? lines + CROSS_ORIGIN : lines;
  }

  /** Answers that there is too much to answer, as plugins/refusing.ts does. */
  function refuse(response: ServerResponse, known: KnownKey, moment: Moment): boolean {
    const { now, startedMs } = moment;
    const standing = quotas.peekAtOnce(known.caller, now);
    if (standing === null || admission.refusalOf("hot", startedMs) === null) return false;
    apiKeys.noteUse(known, now);
    const lines = linesFor(standing, moment) + OVERLOADED_LINES;
    answers.send(response, { status: 503, lines, body: OVERLOADED }, now);
    counts.count(503, performance.now() - startedMs);
    return true;
  }

  return (request, response) => {
    if (request.method !== "GET" || admission.isStopping || !response.shouldKeepAlive) return false;
    const startedMs = performance.now();
    const target = targetOf(targets, request.url ?? "");
    if (target === null) return false;
    const asked = readHeaders(request.rawHeaders);
    if (asked === null) return false;
    const now = nowMs();
    const known = apiKeys.recall(asked.apiKey, now);
    if (known === null) return false;
    const snapshot = markets.latest(target.mint);
    if (snapshot?.kind !== "assessed") return false;
    const moment = { now, startedMs, hasOrigin: asked.hasOrigin };
    if (admission.isLate("hot", startedMs)) return refuse(response, known, moment);
    const spend = quotas.spendAtOnce(known.caller, now);
    // A refused caller has taken nothing: the framework's route refuses again, with its body.
    if (spend === null || !spend.allowed) return false;
    apiKeys.noteUse(known, now);
    const { bytes, etag, stateLines, contentLines } = bodies.of(snapshot, target, asked.language);
    const isKnown = asked.ifNoneMatch !== null && namesState(asked.ifNoneMatch, etag);
    const lines = linesFor(spend, moment) + stateLines;
    const answer = isKnown
      ? ({ status: 304, lines, body: "" } as const)
      : ({ status: 200, lines: lines + contentLines, body: bytes } as const);
    answers.send(response, answer, now);
    counts.count(answer.status, performance.now() - startedMs);
    return true;
  };
}

/** `startedMs` is on the clock of `performance.now()`, `now` since 1970. */
type Moment = { readonly now: number; readonly startedMs: number; readonly hasOrigin: boolean };

function linesOf(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => headerLine(name, value))
    .join("");
}

function limitLines(standing: Standing, nowMs: number): string {
  const { remaining, policy, resetAtMs } = standing;
  const resetSeconds = Math.max(0, Math.ceil((resetAtMs - nowMs) / 1000));
  return (
    policyLines(standing) +
    `x-ratelimit-remaining: ${remaining}\r\n` +
    `ratelimit: "${policy}";r=${remaining};t=${resetSeconds}\r\n`
  );
}

let lastPolicy = { policy: "", limit: 0, windowSeconds: 0, lines: "" };

/** What stands in a policy itself; most callers' is the one before's. */
function policyLines({ policy, limit, windowSeconds }: Standing): string {
  const last = lastPolicy;
  if (last.policy !== policy || last.limit !== limit || last.windowSeconds !== windowSeconds) {
    const lines = linesOf({
      "x-ratelimit-limit": String(limit),
      "ratelimit-policy": `"${policy}";q=${limit};w=${windowSeconds}`,
    });
    lastPolicy = { policy, limit, windowSeconds, lines };
  }
  return lastPolicy.lines;
}

function targetOf(targets: Map<string, Target>, url: string): Target | null {
  const known = targets.get(url);
  if (known !== undefined) return known;
  const parsed = parseTarget(url);
  if (parsed === null) return null;
  if (targets.size >= REMEMBERED_TARGETS) targets.clear();
  targets.set(url, parsed);
  return parsed;
}

/** Null for whatever needs more than a mint, and at most one plain profile and size. */
function parseTarget(url: string): Target | null {
  if (!url.startsWith(PREFIX)) return null;
  const [path = "", query = "", ...more] = url.split("?");
  if (more.length > 0 || !path.endsWith(SUFFIX)) return null;
  const mint = parseAddress(path.slice(PREFIX.length, -SUFFIX.length));
  if (mint === null) return null;
  let profile: Profile | null = null;
  let size: RequestedSize | null = null;
  for (const pair of query === "" ? [] : query.split("&")) {
    const [name, value = "", ...rest] = pair.split("=");
    if (rest.length > 0) return null;
    if (name === "profile" && profile === null && (value === "retail" || value === "pro")) {
      profile = value;
    } else if (name === "size" && size === null) {
      size = parseSize(value);
      if (size === null) return null;
    } else return null;
  }
  return { mint, profile: profile ?? "retail", size: size ?? { requested: 1, used: "1" } };
}

type Asked = {
  readonly apiKey: string;
  readonly language: Language;
  readonly hasOrigin: boolean;
  readonly ifNoneMatch: string | null;
};

/** The headers that matter, from the flat list; null where one of them wants the framework's care. */
function readHeaders(raw: readonly string[]): Asked | null {
  let apiKey: string | null = null;
  let language: Language = "es";
  let hasOrigin = false;
  let ifNoneMatch: string | null = null;
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? "";
    switch (name.length) {
      case 6:
        if (name.toLowerCase() === "origin") hasOrigin = true;
        break;
      case 9:
        if (name.toLowerCase() === "x-api-key") {
          if (apiKey !== null) return null;
          apiKey = raw[index + 1] ?? "";
        }
        break;
      case 13:
        if (name.toLowerCase() === "if-none-match") {
          if (ifNoneMatch !== null) return null;
          ifNoneMatch = raw[index + 1] ?? "";
        }
        break;
      case 15:
        if (name.toLowerCase() === "accept-language") language = preferredLanguage(raw[index + 1]);
        break;
      default:
    }
  }
  return apiKey === null ? null : { apiKey, language, hasOrigin, ifNoneMatch };
}

type Assessed = MarketSnapshot & { readonly kind: "assessed" };

/** A body's bytes as one character each, and the header lines that go with it. */
type Body = {
  readonly bytes: string;
  readonly etag: string;
  readonly stateLines: string;
  readonly contentLines: string;
};

/** The bodies of one assessment for one target, as long as its trend stays the same. */
type Bodies = Pick<Assessed, "trend" | "isDeteriorating"> & { [language in Language]?: Body };

/** The body of an answer, made once for each assessment and way of asking. */
class BodyCache {
  readonly #bodies = new WeakMap<Assessment, Map<Target, Bodies>>();

  of(snapshot: Assessed, target: Target, language: Language): Body {
    const { assessment, trend, isDeteriorating } = snapshot;
    let made = this.#bodies.get(assessment);
    if (made === undefined) {
      made = new Map();
      this.#bodies.set(assessment, made);
    }
    let held = made.get(target);
    if (held?.trend !== trend || held.isDeteriorating !== isDeteriorating) {
      held = { trend, isDeteriorating };
      made.set(target, held);
    }
    held[language] ??= bodyOf(snapshot, target, language);
    return held[language];
  }
}

function bodyOf(snapshot: Assessed, { profile, size }: Target, language: Language): Body {
  const { assessment, trend, isDeteriorating } = snapshot;
  const answer = { assessment, trend, isDeteriorating, profile, size, language };
  const text = JSON.stringify(exitabilityBody(answer));
  const bytes = Buffer.from(text);
  const etag = tagOf(text);
  return {
    bytes: bytes.toString("latin1"),
    etag,
    stateLines: linesOf({ "x-state-slot": String(assessment.slot), etag }),
    contentLines: linesOf({ ...JSON_TYPE, "content-length": String(bytes.length) }),
  };
}
