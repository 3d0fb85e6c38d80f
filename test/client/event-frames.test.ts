import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { EventFrames } from "../../clients/typescript/src/event-frames.ts";

const EVERYTHING = [
  "\uFEFF: a comment\n",
  "event: exitability\nid: a.1\ndata: {\n",
  "data:}\n\n",
  "event: heartbeat\r\ndata: {}\r\n\r\n",
  "data\r\r",
  "event: no data, no event\n\n",
  "id: b\0\ndata: a NUL is ignored\nnonsense\nretry: 10\n\n",
  "id\ndata: é without id\n\n",
  "data: without an end",
].join("");

const EXPECTED = [
  { event: "exitability", data: "{\n}", id: "a.1" },
  { event: "heartbeat", data: "{}", id: "a.1" },
  { event: "message", data: "", id: "a.1" },
  { event: "message", data: "a NUL is ignored", id: "a.1" },
  { event: "message", data: "é without id", id: "" },
];

test("events are the same wherever the text is cut", () => {
  assert.deepEqual(new EventFrames().push(EVERYTHING), EXPECTED);
  const cuts = fc.array(fc.integer({ min: 0, max: EVERYTHING.length }), { maxLength: 12 });
  fc.assert(
    fc.property(cuts, (places) => {
      const sorted = [0, ...places, EVERYTHING.length].sort((a, b) => a - b);
      const frames = new EventFrames();
      const found = sorted.flatMap((end, index) =>
        frames.push(EVERYTHING.slice(sorted[index - 1] ?? 0, end)),
      );
      assert.deepEqual(found, EXPECTED);
    }),
  );
});

test("an event that never ends is refused before it fills the memory", () => {
  for (const piece of ["x".repeat(100_000), `data: ${"x".repeat(100_000)}\n`]) {
    const frames = new EventFrames();
    assert.throws(() => {
      for (let count = 0; count < 100; count++) frames.push(piece);
    }, RangeError);
  }
});
