import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".json": "application/json; charset=utf-8",
};
const ENCODINGS = [
  { name: "br", suffix: ".br" },
  { name: "gzip", suffix: ".gz" },
] as const;
/** Names that hold a hash of their content never change it. */
const HASHED = /-[A-Za-z0-9_-]{8,}\.[a-z0-9]+$/;

type StaticFile = {
  readonly type: string;
  readonly etag: string;
  readonly cacheControl: string;
  readonly bytes: Buffer;
  readonly encoded: ReadonlyMap<string, Buffer>;
};

/** The pages' own policy: nothing inline, nothing foreign, in nobody's frame. */
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
};

export type StaticOptions = {
  /** Folder of the built dashboard. */
  readonly directory: string;
  /** Paths that the dashboard's own router answers: each gets index.html. */
  readonly pages: readonly string[];
  readonly isBehindTls: boolean;
};

/** Serves the built dashboard from memory, compressed beforehand. Without a build, says how to make one. */
export function registerStatic(app: FastifyInstance, options: StaticOptions): void {
  const files = readFiles(options.directory);
  const index = files.get("/index.html");
  const headers = options.isBehindTls
    ? { ...PAGE_HEADERS, "strict-transport-security": "max-age=31536000; includeSubDomains" }
    : PAGE_HEADERS;
  const send = (file: StaticFile) => (request: FastifyRequest, reply: FastifyReply) =>
    sendFile(request, reply.headers(headers), file);
  for (const page of options.pages) {
    app.get(page, index === undefined ? (_request, reply) => sendUnbuilt(reply) : send(index));
  }
  for (const [path, file] of files) {
    if (path !== "/index.html") app.get(path, send(file));
  }
}

function readFiles(directory: string): ReadonlyMap<string, StaticFile> {
  const files = new Map<string, StaticFile>();
  if (!existsSync(directory)) return files;
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    const encoded = new Map<string, Buffer>();
    for (const { name, suffix } of ENCODINGS) {
      if (existsSync(path + suffix)) encoded.set(name, readFileSync(path + suffix));
    }
    files.set(path.slice(directory.length).replaceAll("\\", "/"), {
      type,
      etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`,
      cacheControl: HASHED.test(entry.name) ? "public, max-age=31536000, immutable" : "no-cache",
      bytes,
      encoded,
    });
  }
  return files;
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: StaticFile): FastifyReply {
  reply.headers({
    "content-type": file.type,
    "cache-control": file.cacheControl,
    "x-content-type-options": "nosniff",
    etag: file.etag,
    vary: "accept-encoding",
  });
  if (request.headers["if-none-match"] === file.etag) return reply.code(304).send();
  const accepted = String(request.headers["accept-encoding"] ?? "");
  for (const [name, bytes] of file.encoded) {
    if (new RegExp(`\\b${name}\\b(?!;q=0(?:\\.0*)?(?:,|$))`).test(accepted)) {
      return reply.header("content-encoding", name).send(bytes);
    }
  }
  return reply.send(file.bytes);
}

function sendUnbuilt(reply: FastifyReply): FastifyReply {
  return reply
    .code(503)
    .type("text/plain; charset=utf-8")
    .send(
      "The dashboard is not built here: npm run build:web makes it. The API works without it.\n",
    );
}
