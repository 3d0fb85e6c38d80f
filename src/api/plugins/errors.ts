import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AppError, type PublicCode } from "#src/platform/app-error.ts";
import { failureReporter } from "#src/platform/failure-reporter.ts";
import { storageFaultOfCode } from "#src/platform/storage-fault.ts";
import { isPageWanted } from "./static.ts";

/** The only map from a code to a status (contract.md section 7). */
export const STATUS_OF_CODE: Readonly<Record<PublicCode, number>> = {
  invalid_body: 400,
  invalid_email: 400,
  missing_event_name: 400,
  invalid_event_name: 400,
  invalid_mint: 400,
  invalid_size: 400,
  invalid_profile: 400,
  no_changes: 400,
  unauthorized: 401,
  limit_reached: 403,
  forbidden_origin: 403,
  not_found: 404,
  state_not_stored: 404,
  method_not_allowed: 405,
  duplicate: 409,
  body_too_large: 413,
  unsupported_media_type: 415,
  rate_limit_exceeded: 429,
  server_error: 500,
  chain_unavailable: 503,
  overloaded: 503,
  proof_unavailable: 503,
};

/** Fields with a code of their own; any other field is invalid_body (contract.md section 7). */
const CODE_OF_FIELD: Readonly<Record<string, PublicCode>> = {
  email: "invalid_email",
  mint: "invalid_mint",
  profile: "invalid_profile",
  size: "invalid_size",
  size_sol: "invalid_size",
  unit: "invalid_size",
};

/** The code of a request field that is missing or wrong. */
export function codeOfField(name: string, sent: unknown): PublicCode {
  if (name === "event_name") {
    const isMissing = sent === undefined || sent === null || sent === "";
    return isMissing ? "missing_event_name" : "invalid_event_name";
  }
  return CODE_OF_FIELD[name] ?? "invalid_body";
}

export const JSON_TYPE = "application/json; charset=utf-8";

/** When a client should repeat the request. */
const RETRY_AFTER_SECONDS = { chain_unavailable: 5, overloaded: 2 } as const;

/** What a browser loads for a page, by Sec-Fetch-Dest: it reports a body of another type as a second error. */
const TYPE_OF_PART = new Map([
  ["script", "text/javascript; charset=utf-8"],
  ["style", "text/css; charset=utf-8"],
]);

/** Answers every failure with the contract's body, and logs the internal details. */
export function registerErrors(app: FastifyInstance): void {
  const report = failureReporter(app.log, "the caller gets the error; repeats are counted");
  app.setErrorHandler((error: FastifyError | AppError, request, reply) => {
    const known = error instanceof AppError ? error : fromFramework(error);
    // A full, read-only or damaged disk is not a bug of ours, so no stack is logged.
    if (known.code === "server_error" && storageFaultOfCode(error.code) === null)
      request.log.error({ err: error }, "request failed");
    else if (known.cause !== undefined) report(`answer a request (${known.code})`, known);
    if (known.code !== "overloaded") return sendError(reply, known);
    const partType = TYPE_OF_PART.get(String(request.headers["sec-fetch-dest"]));
    if (partType !== undefined) return sendError(reply, known, partType);
    // A reader who opens a page has no program that repeats the request: the browser does.
    if (isPageWanted(request)) reply.header("refresh", RETRY_AFTER_SECONDS.overloaded);
    return sendError(reply, known);
  });
  app.setNotFoundHandler(
    (request, reply) => app.notFoundPage?.(request, reply) ?? sendNotFound(request, reply),
  );
}

/** Malformed HTTP or oversized headers: sends the standard 400 body and closes the connection. */
export function answerUnreadable({ code }: { readonly code?: string }, socket: Socket): void {
  // A connection that was opened and never used is closed like any idle one: an answer could be taken for that
  // of a request that is sent at the same moment.
  const isUnused = code === "ERR_HTTP_REQUEST_TIMEOUT" && socket.bytesRead === 0;
  if (code === "ECONNRESET" || isUnused || !socket.writable) {
    socket.destroy();
    return;
  }
  const message =
    code === "HPE_HEADER_OVERFLOW"
      ? "The URL and the headers are larger than 16 KiB."
      : "The request could not be read.";
  const body = JSON.stringify({ error: "invalid_body", message });
  const head = [
    "HTTP/1.1 400 Bad Request",
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "cache-control: no-store",
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

/** Whether a request is refused by `refuseWithoutHost`. */
export function lacksHost({ httpVersion, headers }: IncomingMessage): boolean {
  return headers.host === undefined && httpVersion === "1.1";
}

/** HTTP/1.1 requires a Host: sends the standard 400 body and closes the connection. */
export function refuseWithoutHost(response: ServerResponse): void {
  const publicMessage = "The request has no Host header.";
  const { status, headers, body } = errorAnswer(new AppError("invalid_body", { publicMessage }));
  const text = JSON.stringify(body);
  const sent = {
    ...headers,
    "content-length": text.length,
    "cache-control": "no-store",
    connection: "close",
  };
  response.writeHead(status, sent).end(text);
}

/** Status, headers and body of an error: `{ error, message }` with the code's status. */
export function errorAnswer({ code, publicMessage }: AppError) {
  const isTemporary = code === "chain_unavailable" || code === "overloaded";
  return {
    status: STATUS_OF_CODE[code],
    headers: {
      "content-type": JSON_TYPE,
      ...(isTemporary ? { "retry-after": String(RETRY_AFTER_SECONDS[code]) } : {}),
    },
    body: { error: code, message: publicMessage },
  } as const;
}

/** @param partType sends no body, as of this type */
function sendError(reply: FastifyReply, error: AppError, partType?: string): FastifyReply {
  const { status, headers, body } = errorAnswer(error);
  const answer = reply.code(status).headers(headers);
  return partType === undefined ? answer.send(body) : answer.type(partType).send("");
}

function sendNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split("?")[0]?.slice(0, 200) ?? "";
  return sendError(
    reply,
    new AppError("not_found", {
      publicMessage: `There is nothing at ${path}; see /docs for what there is.`,
    }),
  );
}

/** Errors of the framework, which it raises before a route runs, and of the database. */
function fromFramework(error: FastifyError): AppError {
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new AppError("body_too_large", { publicMessage: "The body is larger than 16 KiB." });
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new AppError("unsupported_media_type", {
        publicMessage: "Send the body as JSON, with content-type application/json.",
      });
    case "FST_ERR_CTP_INVALID_JSON_BODY":
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return new AppError("invalid_body", { publicMessage: "The body is not a JSON object." });
    // Another thread or program was writing for as long as a statement waits (store/connection/database.ts).
    case "SQLITE_BUSY":
      return new AppError("overloaded", {
        publicMessage: "The database is busy. Try again in a few seconds.",
        cause: error,
      });
    default:
      return isClientMistake(error)
        ? new AppError("invalid_body", { publicMessage: "The request could not be read." })
        : new AppError("server_error", {
            publicMessage: "Something failed on our side; the request can be repeated.",
            cause: error,
          });
  }
}

function isClientMistake(error: FastifyError): boolean {
  return error instanceof SyntaxError || (error.statusCode !== undefined && error.statusCode < 500);
}
