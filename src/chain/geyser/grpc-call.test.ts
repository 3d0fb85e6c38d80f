import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { closeAfter } from "#test/support/ending.ts";
import { GrpcCall } from "./grpc-call.ts";
import { grpcFrame } from "./grpc-frames.ts";

const PATH = "/package.Service/Method";
const FIRST = Uint8Array.of(1, 2, 3);
const GRPC = { ":status": 200, "content-type": "application/grpc" };

/** A server that answers each call as `serve` does. */
async function startServer(t: TestContext, serve: (stream: ServerHttp2Stream) => void) {
  const server = createServer();
  const sockets = new Set<{ destroy: () => void }>();
  server.on("connection", (socket) => sockets.add(socket));
  server.on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => undefined);
    serve(stream);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closeAfter(t, async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const options = { url: `http://127.0.0.1:${port}/ignored`, path: PATH, headers: { "x-a": "b" } };
  return (signal = new AbortController().signal) => GrpcCall.open(options, FIRST, signal);
}

function endOf(call: GrpcCall, onMessage: (message: Buffer) => void = () => {}): Promise<string> {
  return new Promise((resolve) =>
    call.listen({
      onMessage: (bytes, start, end) => onMessage(bytes.subarray(start, end)),
      onEnd: resolve,
    }),
  );
}

test("messages go both ways, and the server's status is the reason of the end", async (t) => {
  const headers: unknown[] = [];
  const received: Buffer[] = [];
  const open = await startServer(t, (stream) => {
    stream.on("data", (chunk: Buffer) => {
      received.push(chunk);
      if (Buffer.concat(received).length < 2 * grpcFrame(FIRST).length) return;
      stream.write(grpcFrame(Uint8Array.of(7)));
      stream.end(grpcFrame(Uint8Array.of(8)));
    });
    stream.on("wantTrailers", () =>
      stream.sendTrailers({ "grpc-status": "8", "grpc-message": "too%20slow: 100%25" }),
    );
    stream.respond(GRPC, { waitForTrailers: true });
    headers.push(stream.sentHeaders);
  });
  const call = await open();
  const messages: Buffer[] = [];
  const ended = endOf(call, (message) => messages.push(Buffer.from(message)));
  call.send(FIRST);
  assert.equal(await ended, "8 RESOURCE_EXHAUSTED: too slow: 100%");
  assert.deepEqual(messages, [Buffer.of(7), Buffer.of(8)]);
  assert.deepEqual(Buffer.concat(received), Buffer.concat([FIRST, FIRST].map(grpcFrame)));
});

test("what comes with the headers is delivered, the end included", async (t) => {
  const open = await startServer(t, (stream) => {
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.respond(GRPC, { waitForTrailers: true });
    stream.end(grpcFrame(FIRST));
  });
  const call = await open();
  const messages: Buffer[] = [];
  assert.equal(await endOf(call, (message) => messages.push(message)), "the stream ended");
  assert.deepEqual(messages, [Buffer.from(FIRST)]);
});

test("a refusal names what the server says, in whichever way it says it", async (t) => {
  const refusals = [
    {
      headers: { ...GRPC, "grpc-status": "16", "grpc-message": "no token" },
      reason: "16 UNAUTHENTICATED: no token",
    },
    { headers: { ...GRPC, "grpc-status": "99" }, reason: "99 UNKNOWN: " },
    { headers: { ":status": 404 }, reason: "HTTP status 404" },
    {
      headers: { ...GRPC, "grpc-status": "3", "grpc-message": "50% more" },
      reason: "3 INVALID_ARGUMENT: 50% more",
    },
  ];
  for (const { headers, reason } of refusals) {
    const open = await startServer(t, (stream) => stream.respond(headers, { endStream: true }));
    await assert.rejects(open(), { message: reason });
  }
});

test("a call that can't be made, is broken off or is given up ends with a reason", async (t) => {
  const broken = await startServer(t, (stream) => {
    stream.respond(GRPC);
    stream.write(grpcFrame(FIRST), () => stream.session?.destroy());
  });
  assert.match(await endOf(await broken()), /closed|ended|reset/);
  const reset = await startServer(t, (stream) => {
    stream.respond(GRPC);
    stream.close(11);
  });
  const reason = await reset().then(endOf, ({ message }: Error) => message);
  assert.match(reason, /NGHTTP2_ENHANCE_YOUR_CALM/);
  const silent = await startServer(t, () => {});
  const attempt = new AbortController();
  const opening = silent(attempt.signal);
  attempt.abort();
  await assert.rejects(opening, { message: "the attempt was given up" });
  await assert.rejects(silent(AbortSignal.abort()), { message: "the attempt was given up" });
  const nowhere = { url: "http://127.0.0.1:1", path: PATH, headers: {} };
  await assert.rejects(GrpcCall.open(nowhere, FIRST, new AbortController().signal), /ECONNREFUSED/);
});

test("a message that can't be read ends the call; a cancelled one delivers nothing more", async (t) => {
  const open = await startServer(t, (stream) => {
    stream.respond(GRPC);
    stream.write(Buffer.concat([grpcFrame(FIRST), grpcFrame(FIRST)]));
  });
  const failing = await open();
  const reason = await endOf(failing, () => {
    throw new RangeError("not a message");
  });
  assert.equal(reason, "a message could not be read: not a message");
  const call = await open();
  const events: string[] = [];
  await new Promise<void>((resolve) =>
    call.listen({
      onMessage() {
        events.push("message");
        call.cancel();
        setImmediate(resolve);
      },
      onEnd: () => events.push("end"),
    }),
  );
  assert.deepEqual(events, ["message"]);
});

test("a server that wants no further calls ends this one when it is done", async (t) => {
  const open = await startServer(t, (stream) => {
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "14" }));
    stream.respond(GRPC, { waitForTrailers: true });
    stream.session?.goaway();
    stream.write(grpcFrame(FIRST), () => stream.end(grpcFrame(FIRST)));
  });
  const messages: Buffer[] = [];
  const ended = await endOf(await open(), (message) => messages.push(message));
  assert.equal(ended, "14 UNAVAILABLE: ");
  assert.equal(messages.length, 2);
});
