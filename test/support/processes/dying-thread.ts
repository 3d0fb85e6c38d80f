import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import { isMainThread } from "node:worker_threads";

// A preload for a service whose API has a thread of its own: a request for one of these paths ends the thread.
if (!isMainThread) {
  subscribe("http.server.request.start", (message) => {
    const { request } = message as { readonly request: IncomingMessage };
    if (request.url === "/die") throw new Error("the API's thread dies");
    if (request.url === "/exit") process.exit(0);
  });
}
