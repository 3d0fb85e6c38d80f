import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort } from "node:worker_threads";
import { SMTPServer } from "smtp-server";

/** A mail server and a webhook receiver on a thread of their own: they say what arrived, and when. */
export type Arrival = {
  readonly kind: "email" | "webhook";
  readonly mints: readonly string[];
  readonly atMs: number;
};
export type Listening = { readonly smtpPort: number; readonly webhookPort: number };

const LINK = /\/token\/([1-9A-HJ-NP-Za-km-z]{32,44})/g;
const now = (): number => performance.timeOrigin + performance.now();

function tell(kind: Arrival["kind"], body: string): void {
  // Mail folds long lines; a link may be cut by a soft break.
  const mints = [...body.replaceAll("=\r\n", "").matchAll(LINK)].map(([, mint = ""]) => mint);
  const arrival: Arrival = { kind, mints, atMs: now() };
  parentPort?.postMessage(arrival);
}

const mail = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  logger: false,
  onData(stream, _session, done) {
    let body = "";
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => {
      body += chunk;
    });
    stream.on("end", () => {
      tell("email", body);
      done();
    });
  },
});
const hooks = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => {
    body += chunk;
  });
  request.on("end", () => {
    tell("webhook", body);
    response.writeHead(200).end();
  });
}).listen(0, "127.0.0.1");
await once(hooks, "listening");
mail.listen(0, "127.0.0.1");
await once(mail.server, "listening");
const listening: Listening = {
  smtpPort: (mail.server.address() as AddressInfo).port,
  webhookPort: (hooks.address() as AddressInfo).port,
};
parentPort?.postMessage(listening);
