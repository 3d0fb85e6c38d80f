import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { closeAfter } from "../ending.ts";

export type Turn = (response: ServerResponse, request: IncomingMessage) => void;

export type Asked = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  readonly atMs: number;
};

export type ScriptedServer = {
  readonly url: string;
  /** Every request, in the order in which they came. */
  readonly asked: readonly Asked[];
};

/** A server that gives each request its turn; one that is not in the script is answered 500. */
export async function startScriptedServer(
  t: TestContext,
  ...script: readonly Turn[]
): Promise<ScriptedServer> {
  const turns: Turn[] = [...script];
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const { method = "", url = "", headers } = request;
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      asked.push({ method, url, headers, body, atMs: performance.now() });
      const turn = turns.shift() ?? json(500, { error: "server_error", message: "Not scripted." });
      turn(response, request);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closeAfter(t, () => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
  };
}

/** An answer of JSON. */
export function json(
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Turn {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
}

/** The connection breaks off before an answer. */
export const cut: Turn = (response) => void response.destroy();

/** Never answers. */
export const silence: Turn = () => undefined;

/** A stream of server-sent events, as these texts; then `after`. */
export function eventStream(texts: readonly string[], after: "cut" | "end" | "silence"): Turn {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    response.flushHeaders();
    response.write(texts.join(""), () => {
      if (after === "cut") response.destroy();
      if (after === "end") response.end();
    });
  };
}
