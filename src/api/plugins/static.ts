import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { parseAddress } from "#src/units/address.ts";
import { type PageSummary, withSummary } from "./page-text.ts";

/** A file name that contains a hash of the file's content: the content never changes. */
const HASHED = /-[A-Za-z0-9_-]{8,}\.[a-z0-9]+(?:\.(?:br|gz))?$/;
/** Files of the build's folder that no URL serves: compressed forms, the build's stamp and notes. */
const NOT_SERVED = ["**/*.{br,gz,md,txt}", "index.html"];

/** Security headers of every page: no inline code, no foreign origins, no framing. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; "),
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
  "x-content-type-options": "nosniff",
};

/** Headers of every answer. */
export function safetyHeaders({
  isBehindTls,
}: Pick<StaticOptions, "isBehindTls">): Readonly<Record<string, string>> {
  return {
    "x-content-type-options": "nosniff",
    ...(isBehindTls && { "strict-transport-security": "max-age=31536000; includeSubDomains" }),
  };
}

export type StaticOptions = {
  /** Folder of the built dashboard. */
  readonly directory: string;
  /** Paths of the dashboard's own router: each serves index.html. */
  readonly pages: readonly string[];
  readonly isBehindTls: boolean;
  /** The Set-Cookie headers by which requests of the page, and the browser, are recognised. */
  readonly pageCookies?: (cookies: string | undefined) => string[];
  /** What a link preview of a token's page shows; null for the dashboard's own words. */
  readonly summaryOf?: (id: string) => PageSummary | null;
};

/** Serves the built dashboard, compressed at build time. Without a build, every page says how to make one. */
export async function registerStatic(app: FastifyInstance, options: StaticOptions): Promise<void> {
  const { directory, pages, pageCookies, summaryOf } = options;
  const index = join(directory, "index.html");
  const html = existsSync(index) ? readFileSync(index, "utf8") : null;
  const headers = { ...PAGE_HEADERS, ...safetyHeaders(options) };
  for (const page of pages) {
    app.get<{ Params: { readonly id?: string } }>(page, (request, reply) => {
      if (html === null) return sendUnbuilt(reply);
      const { cookie } = request.headers;
      if (pageCookies !== undefined) reply.header("set-cookie", pageCookies(cookie));
      const { id } = request.params;
      // A malformed escape, or what cannot be a token: the same page, which states it.
      if (id !== undefined && parseAddress(id) === null) reply.code(404);
      const summary = id === undefined ? null : (summaryOf?.(id) ?? null);
      if (summary === null) return reply.sendFile("index.html");
      return sendPage(reply, headers, withSummary(html, summary));
    });
    // People type the address with a slash at its end.
    if (page !== "/")
      app.get(`${page}/`, ({ url }, reply) => reply.redirect(url.replace(/\/(?=\?|$)/, ""), 308));
  }
  if (html === null) return;
  app.decorate("notFoundPage", (request: FastifyRequest, reply: FastifyReply) =>
    isPageWanted(request) ? sendPage(reply.code(404), headers, html) : null,
  );
  await app.register(fastifyStatic, {
    root: directory,
    wildcard: false,
    index: false,
    globIgnore: NOT_SERVED,
    preCompressed: true,
    acceptRanges: false,
    cacheControl: false,
    setHeaders: (reply, path) => {
      const caching = HASHED.test(path) ? "public, max-age=31536000, immutable" : "no-cache";
      reply.headers({ ...headers, "cache-control": caching });
    },
  });
}

declare module "fastify" {
  interface FastifyInstance {
    /** Answers an unknown address with the dashboard's own page, if a browser asks; null otherwise. */
    notFoundPage?: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | null;
  }
}

/** A browser that opens an address; a program that expects JSON gets JSON. */
export function isPageWanted({ method, url, headers }: FastifyRequest): boolean {
  const isRead = method === "GET" || method === "HEAD";
  return isRead && !url.startsWith("/api/") && String(headers.accept).includes("text/html");
}

function sendPage(
  reply: FastifyReply,
  headers: Readonly<Record<string, string>>,
  html: string,
): FastifyReply {
  return reply
    .headers({ ...headers, "cache-control": "no-cache" })
    .type("text/html; charset=utf-8")
    .send(html);
}

function sendUnbuilt(reply: FastifyReply): FastifyReply {
  return reply
    .code(503)
    .type("text/plain; charset=utf-8")
    .send("The dashboard is not built: run `npm run build:web`. The API works without it.\n");
}
