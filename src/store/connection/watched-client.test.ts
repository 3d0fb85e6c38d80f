import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { sql } from "kysely";
import { AppError } from "#src/platform/app-error.ts";
import { postgresPlace } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { eventually } from "#test/support/eventually.ts";
import { startCuttingProxy } from "#test/support/processes/cutting-proxy.ts";
import { temporaryDirectory } from "#test/support/temporary-directory.ts";
import { type Database, openDatabase } from "./database.ts";
import { isAway } from "./watched-client.ts";

const GIVEN_UP_WITHIN_MS = 8_000;

async function overAWire(t: TestContext) {
  const place = await postgresPlace(t);
  if (place === null || place.databaseUrl === null) return null;
  const url = new URL(place.databaseUrl);
  const wire = await startCuttingProxy(t, url.href);
  url.host = `127.0.0.1:${wire.port}`;
  return { wire, open: () => openDatabase({ ...place, databaseUrl: url.href, connections: 2 }) };
}

const ask = ({ db }: Database) => sql`select 1`.execute(db);

const isUnavailable = (error: unknown) => error instanceof AppError && error.code === "overloaded";

test("statements over a connection that drops all packets fail soon, and work once it is restored", async (t) => {
  const setting = await overAWire(t);
  if (setting === null) return;
  const { wire, open } = setting;
  const database = open();
  await ask(database);
  const startedMs = performance.now();
  wire.silence();
  await assert.rejects(Promise.any([ask(database), ask(database), ask(database)]));
  await assert.rejects(ask(database), isUnavailable);
  assert.ok(performance.now() - startedMs < 2 * GIVEN_UP_WITHIN_MS);
  const refusedMs = performance.now();
  await assert.rejects(ask(database), isUnavailable);
  assert.ok(performance.now() - refusedMs < 1_000, "the next attempt fails at once");
  wire.mend();
  await eventually("an answer", () =>
    ask(database).then(
      () => true,
      () => null,
    ),
  );
  wire.silence();
  const closingMs = performance.now();
  await database.close();
  assert.ok(performance.now() - closingMs < GIVEN_UP_WITHIN_MS, "closing does not wait");
});

test("a slow statement on a reachable server is not aborted", async (t) => {
  const setting = await overAWire(t);
  if (setting === null) return;
  const database = setting.open();
  await sql`select pg_sleep(4.2)`.execute(database.db);
  await database.close();
});

test("a connection closed by the server fails as an unreachable database, and the next query has another", async (t) => {
  const setting = await overAWire(t);
  if (setting === null) return;
  const database = setting.open();
  const ended = sql`select pg_terminate_backend(pg_backend_pid())`.execute(database.db);
  await assert.rejects(ended, isUnavailable);
  await ask(database);
  await database.close();
});

test("a server without TLS, or with a certificate that is not trusted, counts as unreachable", async (t) => {
  const server = createServer((socket) => socket.once("data", () => socket.write("N")));
  closeAfter(t, () => server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  const database = openDatabase({
    databaseUrl: `postgres://a@127.0.0.1:${port}/a?sslmode=verify-full`,
    dataDir: temporaryDirectory(t),
  });
  await assert.rejects(ask(database), isUnavailable);
  await database.close();
  for (const code of ["DEPTH_ZERO_SELF_SIGNED_CERT", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"])
    assert.ok(isAway(Object.assign(new Error("a certificate"), { code })), code);
});
