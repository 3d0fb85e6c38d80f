import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** Below this an answer fits one packet, and packing it gains nothing. */
const WORTH_PACKING_BYTES = 1_400;
/** Kept by who asked alone, and never used without asking whether it still holds. */
export const MEASURED_CACHING = "private, no-cache";
const BROTLI_QUALITY = 4;
/** What of a request an answer may depend on. */
export const VARY =
  "accept, accept-encoding, accept-language, authorization, cookie, x-api-key, origin";

const pack = {
  br: (text: string) =>
    promisify(brotliCompress)(text, {
      params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY },
    }),
  gzip: promisify<string, Buffer>(gzip),
};

/**
 * What every answer in text has in common on its way out: no shared cache keeps what depends on who
 * asks; a measurement is named by an ETag, and what has one is not sent twice; a long one is packed.
 */
export function registerConditional(app: FastifyInstance): void {
  app.addHook("onSend", async (request, reply, payload) => {
    if (!isText(reply) || typeof payload !== "string") return payload;
    if (!reply.hasHeader("cache-control")) {
      reply.header("cache-control", isMeasurement(request) ? MEASURED_CACHING : "no-store");
    }
    reply.header("vary", VARY);
    if (reply.statusCode === 200 && isMeasurement(request) && !reply.hasHeader("etag")) {
      reply.header("etag", tagOf(payload));
    }
    if (isStillRight(request, reply)) {
      reply.code(304).removeHeader("content-type");
      // The framework takes a HEAD's payload away by itself, and can't where there is none.
      return request.method === "HEAD" ? payload : null;
    }
    return await packed(request, reply, payload);
  });
}

/** A weak tag: the same state in any encoding. An answer's age alone makes no other state. */
export function tagOf(payload: string): string {
  const state = payload.replace(/"age_seconds":[\d.e-]+,?/, "");
  return `W/"${createHash("sha1").update(state).digest("base64url")}"`;
}

function isText(reply: FastifyReply): boolean {
  return /^(?:application\/json|text\/)/.test(String(reply.getHeader("content-type")));
}

function isMeasurement({ method, url }: FastifyRequest): boolean {
  return (method === "GET" || method === "HEAD") && url.startsWith("/api/token/");
}

function isStillRight({ method, headers }: FastifyRequest, reply: FastifyReply): boolean {
  const known = headers["if-none-match"];
  const etag = reply.getHeader("etag");
  if (known === undefined || typeof etag !== "string") return false;
  if (reply.statusCode !== 200 || (method !== "GET" && method !== "HEAD")) return false;
  return namesState(known, etag);
}

/** Whether an If-None-Match names the state that the tag does: then the reader has it. */
export function namesState(ifNoneMatch: string, etag: string): boolean {
  const bare = (tag: string) => tag.trim().replace(/^W\//, "");
  return (
    ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((tag) => bare(tag) === bare(etag))
  );
}

async function packed(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: string,
): Promise<string | Buffer> {
  if (payload.length < WORTH_PACKING_BYTES) return payload;
  const encoding = encodingFor(String(request.headers["accept-encoding"] ?? ""));
  if (encoding === null) return payload;
  const bytes = await pack[encoding](payload);
  reply.header("content-encoding", encoding).removeHeader("content-length");
  return bytes;
}

function encodingFor(accepted: string): "br" | "gzip" | null {
  for (const name of ["br", "gzip"] as const) {
    if (new RegExp(`\\b${name}\\b(?!\\s*;\\s*q=0(?:\\.0*)?(?:,|$))`).test(accepted)) return name;
  }
  return null;
}
