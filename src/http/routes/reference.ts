import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { openapiDocument } from "../openapi.ts";
import { OPERATIONS } from "../operations/all.ts";
import { PAGE_HEADERS } from "../plugins/static.ts";
import type { ServiceFacts } from "./service.ts";

const FOLDER = join(import.meta.dirname, "..", "reference");
const FILES = [
  { path: "/docs", file: "page.html", type: "text/html; charset=utf-8" },
  { path: "/docs/reference.js", file: "reference.js", type: "text/javascript; charset=utf-8" },
  { path: "/docs/reference.css", file: "reference.css", type: "text/css; charset=utf-8" },
];

export type ReferenceDeps = {
  readonly service: Pick<ServiceFacts, "version">;
  readonly publicUrl: string;
};

/** GET /openapi.json, and /docs: a page of our own that reads it, and lets each request be tried. */
export function referenceRoutes(app: FastifyInstance, { service, publicUrl }: ReferenceDeps): void {
  const text = JSON.stringify(openapiDocument(OPERATIONS, { ...service, publicUrl }));
  const etag = tagOf(text);
  app.get("/openapi.json", async (_request, reply) =>
    reply
      .type("application/json; charset=utf-8")
      .headers({ "cache-control": "public, no-cache", etag })
      .send(text),
  );
  for (const { path, file, type } of FILES) {
    const content = readFileSync(join(FOLDER, file), "utf8");
    const headers = {
      ...PAGE_HEADERS,
      "cache-control": "public, no-cache",
      "x-content-type-options": "nosniff",
      etag: tagOf(content),
    };
    app.get(path, async (_request, reply) => reply.headers(headers).type(type).send(content));
  }
}

function tagOf(text: string): string {
  return `W/"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
}
