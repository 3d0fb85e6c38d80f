import { createReadStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Store } from "#src/store/schema.ts";
import { EXPORTS, exportDay, parseDay } from "./export-day.ts";

/** Answers GET /export/history.parquet?day= and /export/accuracy.parquet?day=; false: another path. */
export type ExportHandler = (
  request: Pick<IncomingMessage, "url">,
  response: ServerResponse,
) => Promise<boolean>;

const BAD_DAY = "day must be a date such as 2026-11-22, in UTC\n";

/** One day is read at a time. A client that takes its file slowly keeps no other waiting. */
export function createExportHandler(store: Pick<Store, "db">): ExportHandler {
  let last: Promise<unknown> = Promise.resolve();
  return async ({ url = "" }, response) => {
    // Null of a target that is not a path, such as `//`.
    const target = URL.parse(url, "http://localhost");
    const kind = EXPORTS.find((one) => target?.pathname === `/export/${one}.parquet`);
    if (target === null || kind === undefined) return false;
    const day = parseDay(target.searchParams.get("day") ?? "");
    if (day === null) {
      response.writeHead(400, { "content-type": "text/plain" }).end(BAD_DAY);
      return true;
    }
    const directory = await mkdtemp(join(tmpdir(), "exitability-export-"));
    try {
      const path = join(directory, "day.parquet");
      const turn = last.then(() => exportDay(store, { kind, day, path }));
      last = turn.catch(() => undefined);
      await turn;
      response.writeHead(200, { "content-type": "application/vnd.apache.parquet" });
      await pipeline(createReadStream(path), response);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
    return true;
  };
}
