import assert from "node:assert/strict";
import { test } from "node:test";
import { Listeners } from "./listeners.ts";

test("each listener gets every event until it is removed, even one that was added twice", () => {
  const listeners = new Listeners<string>();
  const received: string[] = [];
  const listener = (event: string) => received.push(event);
  const [removeFirst, removeSecond] = [listeners.add(listener), listeners.add(listener)];
  listeners.emit("a");
  removeFirst();
  removeFirst();
  listeners.emit("b");
  removeSecond();
  listeners.emit("c");
  assert.deepEqual(received, ["a", "a", "b"]);
});

test("with onFailure a listener that throws costs the others nothing; without it the emitter gets the error", () => {
  const failures: unknown[] = [];
  const listeners = new Listeners<string>((cause) => failures.push(cause));
  const received: string[] = [];
  const mistake = new Error("a listener's mistake");
  listeners.add(() => {
    throw mistake;
  });
  listeners.add((event) => received.push(event));
  listeners.emit("a");
  assert.deepEqual([received, failures], [["a"], [mistake]]);

  const strict = new Listeners<string>();
  strict.add(() => {
    throw mistake;
  });
  assert.throws(() => strict.emit("a"), mistake);
});
