import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { namesState, tagOf, VARY } from "./conditional.ts";

const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };
/** Encodings in order of preference; a client that weighs them gets the plain text. */
const ENCODINGS = [
  { name: "br", pack: (text: string) => promisify(brotliCompress)(text, BROTLI_OPTIONS) },
  { name: "gzip", pack: (text: string) => promisify(gzip)(text) },
] as const;

/**
 * Sends a constant text with ETag and 304. It is made at the first request, and compressed once.
 */
export function packedText(
  makeText: () => string,
  headers: Readonly<Record<string, string>>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  const packed = new Map<string, Promise<Buffer>>();
  let made: { readonly text: string; readonly etag: string } | undefined;
  return async (request, reply) => {
    made ??= withTag(makeText());
    const { text, etag } = made;
    const { "if-none-match": known, "accept-encoding": accepted = "" } = request.headers;
    reply.headers({ ...headers, etag, vary: VARY });
    if (known !== undefined && namesState(known, etag))
      return reply.code(304).removeHeader("content-type").send();
    const names = String(accepted).split(/ *, */);
    const encoding = ENCODINGS.find(({ name }) => names.includes(name));
    if (encoding === undefined) return reply.send(Buffer.from(text));
    const { name, pack } = encoding;
    const bytes = packed.get(name) ?? pack(text);
    packed.set(name, bytes);
    return reply.header("content-encoding", name).send(await bytes);
  };
}

function withTag(text: string) {
  return { text, etag: tagOf(text) };
}
