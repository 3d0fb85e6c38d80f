import type { IncomingMessage, ServerResponse } from "node:http";
import type { Profile } from "#src/measure/assessment.ts";
import type { RequestedSize } from "#src/measure/questions/requested-size.ts";
import { BoundedMap } from "#src/platform/bounded-map.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { Markets } from "#src/track/markets.ts";
import type { AssessedSnapshot } from "#src/track/snapshot-text.ts";
import type { Address } from "#src/units/address.ts";
import type { ApiKeys } from "#src/users/api-keys.ts";
import type { QuotaStatus, Quotas } from "#src/users/quotas.ts";
import type { Admission } from "./admission.ts";
import { exitabilityBody } from "./measuring/exitability-body.ts";
import { type Language, preferredLanguage } from "./notice.ts";
import { MEASURED_CACHING, namesState, tagOf, VARY } from "./plugins/conditional.ts";
import { OPEN_HEADERS } from "./plugins/cors.ts";
import { errorAnswer, JSON_TYPE } from "./plugins/errors.ts";
import { rateLimitHeaders } from "./plugins/rate-limit-headers.ts";
import { refusalError } from "./plugins/refusing.ts";
import type { RequestCounts } from "./request-counts.ts";

const ROUTE = "/api/token/:id/exitability";
const REMEMBERED_URLS = 20_000;

export type HotRouteDeps = {
  readonly markets: Pick<Markets, "latest">;
  readonly apiKeys: Pick<ApiKeys, "cached" | "noteUse">;
  readonly quotas: Pick<Quotas, "spendAtOnce" | "peekAtOnce">;
  readonly clock: WallClock;
  readonly admission: Pick<Admission, "isStopping" | "isLate" | "refusalOf">;
  /** Headers of every answer. */
  readonly named: Headers;
  readonly nextRequestId: () => string;
  readonly requests: RequestCounts;
};

/** What a URL asks for, as the framework's route parsed it. */
export type HotQuestion = {
  readonly mint: Address;
  readonly profile: Profile;
  readonly size: RequestedSize;
};

export type HotRoute = {
  /** Answers the request. False: nothing was counted or written, and the framework has to answer. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Records what a URL asks for: the same URL text is answered here from now on. */
  readonly learn: (url: string, question: HotQuestion) => void;
};

type Headers = Readonly<Record<string, string>>;
/** `body`: UTF-8, one character for each byte. Node sends such a text and the head in one write. */
type HotAnswer = { readonly status: number; readonly headers: Headers; readonly body: string };
type HotBody = {
  readonly bytes: string;
  readonly etag: string;
  readonly stateHeaders: Headers;
  readonly contentHeaders: Headers;
};

/**
 * Answers a frequent request before the framework: a token that is tracked, a URL that the framework's
 * route parsed before, an API key that was checked before, and a caller without a daily gate. All
 * other requests go to the framework. Both give the same bytes (hot-route.test.ts), because both use
 * the same functions for headers, bodies and refusals.
 */
export function createHotRoute(deps: HotRouteDeps): HotRoute {
  const { markets, apiKeys, quotas, clock, admission, nextRequestId } = deps;
  const questions = new BoundedMap<string, HotQuestion>(REMEMBERED_URLS);
  const bodies = new BodyCache();
  const counts = deps.requests.of("GET", ROUTE);
  const everywhere = {
    "cache-control": MEASURED_CACHING,
    vary: VARY,
    ...deps.named,
  };

  function refusal(startedMs: number): HotAnswer | null {
    const reason = admission.refusalOf("hot", startedMs);
    if (reason === null) return null;
    const { status, headers, body } = errorAnswer(refusalError(reason));
    const text = JSON.stringify(body);
    return { status, headers: { ...headers, "content-length": String(text.length) }, body: text };
  }

  function measured(body: HotBody, ifNoneMatch: string | undefined): HotAnswer {
    const { bytes, etag, stateHeaders, contentHeaders } = body;
    return ifNoneMatch !== undefined && namesState(ifNoneMatch, etag)
      ? { status: 304, headers: stateHeaders, body: "" }
      : { status: 200, headers: contentHeaders, body: bytes };
  }

  return {
    learn: (url, question) => void questions.set(url, question),
    answer(request, response) {
      if (request.method !== "GET" || admission.isStopping) return false;
      const startedMs = performance.now();
      const question = questions.get(request.url ?? "");
      if (question === undefined) return false;
      const { headers: asked } = request;
      const apiKey = asked["x-api-key"];
      if (typeof apiKey !== "string") return false;
      const now = clock.nowMs();
      const known = apiKeys.cached(apiKey, now);
      if (known === null) return false;
      const snapshot = markets.latest(question.mint);
      if (snapshot?.kind !== "assessed") return false;
      const isLate = admission.isLate("hot", startedMs);
      const standing: (QuotaStatus & { readonly allowed?: boolean }) | null = isLate
        ? quotas.peekAtOnce(known.caller, now)
        : quotas.spendAtOnce(known.caller, now);
      // A refused caller has used nothing: the framework's route refuses again, with its body.
      if (standing === null || standing.allowed === false) return false;
      const language = preferredLanguage(asked["accept-language"]);
      const answer = isLate
        ? refusal(startedMs)
        : measured(bodies.of(snapshot, question, language), asked["if-none-match"]);
      if (answer === null) return false;
      apiKeys.noteUse(known, now);
      const { status, headers, body } = answer;
      response.writeHead(status, {
        "x-request-id": nextRequestId(),
        ...rateLimitHeaders(standing, now),
        ...everywhere,
        ...headers,
        ...(asked.origin === undefined ? {} : OPEN_HEADERS),
      });
      response.end(body, "latin1");
      counts.count(status, performance.now() - startedMs);
      return true;
    },
  };
}

/** The bodies of one assessment for one question, while its trend stays the same. */
type Bodies = Pick<AssessedSnapshot, "trend" | "isDeteriorating"> & {
  [language in Language]?: HotBody;
};

/** The body of an answer, made once for each assessment and question. */
class BodyCache {
  readonly #bodies = new WeakMap<AssessedSnapshot["assessment"], Map<HotQuestion, Bodies>>();

  of(snapshot: AssessedSnapshot, question: HotQuestion, language: Language): HotBody {
    const { assessment, trend, isDeteriorating } = snapshot;
    let made = this.#bodies.get(assessment);
    if (made === undefined) {
      made = new Map();
      this.#bodies.set(assessment, made);
    }
    let held = made.get(question);
    if (held?.trend !== trend || held.isDeteriorating !== isDeteriorating) {
      held = { trend, isDeteriorating };
      made.set(question, held);
    }
    held[language] ??= bodyOf(snapshot, question, language);
    return held[language];
  }
}

function bodyOf(snapshot: AssessedSnapshot, question: HotQuestion, language: Language): HotBody {
  const text = JSON.stringify(exitabilityBody({ ...snapshot, ...question, language }));
  const bytes = Buffer.from(text);
  const etag = tagOf(text);
  const stateHeaders = { "x-state-slot": String(snapshot.assessment.slot), etag };
  const content = { "content-type": JSON_TYPE, "content-length": String(bytes.length) };
  const contentHeaders = { ...stateHeaders, ...content };
  return { bytes: bytes.toString("latin1"), etag, stateHeaders, contentHeaders };
}
