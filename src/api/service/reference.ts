import fastifySwagger from "@fastify/swagger";
import fastifySwaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";
import { llmsText, serverCard, serverJson } from "../mcp/discovery.ts";
import { TOOLS } from "../mcp/tools.ts";
import { openapiDocument } from "../openapi.ts";
import { OPERATIONS } from "../operations.ts";
import { packedText } from "../plugins/packed-text.ts";
import { PAGE_HEADERS } from "../plugins/static.ts";
import { FRAME_SCRIPT, FRAME_STYLE } from "./reference-frame.ts";
import type { ServiceFacts } from "./service-facts.ts";

const REVALIDATED = { "cache-control": "public, no-cache" };

export type ReferenceDeps = {
  readonly service: Pick<ServiceFacts, "version">;
  readonly publicUrl: string;
};

/** GET /openapi.json, what agents look for, and /docs: Swagger UI, served from this process, under the pages' CSP. */
export async function referenceRoutes(
  app: FastifyInstance,
  { service, publicUrl }: ReferenceDeps,
): Promise<void> {
  let made: ReturnType<typeof openapiDocument> | undefined;
  const document = () => (made ??= openapiDocument(OPERATIONS, { ...service, publicUrl }));
  const headers = { "content-type": "application/json; charset=utf-8", ...REVALIDATED };
  const json = (make: () => unknown) => packedText(() => JSON.stringify(make()), headers);
  app.get("/openapi.json", json(document));
  const facts = { version: service.version, publicUrl };
  const card = json(() => serverCard(facts));
  app.get("/.well-known/mcp.json", card);
  app.get("/.well-known/mcp/server-card.json", card);
  const packages = json(() => serverJson(facts));
  app.get("/server.json", packages);
  const plainText = { "content-type": "text/plain; charset=utf-8", ...REVALIDATED };
  const llms = packedText(() => llmsText({ publicUrl, tools: TOOLS }), plainText);
  app.get("/llms.txt", llms);
  await app.register(async (docs) => {
    docs.addHook("onRequest", async (_request, reply) => {
      reply.headers({ ...PAGE_HEADERS, ...REVALIDATED });
    });
    // Requests go to the origin that serves the page, by whichever of its names: the CSP allows no other.
    const servers = [{ url: new URL(publicUrl).pathname }];
    await docs.register(fastifySwagger, {
      mode: "static",
      specification: { document: madeWhenSent(() => ({ ...document(), servers })) },
    });
    await docs.register(fastifySwaggerUi, {
      routePrefix: "/docs",
      theme: {
        title: "Exitability API",
        js: [{ filename: "page.js", content: FRAME_SCRIPT }],
        css: [{ filename: "page.css", content: FRAME_STYLE }],
      },
      uiConfig: { layout: "BaseLayout" },
    });
  });
}

/** An OpenAPI document that is made when it is sent, not at the start. */
function madeWhenSent(make: () => object) {
  return { openapi: "3.1.0", info: { title: "", version: "" }, paths: {}, toJSON: make };
}
