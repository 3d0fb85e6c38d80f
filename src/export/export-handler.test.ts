import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Writable } from "node:stream";
import { test } from "node:test";
import { parquetMetadata } from "hyparquet";
import { openDatabase } from "#src/store/connection/database.ts";
import { migrate } from "#src/store/connection/migrate.ts";
import { sqliteDatabase, sqlitePlace } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { createExportHandler } from "./export-handler.ts";

test("the operator's port serves a day as a Parquet file, and names a wrong day", async (t) => {
  const database = openDatabase(sqlitePlace(t));
  closeAfter(t, () => database.close());
  await migrate(database, 0);
  const exports = createExportHandler(database);
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (!(await exports(request, response))) response.writeHead(404).end();
  };
  const server = createServer((request, response) => void answer(request, response)).listen(
    0,
    "127.0.0.1",
  );
  await once(server, "listening");
  closeAfter(t, () => server.close());
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const get = (path: string) => fetch(`http://127.0.0.1:${address.port}${path}`);
  for (const kind of ["history", "accuracy"]) {
    const found = await get(`/export/${kind}.parquet?day=2026-11-22`);
    assert.equal(found.headers.get("content-type"), "application/vnd.apache.parquet");
    assert.equal(parquetMetadata(await found.arrayBuffer()).num_rows, 0n);
  }
  assert.equal((await get("/export/history.parquet?day=2026-02-30")).status, 400);
  assert.equal((await get("/export/history.parquet")).status, 400);
  for (const other of ["/export/users.parquet?day=2026-11-22", "//"])
    assert.equal((await get(other)).status, 404);
});

test("a client that does not take its file keeps no other from its own", {
  timeout: 10_000,
}, async (t) => {
  const exports = createExportHandler(await sqliteDatabase(t));
  const request = { url: "/export/accuracy.parquet?day=2026-11-22" };
  const began = Promise.withResolvers<void>();
  const stalled = responseTo(() => began.resolve());
  const stopped = assert.rejects(exports(request, stalled), /Premature close/);
  await began.promise;
  assert.equal(
    await exports(
      request,
      responseTo((_chunk, _encoding, done) => done()),
    ),
    true,
  );
  stalled.destroy();
  await stopped;
});

function responseTo(write: Writable["_write"]): ServerResponse {
  const writeHead = () => undefined;
  return Object.assign(new Writable({ write }), { writeHead }) as unknown as ServerResponse;
}
