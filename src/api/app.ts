import { createServer } from "node:http";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import type { TSchema } from "typebox";
import type { JudgedSwapReader } from "#src/accuracy/judged-swap-reader.ts";
import type { Channels } from "#src/alerts/delivery/channels.ts";
import type { AlertFeed } from "#src/alerts/feed.ts";
import type { ExitQuery } from "#src/measure/questions/exit-at.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { ExitProof } from "#src/proof/prove-exit.ts";
import type { Markets } from "#src/track/markets.ts";
import type { Address } from "#src/units/address.ts";
import type { Users } from "#src/users/users.ts";
import type { Watchlist } from "#src/watchlist/watchlist.ts";
import type { Admission } from "./admission.ts";
import { createHotRoute } from "./hot-route.ts";
import { prepareTools } from "./mcp/tool.ts";
import { TOOLS } from "./mcp/tools.ts";
import type { ApiDeps } from "./operation.ts";
import { ROUTED_OPERATIONS } from "./operations.ts";
import { pageSummary } from "./page-summary.ts";
import { registerAddressLimit } from "./plugins/address-limit.ts";
import { createBulkMetering, createCallerFirst } from "./plugins/bulk-metering.ts";
import type { Callers } from "./plugins/callers.ts";
import { registerConditional } from "./plugins/conditional.ts";
import { registerCors } from "./plugins/cors.ts";
import { registerCounting } from "./plugins/counting.ts";
import {
  answerUnreadable,
  lacksHost,
  refuseWithoutHost,
  registerErrors,
} from "./plugins/errors.ts";
import { createMetering } from "./plugins/metering.ts";
import { registerMethods } from "./plugins/methods.ts";
import { createStanding, registerRefusing } from "./plugins/refusing.ts";
import { createCallers } from "./plugins/session.ts";
import { registerStatic, type StaticOptions, safetyHeaders } from "./plugins/static.ts";
import { registerStopping } from "./plugins/stopping.ts";
import { readableUrl } from "./readable-url.ts";
import { registerOperations } from "./register-operations.ts";
import type { RequestCounts } from "./request-counts.ts";
import { createRequestIds } from "./request-id.ts";
import type { PublishedAccuracy } from "./service/get-accuracy.ts";
import type { Readiness } from "./service/health.ts";
import { referenceRoutes } from "./service/reference.ts";
import type { ServiceFacts } from "./service/service-facts.ts";
import { EventStreams } from "./streams/event-stream.ts";
import { TokenStreams } from "./streams/token-streams.ts";
import { createInputCompiler } from "./validation.ts";

const BODY_LIMIT = 16 * 1024;
/** An idle connection is kept this long; a proxy in front has to close its own earlier (deploy/nginx.conf). */
const KEEP_ALIVE_MS = 5_000;
/** The server closes an idle connection this much later than answers state: it may read late what clients sent in time. */
const LATE_READS_MS = 5_000;
/** A client that sends its headers or its body slowly is cut off. Answers may take longer. */
const TIMEOUTS = {
  keepAliveTimeout: KEEP_ALIVE_MS,
  keepAliveTimeoutBuffer: LATE_READS_MS,
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  connectionsCheckingInterval: 5_000,
} as const;
/** Node's own refusal of HTTP/1.1 without Host has no body. */
const SERVER_OPTIONS = { ...TIMEOUTS, requireHostHeader: false };
/** Longer than any request line: a parameter that is too long to be valid is answered as unknown, not refused. */
const LONGEST_PARAMETER = 16 * 1024;
const PREPARED_TOOLS = prepareTools(TOOLS);

export type HttpDeps = {
  readonly markets: Markets;
  readonly users: Users;
  readonly watchlist: Watchlist;
  /**
   * The token's exit, executed by the deployed programs.
   *
   * @throws AppError proof_unavailable, chain_unavailable
   */
  readonly proofOf: (mint: Address, sale: ExitQuery) => Promise<ExitProof>;
  readonly accuracy: {
    /** @throws AppError chain_unavailable if another process keeps the record and does not answer */
    readonly report: () => PublishedAccuracy | Promise<PublishedAccuracy>;
    readonly swaps: Pick<JudgedSwapReader, "last">;
  };
  readonly feed: Pick<AlertFeed, "page" | "follow" | "current">;
  readonly channels: Channels;
  /** The dashboard's URL: the only origin from which its cookie may write. */
  readonly publicUrl: string;
  readonly readiness: () => Promise<Readiness>;
  /** Resolves while the other threads of the process live; absent: there are none that a request needs. */
  readonly liveness?: () => Promise<void>;
  readonly clock: WallClock;
  readonly logger: FastifyBaseLogger;
  readonly trustProxyHops: number;
  /** Counts every finished request. */
  readonly requests: RequestCounts;
  /** Decides which requests are accepted; stopped when the app is closed. */
  readonly admission: Admission;
  /** Answers from the demo market carry X-Chain. */
  readonly service: ServiceFacts;
  /** The built dashboard. */
  readonly dashboard: StaticOptions;
};

/** The whole HTTP server, not listening yet. Plugins and routes are registered in order. */
export async function buildApp(deps: HttpDeps): Promise<FastifyInstance> {
  const { users, clock, admission } = deps;
  const nextRequestId = createRequestIds();
  const named = {
    ...safetyHeaders(deps.dashboard),
    "x-commitment": deps.service.commitment,
    ...(deps.service.origin === "demo" ? { "x-chain": "demo" } : {}),
  };
  const hot = createHotRoute({
    admission,
    ...users,
    markets: deps.markets,
    requests: deps.requests,
    clock,
    nextRequestId,
    named,
  });
  const app = Fastify({
    serverFactory: (handler) => {
      const server = createServer(SERVER_OPTIONS, (request, response) => {
        if (lacksHost(request)) refuseWithoutHost(response);
        else if (!hot.answer(request, response)) handler(request, response);
      });
      // Ignore unknown Expect headers and answer normally.
      return server.on("checkExpectation", handler);
    },
    clientErrorHandler: answerUnreadable,
    rewriteUrl: ({ url = "/" }) => readableUrl(url),
    loggerInstance: deps.logger,
    bodyLimit: BODY_LIMIT,
    trustProxy: (_address, hop) => hop < deps.trustProxyHops,
    routerOptions: { maxParamLength: LONGEST_PARAMETER, ignoreTrailingSlash: false },
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    genReqId: nextRequestId,
    // Admission refuses, with the contract's body.
    return503OnClosing: false,
  });
  const compileInput = createInputCompiler();
  app.setValidatorCompiler(({ schema, httpPart }) => compileInput(schema as TSchema, httpPart));
  // JSON.stringify is faster than a serializer compiled from a schema.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  app.removeContentTypeParser("text/plain");
  registerJsonBody(app);
  registerCounting(app, deps.requests);
  // On request: streams bypass the hooks of answers.
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id).headers(named);
  });
  registerErrors(app);
  await registerCors(app);
  const refuseOtherMethods = registerMethods(app);
  await registerConditional(app);
  const { quotas } = users;
  const callers = createCallers(deps);
  const { pageTokens, browsers } = users;
  const limits = { quotas, callers, pageTokens, clock };
  registerAddressLimit(app, { ...users, clock });
  const addStanding = createStanding(limits);
  registerRefusing(app, { admission, addStanding });
  registerStopping(app, admission);
  registerOperations(app, ROUTED_OPERATIONS, {
    deps: {
      ...deps,
      tools: PREPARED_TOOLS,
      ...registerStreams(app, deps, callers),
      callers,
      learn: hot.learn,
      inject: app.inject.bind(app),
    },
    metering: createMetering(limits),
    bulkMetering: createBulkMetering(limits),
    callerFirst: createCallerFirst(limits),
  });
  await referenceRoutes(app, deps);
  const pageCookies = (cookies: string | undefined): string[] => [
    pageTokens.cookie(clock.nowMs()),
    ...(browsers.read(cookies) === null ? [browsers.newCookie()] : []),
  ];
  const summaryOf = (id: string) => pageSummary(deps.markets, id);
  await registerStatic(app, { ...deps.dashboard, pageCookies, summaryOf });
  refuseOtherMethods(addStanding);
  await app.ready();
  return app;
}

/**
 * Many clients declare a type on every request, JSON or, as curl and axios do, a form: without a body, that is a
 * request without a body.
 */
function registerJsonBody(app: FastifyInstance): void {
  app.addHook("onRequest", async ({ headers }) => {
    const { "content-length": length = "0", "transfer-encoding": coding } = headers;
    if (length === "0" && coding === undefined) delete headers["content-type"];
  });
  // Unknown fields are ignored, whatever they are called.
  const parse = app.getDefaultJsonParser("remove", "remove");
  app.addContentTypeParser<string>(
    "application/json",
    { parseAs: "string" },
    (request, body, done) => {
      if (body === "") done(null, undefined);
      else void parse(request, body, done);
    },
  );
}

/** Streams end when the app is closed. */
function registerStreams(
  app: FastifyInstance,
  { markets, users, clock }: HttpDeps,
  callers: Callers,
): Pick<ApiDeps, "streams" | "tokenStreams"> {
  const streams = new EventStreams(callers.isStillValid);
  users.onAccessChange((userId) => void streams.recheck(userId));
  const tokenStreams = new TokenStreams({ markets, streams, clock, log: app.log });
  app.addHook("preClose", async () => {
    streams.close();
    tokenStreams.close();
  });
  return { streams, tokenStreams };
}
