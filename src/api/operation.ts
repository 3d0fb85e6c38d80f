import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Static, TObject, TSchema } from "typebox";
import type { PublicCode } from "#src/platform/app-error.ts";
import type { Address } from "#src/units/address.ts";
import type { UserCaller } from "#src/users/caller.ts";
import type { HttpDeps } from "./app.ts";
import type { HeaderName } from "./headers.ts";
import type { HotRoute } from "./hot-route.ts";
import type { PreparedTool } from "./mcp/tool.ts";
import type { Language } from "./notice.ts";
import type { Grant } from "./plugins/bulk-metering.ts";
import type { Callers } from "./plugins/callers.ts";
import type { EventStreams } from "./streams/event-stream.ts";
import type { TokenStreams } from "./streams/token-streams.ts";

export type Tag = "exitability" | "token" | "streams" | "accounts" | "watchlist" | "service";

/** `caller`: an API key, a session, or anonymous. `session`: signed in, API keys not accepted. */
type Access = "anyone" | "caller" | "session";

export type Response = {
  readonly description: string;
  readonly schema: TSchema;
  readonly example: unknown;
  /** JSON if left out; null: no body. */
  readonly contentType?:
    | "text/event-stream"
    | "text/plain"
    | "text/html"
    | "text/javascript"
    | "text/css"
    | null;
  /** Beside those of every answer, and those of metered and of conditional operations. */
  readonly headers?: readonly HeaderName[];
};

/** A request header that changes the answer. Documented only: handlers read it themselves. */
export type HeaderParameter = {
  readonly name: string;
  readonly description: string;
  readonly schema: TSchema;
  readonly example?: string;
};

/** The request as it was checked, and its caller. */
export type Input<Params, Query, Body, WithCaller extends Access, Question> = {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** What `prepare` returned. */
  readonly question: Question;
  /** Set for `session` operations; a metered request's caller is in `grant`. */
  readonly caller: WithCaller extends "session" ? UserCaller : null;
  /** Of operations that are metered by tokens. */
  readonly grant: Grant;
  /** By Accept-Language. */
  readonly language: Language;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
};

/** An answer without a body is one that the handler writes itself, or that has none. */
export type Answer = {
  /** The first of `responses` if left out. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: unknown;
};

/** Everything that handlers may call. */
export type ApiDeps = HttpDeps & {
  readonly callers: Callers;
  readonly streams: EventStreams;
  readonly tokenStreams: TokenStreams;
  /** For agents. */
  readonly tools: readonly PreparedTool[];
  /** Lets the hot route answer the next request for this URL. */
  readonly learn: HotRoute["learn"];
  /** A request to this same API. */
  readonly inject: FastifyInstance["inject"];
};

/** A question about several tokens, which `prepare` of an operation metered by tokens returns. */
export type TokensQuestion = {
  readonly tokens: number;
  /** Those that have to be loaded first: each is a query of its own. */
  readonly unloaded?: number;
  /** The tokens, in order, if the request may belong to their pages on the dashboard; else empty. */
  readonly pages: readonly (Address | null)[];
};

/**
 * One method on one path. Its route, validation, metering, CORS policy, OpenAPI part and MCP tool all
 * follow from this definition.
 */
export interface Operation<
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
  WithCaller extends Access = Access,
  Question = unknown,
> {
  readonly method: "get" | "post" | "patch" | "delete";
  /** With `{name}` for parameters. */
  readonly path: string;
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly access: WithCaller;
  /**
   * Of `session` operations: a page of ours without a session gets 204 instead of 401, which a browser
   * reports as an error of the page.
   */
  readonly isOptionalOnPages?: boolean;
  /** Pages of any origin may read it, as anonymous callers. */
  readonly isOpenToPages?: boolean;
  /**
   * What counts against the caller's quota: `query`, one query about the token in `params.id`;
   * `tokens`, by the number of tokens that `prepare` returns (`TokensQuestion`).
   */
  readonly meter?: "query" | "tokens";
  /** Of a metered query: how many of these a caller may send in a minute, whatever the tier. */
  readonly callerPerMinute?: number;
  /** Requests that one address may send in a minute, for operations without credentials. */
  readonly throttlePerMinute?: number;
  /** Operations of one name share their throttle; by default the operation's own id. */
  readonly throttleName?: string;
  /** Answers have an ETag, and a 304 follows a matching If-None-Match. */
  readonly isConditional?: boolean;
  readonly params?: Params;
  readonly query?: Query;
  readonly headers?: readonly HeaderParameter[];
  readonly body?: { readonly schema: Body; readonly example: unknown };
  readonly responses: Readonly<Record<number, Response>>;
  /** Beside those of every operation: method_not_allowed, rate_limit_exceeded, server_error and overloaded. */
  readonly errors: readonly PublicCode[];
  /** Bodies of errors with more fields than a code and a message. */
  readonly errorSchemas?: Readonly<Record<number, TSchema>>;
  /** Checks and converts what no schema can express, before the request counts. Throws AppError. */
  prepare?(
    input: Input<Static<Params>, Static<Query>, Static<Body>, WithCaller, undefined>,
    deps: ApiDeps,
  ): Question;
  handler(
    input: Input<Static<Params>, Static<Query>, Static<Body>, WithCaller, Question>,
    deps: ApiDeps,
  ): Promise<Answer>;
}

/** Infers the handler's input from the schemas. */
export function defineOperation<
  const WithCaller extends Access,
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
  Question = undefined,
>(
  operation: Operation<Params, Query, Body, WithCaller, Question>,
): Operation<Params, Query, Body, WithCaller, Question> {
  return operation;
}

/** The path as Fastify's router writes it. */
export function routePattern({ path }: Pick<Operation, "path">): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

/** Documentation of an operation whose route is registered elsewhere. */
export type DocumentedOperation = Omit<Operation, "handler" | "prepare">;

export type Parameter = {
  readonly in: "path" | "query" | "header";
  readonly name: string;
  readonly description: string;
  readonly schema: TSchema;
  readonly isRequired?: boolean;
  readonly example?: string | number;
};
