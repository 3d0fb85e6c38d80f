import assert from "node:assert/strict";
import { test } from "node:test";
import { createEventReader, type StreamEvent } from "./event-reader.ts";

const TEXT = 'event: exitability\nid: 1\ndata: {"a":1}\n\n: note\n\nevent: heartbeat\ndata: {}\n\n';

test("events are the same however the network cuts their text", () => {
  for (let size = 1; size <= TEXT.length; size++) {
    const events: StreamEvent[] = [];
    const read = createEventReader((event) => events.push(event));
    for (let from = 0; from < TEXT.length; from += size) read(TEXT.slice(from, from + size));
    assert.deepEqual(events, [
      { name: "exitability", data: '{"a":1}' },
      { name: "heartbeat", data: "{}" },
    ]);
  }
});
