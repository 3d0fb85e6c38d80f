import { createHash } from "node:crypto";
import { constants } from "node:zlib";
import fastifyCompress from "@fastify/compress";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import fresh from "fresh";

/** A shorter answer fits one packet: compressing it gains nothing. */
const COMPRESSED_FROM_BYTES = 1_400;
const BROTLI_QUALITY = 4;
/** Only the caller's own cache keeps it, and it revalidates before each use. */
export const MEASURED_CACHING = "private, no-cache";
/** Every request header that an answer may depend on. */
export const VARY =
  "accept, accept-encoding, accept-language, authorization, cookie, x-api-key, origin";

/**
 * Cache headers, ETags, 304 and compression of every text answer. Shared caches never keep an answer
 * that depends on the caller.
 */
export async function registerConditional(app: FastifyInstance): Promise<void> {
  app.addHook("onSend", async (request, reply, payload) => {
    if (!isText(reply) || typeof payload !== "string") return payload;
    if (!reply.hasHeader("cache-control")) {
      reply.header("cache-control", isMeasurement(request) ? MEASURED_CACHING : "no-store");
    }
    reply.header("vary", VARY);
    if (reply.statusCode === 200 && reply.getHeader("cache-control") !== "no-store") {
      reply.header("etag", tagOf(payload));
    }
    if (!isKnownToCaller(request, reply)) return payload;
    reply.code(304).removeHeader("content-type");
    // Fastify itself removes the payload of a HEAD answer, and fails if there is none.
    return request.method === "HEAD" ? payload : null;
  });
  // After the hook above: a tag names the answer before compression.
  await app.register(fastifyCompress, {
    encodings: ["br", "gzip"],
    threshold: COMPRESSED_FROM_BYTES,
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } },
    globalDecompression: false,
  });
}

/** A weak tag: one state has one tag, in any encoding. `age_seconds` is not part of the state. */
export function tagOf(payload: string): string {
  const state = payload.replace(/"age_seconds":[\d.e-]+,?/, "");
  return `W/"${createHash("sha1").update(state).digest("base64url")}"`;
}

/**
 * Whether an If-None-Match (a list, weak tags, `*`) names the tag's state. Not @fastify/etag, which
 * reads one tag only, and tags errors too. `Cache-Control: no-cache` of a request is not considered:
 * fetch sends it with every If-None-Match, and the answer is always current.
 */
export function namesState(ifNoneMatch: string, etag: string): boolean {
  return fresh({ "if-none-match": ifNoneMatch.trim() }, { etag });
}

function isText(reply: FastifyReply): boolean {
  return /^(?:application\/json|text\/)/.test(String(reply.getHeader("content-type")));
}

/** By the route: the same path may be written with escapes, or with the origin before it. */
function isMeasurement({ method, routeOptions }: FastifyRequest): boolean {
  const { url = "" } = routeOptions;
  return (method === "GET" || method === "HEAD") && url.startsWith("/api/token/");
}

function isKnownToCaller({ method, headers }: FastifyRequest, reply: FastifyReply): boolean {
  const known = headers["if-none-match"];
  const etag = reply.getHeader("etag");
  if (known === undefined || typeof etag !== "string") return false;
  if (reply.statusCode !== 200 || (method !== "GET" && method !== "HEAD")) return false;
  return namesState(known, etag);
}
