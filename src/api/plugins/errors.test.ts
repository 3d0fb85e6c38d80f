import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import Sqlite from "better-sqlite3";
import Fastify from "fastify";
import { oneApp, refusal } from "#test/support/api/app.ts";
import { closeAfter } from "#test/support/ending.ts";
import { answerUnreadable, registerErrors } from "./errors.ts";

/** The service's answer to these bytes, until it closes the connection. */
async function answerTo(url: string, bytes: string): Promise<{ head: string; body: string }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = "";
  socket.setEncoding("utf8").on("data", (part) => {
    text += String(part);
  });
  socket.write(bytes);
  await once(socket, "close");
  const [head = "", body = ""] = text.split("\r\n\r\n");
  return { head, body };
}

test("malformed or oversized HTTP is refused with the contract's body", async (t) => {
  await oneApp(t, async ({ app }) => {
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    const unreadable = [
      "nonsense\r\n\r\n",
      "GET /healthz HTTP/1.1\r\nno colon\r\n\r\n",
      "GET /healthz HTTP/1.1\r\n\r\n",
      `GET /healthz?${"x".repeat(20_000)} HTTP/1.1\r\nhost: e\r\n\r\n`,
      `GET /healthz HTTP/1.1\r\nhost: e\r\nx-api-key: ${"x".repeat(20_000)}\r\n\r\n`,
    ];
    for (const bytes of unreadable) {
      const { head, body } = await answerTo(url, bytes);
      assert.match(head, /^HTTP\/1\.1 400 .*application\/json; charset=utf-8/s);
      const { error, message } = JSON.parse(body);
      assert.equal(error, "invalid_body");
      assert.match(message, /^The .*\.$/);
    }
  });
});

test("a request that needs no body may have none, whatever type it declares", async (t) => {
  await oneApp(t, async ({ send, signIn }) => {
    const { accessToken } = await signIn("ana@example.com");
    const authorization = `Bearer ${accessToken}`;
    const headers = { authorization, "content-type": "application/json" };
    assert.equal((await send("POST", "/api/account/keys", { headers })).statusCode, 201);
    for (const type of ["application/x-www-form-urlencoded", "text/plain", "nonsense"]) {
      const asForm = { authorization, "content-type": type, "content-length": "0" };
      const rotated = await send("POST", "/api/account/keys/rotate", { headers: asForm });
      assert.equal(rotated.statusCode, 201, type);
    }
    const form = { authorization, "content-type": "application/x-www-form-urlencoded" };
    const withBody = await send("POST", "/api/account/keys/rotate", {
      headers: form,
      payload: "a",
    });
    assert.deepEqual(refusal(withBody), [415, "unsupported_media_type"]);
    const removed = await send("DELETE", "/api/oracle/watchlist?id=1", { headers });
    assert.deepEqual(refusal(removed), [404, "not_found"]);
    const added = await send("POST", "/api/oracle/watchlist", { headers });
    assert.deepEqual(refusal(added), [400, "invalid_body"]);
  });
});

test("a database that another writer holds for too long is answered as busy, without a stack in the log", async (t) => {
  const lines: string[] = [];
  const app = Fastify({ logger: { stream: { write: (line: string) => void lines.push(line) } } });
  closeAfter(t, () => app.close());
  registerErrors(app);
  app.get("/", () => {
    throw new Sqlite.SqliteError("database is locked", "SQLITE_BUSY");
  });
  const answer = await app.inject("/");
  assert.equal(answer.statusCode, 503);
  assert.equal(answer.headers["retry-after"], "2");
  assert.equal(answer.json().error, "overloaded");
  assert.deepEqual(
    lines.filter((line) => JSON.parse(line).level >= 50),
    [],
  );
});

test("an unknown Expect header does not prevent the answer", async (t) => {
  await oneApp(t, async ({ app }) => {
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    const head = "GET /healthz HTTP/1.1\r\nhost: e\r\nexpect: wonders\r\nconnection: close";
    const answer = await answerTo(url, `${head}\r\n\r\n`);
    assert.match(answer.head, /^HTTP\/1\.1 200 /);
  });
});

test("a connection that sent nothing in time is closed without an answer, one that sent a part is refused", async (t) => {
  const timeOut = (socket: Socket) =>
    answerUnreadable({ code: "ERR_HTTP_REQUEST_TIMEOUT" }, socket);
  const answerOfServer = async (sent: string) => {
    const server = createServer((socket) => {
      if (sent === "") timeOut(socket);
      else socket.once("data", () => timeOut(socket));
    }).listen(0, "127.0.0.1");
    closeAfter(t, () => server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    return await answerTo(`http://127.0.0.1:${port}`, sent);
  };
  assert.deepEqual(await answerOfServer(""), { head: "", body: "" });
  const { head, body } = await answerOfServer("GET /api");
  assert.match(head, /^HTTP\/1.1 400 /);
  assert.match(body, /could not be read/);
});
