import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { closeAfter, type Ending } from "#test/support/ending.ts";

export type CountingProxy = {
  readonly url: string;
  /** Calls so far, by method. */
  readonly counts: () => ReadonlyMap<string, number>;
};

/** A proxy on a node's JSON-RPC that counts its calls. */
export async function startCountingProxy(ending: Ending, target: string): Promise<CountingProxy> {
  const counts = new Map<string, number>();
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts).toString("utf8");
    const parsed: { readonly method: string } | readonly { readonly method: string }[] =
      JSON.parse(body);
    for (const { method } of Array.isArray(parsed) ? parsed : [parsed]) {
      counts.set(method, (counts.get(method) ?? 0) + 1);
    }
    const headers = { "content-type": "application/json" };
    try {
      const answer = await fetch(target, { method: "POST", headers, body });
      response.writeHead(answer.status, headers).end(await answer.text());
    } catch {
      response.writeHead(502).end();
    }
  };
  const server = createServer((request, response) => void pass(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closeAfter(ending, () => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, counts: () => new Map(counts) };
}
