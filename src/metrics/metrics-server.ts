import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import type { BaseLogger } from "pino";
import type { ExportHandler } from "#src/export/export-handler.ts";
import type { Metrics } from "./metrics.ts";

const LONGEST_SCRAPE_MS = 10_000;
/** How a pipeline ends whose response is closed while it runs, or before. */
const GONE_CODES = new Set(["ERR_STREAM_PREMATURE_CLOSE", "ERR_STREAM_UNABLE_TO_PIPE"]);

export type MetricsServer = { readonly url: string; readonly close: () => Promise<void> };

export type OperatorDeps = {
  readonly metrics: Metrics;
  readonly exports: ExportHandler;
  readonly log: Pick<BaseLogger, "error">;
};

/** Serves the operator's GET /metrics and GET /export/... on a separate port, which is not public. */
export async function listenForScrapes(
  { metrics, exports, log }: OperatorDeps,
  place: { readonly host: string; readonly port: number },
): Promise<MetricsServer> {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const isGet = request.method === "GET";
    if (isGet && request.url?.split("?")[0] === "/metrics") {
      const text = await metrics.text();
      response.writeHead(200, { "content-type": metrics.contentType }).end(text);
    } else if (!isGet || !(await exports(request, response))) response.writeHead(404).end();
  };
  const answer: RequestListener = (request, response) => {
    respond(request, response).catch((err: unknown) => {
      if (isClientGone(err)) return;
      log.error({ err, url: request.url }, "failed to answer the operator; answering 500");
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end();
    });
  };
  const server = createServer({ requestTimeout: LONGEST_SCRAPE_MS }, answer);
  server.listen(place.port, place.host);
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : place.port;
  const host = place.host.includes(":") ? `[${place.host}]` : place.host;
  return {
    url: `http://${host}:${port}/metrics`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Whether the client closed its connection before its answer began, or before it had the whole answer. */
function isClientGone(err: unknown): boolean {
  return err instanceof Error && "code" in err && GONE_CODES.has(String(err.code));
}
