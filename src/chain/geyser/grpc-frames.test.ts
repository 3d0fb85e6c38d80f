import assert from "node:assert/strict";
import { test } from "node:test";
import { GrpcFrames, grpcFrame } from "./grpc-frames.ts";

const MESSAGES = [0, 1, 5, 300, 70_000].map((length) => Buffer.alloc(length, length % 251));
const STREAM = Buffer.concat(MESSAGES.map(grpcFrame));

function collecting() {
  const messages: Buffer[] = [];
  const frames = new GrpcFrames((bytes, start, end) =>
    messages.push(Buffer.from(bytes.subarray(start, end))),
  );
  return { frames, messages };
}

test("messages are the same however their bytes are divided", () => {
  for (const length of [1, 2, 4, 5, 6, 7, 311, 16_384, STREAM.length]) {
    const { frames, messages } = collecting();
    for (let at = 0; at < STREAM.length; at += length) frames.add(STREAM.subarray(at, at + length));
    assert.deepEqual(messages, MESSAGES, `${length} bytes at a time`);
  }
});

test("a message is handed on as soon as it is whole", () => {
  const { frames, messages } = collecting();
  frames.add(STREAM.subarray(0, 16));
  assert.deepEqual(messages, MESSAGES.slice(0, 2));
});

test("a compressed message, and one that is too long, end the stream", () => {
  const compressed = grpcFrame(Uint8Array.of(1));
  compressed[0] = 1;
  const long = grpcFrame(Uint8Array.of(1));
  long.writeUInt32BE(64 * 1024 * 1024 + 1, 1);
  for (const frame of [compressed, long])
    assert.throws(() => collecting().frames.add(frame), RangeError);
});
