import { request as openRequest } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

export type Exchanged = {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
};

export type Outgoing = {
  readonly method: string;
  /** Path and query, sent byte for byte as given here: nothing is normalised. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
};

/** Longer than the service takes for anything; what hangs fails here. */
const PATIENCE_MS = 20_000;
/** A request that is still refused then is a failure. */
const MOST_REPEATS = 5;

/**
 * Sends a request and reads the answer. A request that is refused for the load of the machine is repeated
 * after its Retry-After, as every caller has to. Of server-sent events, which have no end, the head alone
 * is read, and the connection is closed.
 */
export async function exchange(base: string, outgoing: Outgoing): Promise<Exchanged> {
  for (let repeats = 0; ; repeats++) {
    const exchanged = await exchangeOnce(base, outgoing);
    const retryAfterSeconds = Number(exchanged.headers["retry-after"]);
    const isRepeated = isOverloaded(outgoing, exchanged) && retryAfterSeconds > 0;
    if (!isRepeated || repeats === MOST_REPEATS) return exchanged;
    await pause(retryAfterSeconds * 1_000);
  }
}

/** The answer to HEAD has no body to name the error. */
function isOverloaded({ method }: Outgoing, { statusCode, body }: Exchanged): boolean {
  return statusCode === 503 && (method === "HEAD" || body.includes('"overloaded"'));
}

function exchangeOnce(base: string, outgoing: Outgoing): Promise<Exchanged> {
  const { hostname, port } = new URL(base);
  const { method, target, headers, body } = outgoing;
  const length = body === null ? {} : { "content-length": String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const request = openRequest({
      hostname,
      port,
      method,
      path: target,
      headers: { ...headers, ...length },
      agent: false,
      timeout: PATIENCE_MS,
    });
    request.on("error", reject);
    request.on("timeout", () => request.destroy(new Error(`no answer to ${method} ${target}`)));
    request.on("response", (response) => {
      const head = { statusCode: response.statusCode ?? 0, headers: response.headers };
      if (String(head.headers["content-type"]).startsWith("text/event-stream")) {
        resolve({ ...head, body: "" });
        response.destroy();
        return;
      }
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () => resolve({ ...head, body: Buffer.concat(parts).toString("utf8") }));
      response.on("error", reject);
    });
    request.end(body ?? undefined);
  });
}
