import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { BaseLogger } from "pino";
import type { Metrics } from "./metrics.ts";

const LONGEST_SCRAPE_MS = 10_000;

export type MetricsServer = { readonly url: string; readonly close: () => Promise<void> };

/** Serves GET /metrics on a separate port, which is not public. */
export async function listenForScrapes(
  metrics: Metrics,
  place: { readonly host: string; readonly port: number },
  log: Pick<BaseLogger, "error">,
): Promise<MetricsServer> {
  const answer: RequestListener = (request, response) => {
    if (request.method !== "GET" || request.url?.split("?")[0] !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    metrics.text().then(
      (text) => response.writeHead(200, { "content-type": metrics.contentType }).end(text),
      (err: unknown) => {
        log.error({ err }, "failed to collect metrics; answering 500");
        response.writeHead(500).end();
      },
    );
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
