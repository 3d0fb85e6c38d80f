import { createServer } from "node:http";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import type { NowMs } from "#src/platform/clock.ts";
import type { Markets } from "#src/track/markets.ts";
import type { Users } from "#src/users/users.ts";
import type { AlertFeed } from "#src/watchlist/alert-feed.ts";
import type { Channels } from "#src/watchlist/channels.ts";
import type { Watchlist } from "#src/watchlist/watchlist.ts";
import type { Admission } from "./admission.ts";
import { createHotRoute } from "./hot-route.ts";
import { createBulkMetering, createCallerFirst } from "./plugins/bulk-metering.ts";
import { registerConditional } from "./plugins/conditional.ts";
import { registerCors } from "./plugins/cors.ts";
import { registerCounting } from "./plugins/counting.ts";
import { answerUnreadable, registerErrors } from "./plugins/errors.ts";
import { createMetering } from "./plugins/metering.ts";
import { registerMethods } from "./plugins/methods.ts";
import { registerRefusing } from "./plugins/refusing.ts";
import { createCallers } from "./plugins/session.ts";
import { registerStatic, type StaticOptions } from "./plugins/static.ts";
import { registerStopping } from "./plugins/stopping.ts";
import { readableUrl } from "./readable-url.ts";
import type { RequestCounts } from "./request-counts.ts";
import { createRequestIds } from "./request-id.ts";
import { accountRoutes } from "./routes/account.ts";
import { type AccuracyDeps, accuracyRoutes } from "./routes/accuracy.ts";
import { alertRoutes } from "./routes/alerts.ts";
import { apiKeyRoutes } from "./routes/api-keys.ts";
import { authRoutes } from "./routes/auth.ts";
import { batchRoute } from "./routes/batch.ts";
import { channelRoutes } from "./routes/channels.ts";
import { eventRoute } from "./routes/event.ts";
import { exitabilityRoute } from "./routes/exitability.ts";
import { healthRoutes, type Readiness } from "./routes/health.ts";
import { mcpRoute } from "./routes/mcp.ts";
import { referenceRoutes } from "./routes/reference.ts";
import { registerRoute } from "./routes/register.ts";
import { type ServiceFacts, serviceRoutes } from "./routes/service.ts";
import { streamRoutes } from "./routes/stream.ts";
import { tokenDataRoutes } from "./routes/token-data.ts";
import { waitlistRoute } from "./routes/waitlist.ts";
import { watchlistRoutes } from "./routes/watchlist.ts";

const BODY_LIMIT = 16 * 1024;
/** A connection that asks nothing is held for so long; a proxy in front has to end it earlier (deploy/nginx.conf). */
const KEEP_ALIVE_MS = 5_000;
/** Any parameter that a request can carry: what is too long to be anything is answered as unknown. */
const LONGEST_PARAMETER = 16 * 1024;

export type HttpDeps = {
  readonly markets: Markets;
  readonly users: Users;
  readonly watchlist: Watchlist;
  readonly accuracy: AccuracyDeps["accuracy"];
  readonly feed: Pick<AlertFeed, "page" | "follow">;
  readonly channels: Channels;
  /** Where the dashboard is: the one origin from which its cookie may write. */
  readonly publicUrl: string;
  readonly readiness: () => Promise<Readiness>;
  readonly nowMs: NowMs;
  readonly logger: FastifyBaseLogger;
  readonly trustProxyHops: number;
  /** Every request that is over is counted here. */
  readonly requests: RequestCounts;
  /** Says which requests are taken; stopped when the app is closed. */
  readonly admission: Admission;
  /** Answers made from the demo market say so. */
  readonly service: ServiceFacts;
  /** The built dashboard. */
  readonly dashboard: StaticOptions;
};

/** The whole HTTP surface, not listening yet: plugins and routes by name, in order. */
export async function buildApp(deps: HttpDeps): Promise<FastifyInstance> {
  const { users, nowMs, admission } = deps;
  const nextRequestId = createRequestIds();
  const hot = createHotRoute({
    admission,
    ...users,
    markets: deps.markets,
    requests: deps.requests,
    nowMs,
    nextRequestId,
    isDemo: deps.service.origin === "demo",
    keepAliveMs: KEEP_ALIVE_MS,
  });
  const app = Fastify({
    serverFactory: (handler) => {
      const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
        if (!hot(request, response)) handler(request, response);
      });
      // An Expect that nobody understands is left at that: the request itself can be answered.
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
    // Refused by ourselves, in the contract's words.
    return503OnClosing: false,
  });
  // Schemas validate and document; on this runtime plain JSON.stringify is the faster writer.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  app.removeContentTypeParser("text/plain");
  registerCounting(app, deps.requests);
  // Before anything is answered: streams are written past the hooks of an answer.
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
    if (deps.service.origin === "demo") reply.header("x-chain", "demo");
  });
  registerErrors(app);
  registerCors(app);
  const refuseOtherMethods = registerMethods(app);
  registerConditional(app);
  const { apiKeys, signIn, funnel, quotas } = users;
  const callers = createCallers(deps);
  registerRefusing(app, { admission, quotas, callers, nowMs });
  registerStopping(app, admission);
  const metering = createMetering({ quotas, callers, nowMs });
  const bulkMetering = createBulkMetering({ quotas, callers, nowMs });
  const callerFirst = createCallerFirst({ quotas, callers, nowMs });
  exitabilityRoute(app, { ...deps, metering });
  tokenDataRoutes(app, { ...deps, metering });
  batchRoute(app, { ...deps, bulkMetering, callerFirst });
  streamRoutes(app, { ...deps, bulkMetering });
  serviceRoutes(app, { ...deps, health: () => deps.markets.health() });
  referenceRoutes(app, deps);
  mcpRoute(app, deps);
  accuracyRoutes(app, deps);
  registerRoute(app, { signIn, nowMs });
  waitlistRoute(app, { funnel, nowMs });
  eventRoute(app, { funnel, nowMs });
  authRoutes(app, { ...deps, signIn, callers });
  apiKeyRoutes(app, { apiKeys, callers, nowMs });
  accountRoutes(app, { users, callers, nowMs });
  watchlistRoutes(app, { ...deps, callers });
  alertRoutes(app, { ...deps, callers });
  channelRoutes(app, { ...deps, callers });
  healthRoutes(app, deps);
  registerStatic(app, deps.dashboard);
  refuseOtherMethods();
  await app.ready();
  return app;
}
