import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Profile } from "#src/measure/assessment.ts";
import { MS_PER_MINUTE } from "#src/platform/clock.ts";
import { type Caller, quotaSubject } from "#src/users/caller.ts";
import { countedAddress } from "#src/users/caller-address.ts";
import { marketsFor } from "./asked-markets.ts";
import { notAnAddress, type TokenId } from "./measuring/token-question.ts";
import { preferredLanguage } from "./notice.ts";
import {
  type Answer,
  type ApiDeps,
  type Input,
  type Operation,
  routePattern,
  type TokensQuestion,
} from "./operation.ts";
import type { BulkMetering, CallerFirst, Grant } from "./plugins/bulk-metering.ts";
import type { Metering } from "./plugins/metering.ts";
import { sessionOptionalOnPages, sessionRequired } from "./plugins/session.ts";
import { takeUse } from "./plugins/throttle.ts";

export type Registration = {
  readonly deps: ApiDeps;
  readonly metering: Metering;
  readonly bulkMetering: BulkMetering;
  readonly callerFirst: CallerFirst;
};

type Values = Record<string, unknown>;
type AnyInput = Input<Values, Values, unknown, "anyone", undefined>;
type Handle = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** The grant of operations that are not metered by tokens: nothing was paid. */
const NO_GRANT: Grant = {
  caller: { kind: "anonymous", address: "" },
  granted: 0,
  refund: async () => undefined,
  refundAll: async () => undefined,
};

/**
 * Registers a route for each operation. Order of refusals (contract.md section 7): 401, then what the
 * schema refuses, then what `prepare` refuses, then the limit.
 */
export function registerOperations(
  app: FastifyInstance,
  operations: readonly Operation[],
  registration: Registration,
): void {
  for (const operation of operations) {
    const { params, query, body, meter } = operation;
    app.route({
      method: operation.method.toUpperCase(),
      url: routePattern(operation),
      schema: {
        ...(params && { params }),
        ...(query && { querystring: query }),
        ...(body && { body: body.schema }),
      },
      // A metered request is refused with its caller's limits in the headers.
      attachValidation: meter !== undefined,
      onRequest: hooksOf(operation, registration),
      handler: handlerOf(operation, registration),
    });
  }
}

function hooksOf(
  { id, access, isOptionalOnPages, meter, body, throttlePerMinute, throttleName = id }: Operation,
  { deps, callerFirst }: Registration,
) {
  if (access === "session") {
    const { callers } = deps;
    return [
      isOptionalOnPages === true ? sessionOptionalOnPages(callers) : sessionRequired(callers),
    ];
  }
  if (meter === "tokens" && body !== undefined) return [callerFirst];
  if (throttlePerMinute === undefined) return [];
  const limit = throttlePerMinute;
  const refusal = `One address may send at most ${limit} of these requests a minute.`;
  return [
    async ({ ip }: FastifyRequest, reply: FastifyReply) => {
      const subject = `throttle:${throttleName}/${countedAddress(ip)}`;
      takeUse(deps, { subject, limit, lengthMs: MS_PER_MINUTE, refusal }, reply);
    },
  ];
}

function handlerOf(operation: Operation, registration: Registration): Handle {
  switch (operation.meter) {
    case "query":
      return handleQuery(operation, registration);
    case "tokens":
      return handleTokens(operation, registration);
    default:
      return handleUnmetered(operation, registration);
  }
}

function handleUnmetered(operation: Operation, { deps }: Registration): Handle {
  return async (request, reply) => {
    const caller = operation.access === "session" ? await deps.callers.signedIn(request) : null;
    const answer = await operation.handler({ ...inputOf(request, reply), caller }, deps);
    return send(operation, reply, answer);
  };
}

/** One query about the token in `params.id`. An id that is not an address does not count. */
function handleQuery(operation: Operation, { deps, metering }: Registration): Handle {
  return (request, reply) =>
    metering(request, reply, () => {
      const input = checkedInput(request, reply);
      const question = operation.prepare?.(input, deps);
      const { id } = input.params as { readonly id: TokenId };
      const { profile = "retail" } = input.query as { readonly profile?: Profile };
      return id.mint === null
        ? { kind: "known", answer: notAnAddress(id, profile) }
        : {
            kind: "work",
            mint: id.mint,
            work: (caller) => {
              takeOfMinute(operation, deps, { caller, reply });
              return operation.handler({ ...input, question }, withMarketsOf(deps, caller));
            },
          };
    });
}

/** @throws AppError rate_limit_exceeded; the query is then refunded */
function takeOfMinute(
  { id, callerPerMinute: limit }: Operation,
  deps: ApiDeps,
  { caller, reply }: { readonly caller: Caller; readonly reply: FastifyReply },
): void {
  if (limit === undefined) return;
  const subject = `${id}/${quotaSubject(caller)}`;
  const refusal = `One caller may send at most ${limit} of these requests a minute.`;
  takeUse(deps, { subject, limit, lengthMs: MS_PER_MINUTE, refusal }, reply);
}

function handleTokens(operation: Operation, { deps, bulkMetering }: Registration): Handle {
  return async (request, reply) => {
    const input = inputOf(request, reply);
    let question: unknown;
    const grant = await bulkMetering(request, reply, () => {
      question = operation.prepare?.(checkedInput(request, reply), deps);
      return question as TokensQuestion;
    });
    if (grant === null) return reply;
    return send(
      operation,
      reply,
      await operation.handler({ ...input, question, grant }, withMarketsOf(deps, grant.caller)),
    );
  };
}

function withMarketsOf(deps: ApiDeps, caller: Caller): ApiDeps {
  return { ...deps, markets: marketsFor(deps.markets, caller) };
}

/** @throws AppError the refusal of the schemas */
function checkedInput(request: FastifyRequest, reply: FastifyReply): AnyInput {
  if (request.validationError) throw request.validationError;
  return inputOf(request, reply);
}

function inputOf(request: FastifyRequest, reply: FastifyReply): AnyInput {
  const { params, query, body } = request;
  return {
    params: params as Values,
    query: query as Values,
    body,
    question: undefined,
    caller: null,
    grant: NO_GRANT,
    language: preferredLanguage(request.headers["accept-language"]),
    request,
    reply,
  };
}

/** An answer without a body was written by the handler itself. */
function send({ responses }: Operation, reply: FastifyReply, answer: Answer): FastifyReply {
  if (answer.body === undefined) return reply;
  const { status = Number(Object.keys(responses)[0]), headers = {}, body } = answer;
  return reply.code(status).headers(headers).send(body);
}
