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
import type { RequestCounts } from "./request-counts.ts";

const PREFIX = "/api/token/";
const SUFFIX = "/exitability";
const ROUTE = `${PREFIX}:id${SUFFIX}`;
const REMEMBERED_TARGETS = 20_000;
/** For a page of another origin, as plugins/cors.ts has it. */
const CROSS_ORIGIN = Object.entries(OPEN_HEADERS).flat();
const OVERLOADED = JSON.stringify({ error: "overloaded", message: REFUSAL_MESSAGES.overloaded });

export type HotRouteDeps = {
  readonly markets: Pick<MarketSource, "latest">;
  readonly apiKeys: Pick<ApiKeys, "recall" | "noteUse">;
  readonly quotas: Pick<Quotas, "spendAtOnce" | "peekAtOnce">;
  readonly nowMs: NowMs;
  readonly admission: Pick<Admission, "isStopping" | "isLate" | "refusalOf">;
  readonly isDemo: boolean;
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

  /** Answers that there is too much to answer, as plugins/refusing.ts does. */
  function refuse(response: ServerResponse, asked: Late): boolean {
    const { known, startedMs, now, hasOrigin } = asked;
    const standing = quotas.peekAtOnce(known.caller, now);
    if (standing === null || admission.refusalOf("hot", startedMs) === null) return false;
    apiKeys.noteUse(known, now);
    const headers = limitHeaders(standing, now);
    headers.push(
      "content-type",
      "application/json; charset=utf-8",
      "x-request-id",
      nextRequestId(),
      "cache-control",
      MEASURED_CACHING,
      "vary",
      VARY,
      "retry-after",
      String(RETRY_AFTER_SECONDS.overloaded),
      "content-length",
      String(OVERLOADED.length),
    );
    if (hasOrigin) headers.push(...CROSS_ORIGIN);
    if (isDemo) headers.push("x-chain", "demo");
    response.writeHead(503, headers);
    response.end(OVERLOADED);
    counts.count(503, performance.now() - startedMs);
    return true;
  }

  return (request, response) => {
    if (request.method !== "GET" || admission.isStopping) return false;
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
    if (admission.isLate("hot", startedMs)) {
      return refuse(response, { known, startedMs, now, hasOrigin: asked.hasOrigin });
    }
    const spend = quotas.spendAtOnce(known.caller, now);
    // A refused caller has taken nothing: the framework's route refuses again, with its body.
    if (spend === null || !spend.allowed) return false;
    apiKeys.noteUse(known, now);
    const body = bodies.of(snapshot, target, asked.language);
    const isKnown = asked.ifNoneMatch !== null && namesState(asked.ifNoneMatch, body.etag);
    const headers = limitHeaders(spend, now);
    if (!isKnown) {
      headers.push(
        "content-type",
        "application/json; charset=utf-8",
        "content-length",
        body.length,
      );
    }
    headers.push(
      "x-request-id",
      nextRequestId(),
      "cache-control",
      MEASURED_CACHING,
      "vary",
      VARY,
      "x-state-slot",
      body.slot,
      "etag",
      body.etag,
    );
    if (asked.hasOrigin) headers.push(...CROSS_ORIGIN);
    if (isDemo) headers.push("x-chain", "demo");
    const status = isKnown ? 304 : 200;
    response.writeHead(status, headers);
    response.end(isKnown ? "" : body.bytes, "latin1");
    counts.count(status, performance.now() - startedMs);
    return true;
  };
}

/** `startedMs` is on the clock of `performance.now()`, `now` since 1970. */
type Late = {
  readonly known: KnownKey;
  readonly startedMs: number;
  readonly now: number;
  readonly hasOrigin: boolean;
};

function limitHeaders(standing: Standing, nowMs: number): string[] {
  const { limit, remaining, policy, resetAtMs } = standing;
  const resetSeconds = Math.max(0, Math.ceil((resetAtMs - nowMs) / 1000));
  return [
    "x-ratelimit-limit",
    String(limit),
    "x-ratelimit-remaining",
    String(remaining),
    "ratelimit-policy",
    policyText(standing),
    "ratelimit",
    `"${policy}";r=${remaining};t=${resetSeconds}`,
  ];
}

let lastPolicy = { policy: "", limit: 0, windowSeconds: 0, text: "" };

/** Most callers' is the one before's. */
function policyText({ policy, limit, windowSeconds }: Standing): string {
  const { policy: name, limit: most, windowSeconds: length } = lastPolicy;
  if (name !== policy || most !== limit || length !== windowSeconds) {
    const text = `"${policy}";q=${limit};w=${windowSeconds}`;
    lastPolicy = { policy, limit, windowSeconds, text };
  }
  return lastPolicy.text;
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

/** A body's bytes as a text of one character each, which leaves in one write with its headers. */
type Body = {
  readonly bytes: string;
  readonly length: string;
  readonly etag: string;
  readonly slot: string;
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
  return {
    bytes: bytes.toString("latin1"),
    length: String(bytes.length),
    etag: tagOf(text),
    slot: String(assessment.slot),
  };
}
