import { type Agent, request } from "node:http";

export type Sent = {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type Received = { readonly status: number; readonly ms: number; readonly body: string };

const LONGEST_BODY = 2_000;

/** Sends one request as it is written; an event stream is closed at once. Status 0: no HTTP answer. */
export function send(agent: Agent, url: string, sent: Sent): Promise<Received> {
  const { hostname, port } = new URL(url);
  const { method = "GET", path, headers = {}, body } = sent;
  const startedMs = performance.now();
  return new Promise((resolve) => {
    const failed = () => resolve({ status: 0, ms: performance.now() - startedMs, body: "" });
    try {
      const asked = request({ agent, hostname, port, method, path, headers }, (response) => {
        const status = response.statusCode ?? 0;
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          if (text.length < LONGEST_BODY) text += chunk;
        });
        const done = () => resolve({ status, ms: performance.now() - startedMs, body: text });
        response.on("end", done);
        response.on("error", done);
        if (response.headers["content-type"]?.startsWith("text/event-stream") === true) {
          response.destroy();
          done();
        }
      });
      asked.on("error", failed);
      asked.setTimeout(30_000, () => asked.destroy());
      asked.end(body);
    } catch {
      failed(); // Node's client refuses to send some targets and headers.
    }
  });
}
