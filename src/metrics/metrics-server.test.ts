import assert from "node:assert/strict";
import { once } from "node:events";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { test } from "node:test";
import type { ExportHandler } from "#src/export/export-handler.ts";
import { closeAfter } from "#test/support/ending.ts";
import { listenForScrapes } from "./metrics-server.ts";

const METRICS = { text: async () => "", contentType: "text/plain" };

/** A server whose exports are as given, and the messages that it logs. */
async function exporting(
  t: Parameters<typeof closeAfter>[0],
  exports: ExportHandler,
): Promise<{ readonly url: string; readonly logged: readonly string[] }> {
  const logged: string[] = [];
  const log = {
    error: (_context: unknown, message?: unknown) => void logged.push(String(message)),
  };
  const place = { host: "127.0.0.1", port: 0 };
  const server = await listenForScrapes({ metrics: METRICS, exports, log }, place);
  closeAfter(t, () => server.close());
  return { url: new URL("/export/history.parquet", server.url).href, logged };
}

test("a client that takes only a part of its export is not logged as a failure", async (t) => {
  const ended = Promise.withResolvers<void>();
  const { url, logged } = await exporting(t, async (_request, response) => {
    const endless = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(100_000);
      })(),
    );
    await pipeline(endless, response).finally(() => ended.resolve());
    return true;
  });
  const client = new AbortController();
  const { body } = await fetch(url, { signal: client.signal });
  await body?.getReader().read();
  client.abort();
  await ended.promise;
  await new Promise(setImmediate);
  assert.deepEqual(logged, []);
});

test("a client that leaves before its export begins is not logged as a failure", async (t) => {
  const began = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const { url, logged } = await exporting(t, async (_request, response) => {
    began.resolve();
    await once(response, "close");
    await pipeline(Readable.from(["a"]), response).finally(() => ended.resolve());
    return true;
  });
  const client = new AbortController();
  const refused = assert.rejects(fetch(url, { signal: client.signal }));
  await began.promise;
  client.abort();
  await Promise.all([refused, ended.promise]);
  await new Promise(setImmediate);
  assert.deepEqual(logged, []);
});

test("an export that fails is logged, and answered 500", async (t) => {
  const { url, logged } = await exporting(t, async () => Promise.reject(new Error("no disk")));
  assert.equal((await fetch(url)).status, 500);
  assert.deepEqual(logged, ["failed to answer the operator; answering 500"]);
});
