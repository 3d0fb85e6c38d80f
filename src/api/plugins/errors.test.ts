import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { oneApp } from "#test/support/app.ts";
import { answerUnreadable } from "./errors.ts";

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
    t.after(() => server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    return await answerTo(`http://127.0.0.1:${port}`, sent);
  };
  assert.deepEqual(await answerOfServer(""), { head: "", body: "" });
  const { head, body } = await answerOfServer("GET /api");
  assert.match(head, /^HTTP\/1.1 400 /);
  assert.match(body, /could not be read/);
});
