import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTcpServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { closeAfter } from "#test/support/ending.ts";
import { parseRanges } from "./webhook-addresses.ts";
import { createWebhookSender, type Resolve } from "./webhook-sender.ts";

const LOOPBACK = parseRanges(["127.0.0.0/8"]);

async function receiver(t: TestContext, listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  closeAfter(t, () => {
    server.closeAllConnections();
    server.close();
  });
  return portOf(server.address());
}

async function rawReceiver(t: TestContext, onSocket: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    onSocket(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  closeAfter(t, () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return portOf(server.address());
}

function portOf(address: string | { readonly port: number } | null): number {
  assert.ok(typeof address === "object" && address !== null);
  return address.port;
}

const unexpected: Resolve = () => assert.fail("no name was to be resolved");

test("a body arrives with its headers, under the host's own name, and 2xx is delivered", async (t) => {
  const heard: unknown[] = [];
  const port = await receiver(t, (request, response) => {
    request.setEncoding("utf8").on("data", (body: string) => {
      const { host, "webhook-id": id, "content-type": type } = request.headers;
      heard.push([request.method, request.url, host, id, type, body]);
      response.writeHead(204).end();
    });
  });
  const sender = createWebhookSender({ allowed: LOOPBACK, resolve: async () => ["127.0.0.1"] });
  const sent = await sender.post(`http://hooks.test:${port}/a?b=c`, { "webhook-id": "m1" }, "{}");
  assert.deepEqual(sent, { kind: "sent" });
  assert.deepEqual(heard, [
    ["POST", "/a?b=c", `hooks.test:${port}`, "m1", "application/json", "{}"],
  ]);
});

test("every way to write an address inside is refused, at registration and at the call", async () => {
  const sender = createWebhookSender({ allowed: [], resolve: unexpected });
  for (const host of [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "017700000001",
    "0x7f.1",
    "127.0.0.1.",
    "①②⑦.0.0.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[fe80::1]",
    "169.254.169.254",
    "[fd00:ec2::254]",
    "10.0.0.1",
    "0.0.0.0",
    "0",
  ])
    for (const scheme of ["https", "http"]) {
      const url = `${scheme}://${host}:8443/hook`;
      assert.notEqual(await sender.refusal(url), null, url);
      assert.equal((await sender.post(url, {}, "{}")).kind, "failed", url);
    }
});

test("anything but a plain https URL is refused; http is only allowed for addresses that the operator opened", async () => {
  const resolve = async () => ["93.184.216.34"];
  const sender = createWebhookSender({ allowed: LOOPBACK, resolve });
  for (const url of [
    "",
    "x",
    "ftp://a.example/",
    "file:///etc/passwd",
    "gopher://a.example/",
    "https://user:pass@a.example/",
    "http://a.example/hook",
    `https://a.example/${"x".repeat(2_048)}`,
  ])
    assert.notEqual(await sender.refusal(url), null, url);
  assert.equal(await sender.refusal("https://a.example/hook"), null);
  assert.equal(await sender.refusal("http://127.0.0.1:8080/hook"), null);
});

test("a name with any address inside is refused, whichever comes first; so is one without", async () => {
  for (const addresses of [
    ["127.0.0.1"],
    ["93.184.216.34", "10.0.0.1"],
    ["::ffff:169.254.169.254"],
    ["2606:4700::1111", "::1"],
    [],
  ]) {
    const sender = createWebhookSender({ allowed: [], resolve: async () => addresses });
    assert.notEqual(await sender.refusal("https://a.example/"), null, addresses.join());
  }
});

test("a name that is turned inside after its registration is refused at the call, and never connected to", async (t) => {
  let calls = 0;
  const port = await rawReceiver(t, (socket) => {
    calls++;
    socket.destroy();
  });
  const answers = [["93.184.216.34"], ["127.0.0.1"], ["93.184.216.34", "127.0.0.1"]];
  const sender = createWebhookSender({ allowed: [], resolve: async () => answers.shift() ?? [] });
  const url = `https://rebind.example:${port}/`;
  assert.equal(await sender.refusal(url), null);
  assert.equal((await sender.post(url, {}, "{}")).kind, "failed");
  assert.equal((await sender.post(url, {}, "{}")).kind, "failed");
  assert.equal(calls, 0);
});

test("a name is resolved once a call, and the connection is to the address that was judged", async (t) => {
  const port = await receiver(t, (_request, response) => response.end());
  let asked = 0;
  const resolve = async () => (asked++ === 0 ? ["127.0.0.1"] : ["127.0.0.2"]);
  const sender = createWebhookSender({ allowed: LOOPBACK, resolve });
  assert.deepEqual(await sender.post(`http://a.test:${port}/`, {}, "{}"), { kind: "sent" });
  assert.equal(asked, 1);
});

test("redirects are not followed, and no other status is a delivery", async (t) => {
  let calls = 0;
  let status = 302;
  const port = await receiver(t, (_request, response) => {
    calls++;
    response.writeHead(status, { location: "http://127.0.0.1:1/" }).end();
  });
  const sender = createWebhookSender({ allowed: LOOPBACK, resolve: unexpected });
  for (status of [301, 302, 303, 307, 308, 304, 400, 401, 404, 410, 429, 500, 503]) {
    const sent = await sender.post(`http://127.0.0.1:${port}/`, {}, "{}");
    assert.deepEqual(
      [sent.kind, sent.kind !== "sent" && sent.error.includes(String(status))],
      [status === 400 ? "refused" : "failed", true],
    );
  }
  assert.equal(calls, 13);
});

test("an endless body, endless headers, silence and a dripping answer end in time", async (t) => {
  const endlessBody = await rawReceiver(t, (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    const drip = setInterval(() => socket.write("4\r\nabcd\r\n"), 5);
    socket.on("close", () => clearInterval(drip));
  });
  const manyHeaders = await rawReceiver(t, (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    const drip = setInterval(() => socket.write(`x: ${"y".repeat(4_000)}\r\n`), 5);
    socket.on("close", () => clearInterval(drip));
  });
  const slowHeaders = await rawReceiver(t, (socket) => {
    const drip = setInterval(() => socket.write("H"), 5);
    socket.on("close", () => clearInterval(drip));
  });
  const silent = await rawReceiver(t, () => undefined);
  const deps = { allowed: LOOPBACK, resolve: unexpected };
  const impatient = createWebhookSender({ ...deps, timeoutMs: 400 });
  const post = async (port: number, sender = impatient) =>
    (await sender.post(`http://127.0.0.1:${port}/`, {}, "{}")).kind;
  assert.equal(await post(endlessBody, createWebhookSender(deps)), "sent");
  const kinds = await Promise.all([manyHeaders, slowHeaders, silent].map((port) => post(port)));
  assert.deepEqual(kinds, ["failed", "failed", "failed"]);
});

test("an answer that switches protocols fails, and does not keep the call open", {
  timeout: 10_000,
}, async (t) => {
  const port = await rawReceiver(t, (socket) => {
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n");
  });
  const sender = createWebhookSender({ allowed: LOOPBACK, resolve: unexpected });
  const sent = await sender.post(`http://127.0.0.1:${port}/`, {}, "{}");
  assert.deepEqual(sent, { kind: "failed", error: "It gave no HTTP answer." });
});

test("a name server that never answers costs no more than the time of a call", async () => {
  const resolve = () => new Promise<never>(() => undefined);
  const sender = createWebhookSender({ allowed: [], resolve, timeoutMs: 50 });
  assert.equal((await sender.post("https://a.example/", {}, "{}")).kind, "failed");
});

test("a receiver that is not there fails in words that hold no address", async (t) => {
  const port = await receiver(t, () => undefined);
  const sender = createWebhookSender({ allowed: LOOPBACK, resolve: unexpected });
  const sent = await sender.post(`http://127.0.0.1:${port === 1 ? 2 : 1}/`, {}, "{}");
  assert.deepEqual(sent, { kind: "failed", error: "It could not be reached: ECONNREFUSED." });
});
